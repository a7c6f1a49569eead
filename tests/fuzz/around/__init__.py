"""Graphs of operators around a contraction, and ``fuse_around``."""
