"""What names of a nest are bound to: exchanged arrays, and no value."""
