"""Passes over generated loops: the same calls in the same order, less to read."""
