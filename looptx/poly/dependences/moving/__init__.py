"""Statements that move into the iterations of a loop of another nest."""
