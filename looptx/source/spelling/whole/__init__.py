"""Statements on whole arrays, spelled as loops over their elements."""
