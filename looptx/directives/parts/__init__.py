"""Reductions that collect in parts."""
