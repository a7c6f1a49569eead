"""Tuples with names and rows of arrays, spelt as the numbers they are made of."""
