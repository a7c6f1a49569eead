"""Lanes that run what others do not: conditions, and loops of different lengths."""
