"""Planned nests as text: Python and Cython."""
