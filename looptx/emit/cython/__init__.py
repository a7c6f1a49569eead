"""Cython, the first target: the typed tree as a module that setuptools can build."""

from looptx.emit.cython.nest import module_text, nest_function
from looptx.emit.cython.section import Section, joined
from looptx.emit.cython.text import Cython
from looptx.emit.cython.versions import Portable

__all__ = ["Cython", "Portable", "Section", "joined", "module_text", "nest_function"]
