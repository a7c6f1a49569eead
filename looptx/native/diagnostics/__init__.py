"""Diagnostics: warnings, notes, errors as records, bug reports."""
