"""Statements and loops in C: buffers, reductions, parallel and vector loops."""
