"""Directives that change the order of iterations: maps of the schedule."""
