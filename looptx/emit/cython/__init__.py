"""Cython, the first target: the typed tree as a module that setuptools can build."""

from looptx.emit.cython.nest import module_text, nest_function

__all__ = ["module_text", "nest_function"]
