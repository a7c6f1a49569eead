"""Tasks, and what they need of each other."""
