"""Directives that move work between nests."""
