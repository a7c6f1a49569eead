"""Modules built ahead of time: their text, beside their file or by setuptools."""
