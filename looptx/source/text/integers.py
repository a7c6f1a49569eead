"""Integers that are written out and that Python may refuse to write again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looptx.source.ast_tools import walked

MOST_DIGITS = 640
"""Digits of an integer that every Python writes and reads, however it is set up."""

_LONG = 10**MOST_DIGITS


def long_integers(root: ast.AST) -> Iterator[ast.Constant]:
    """The integers of a function that Python may refuse to write in decimal."""
    for node in walked(root):
        match node:
            case ast.Constant(int(value)) if value >= _LONG:
                yield node
