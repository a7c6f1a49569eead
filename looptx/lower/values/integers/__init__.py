"""Integers of Python: literal ones, large ones, and the lowest bits of these."""
