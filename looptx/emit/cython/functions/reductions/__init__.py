"""Reductions of rows and of parts of arrays, in the order of NumPy."""
