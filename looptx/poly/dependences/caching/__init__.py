"""Buffers for the cells of an array that an iteration of a loop uses."""
