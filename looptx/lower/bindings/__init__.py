"""What targets are bound to: exchanged arrays, what loops of NumPy give, no value."""
