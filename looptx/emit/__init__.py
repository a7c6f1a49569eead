"""Targets: the typed tree of a nest written down in a language."""
