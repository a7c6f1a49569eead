"""Expressions of Python on typed values, each with exactly its result."""
