"""Loops whose count is a product of run-time sizes, which is not affine."""
