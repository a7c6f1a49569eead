"""Calls of functions of the user, spelled as what these do."""
