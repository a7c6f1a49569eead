"""Nests between which work and storage move, judged by runs on numbers."""
