"""Axes of one position that stand for all those of another array.

``A - m`` for m of N x 1 elements reads ``m[i, 0]`` beside ``A[i, j]``. Which axes of
arguments have one position a call has shown; where they meet no others they are like
all axes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import zip_longest

from looptx.source.spelling.whole.reading.axes import Unlike
from looptx.source.spelling.whole.reading.extents import Extents


def repeated(nodes: Iterable[ast.AST], extents: Extents) -> set[tuple[str, int]]:
    """The axes of arguments that may be repeated along others.

    Args:
        nodes: of a function. extents: reads the shapes of its expressions.
    """
    ranks = extents.ranks
    single = {f"{array}.shape[{at}]": (array, at) for array, at in ranks.single}
    wide = {f"{array}.shape[{at}]" for array, at in ranks.wide}
    found: set[tuple[str, int]] = set()
    for node in nodes:
        shapes = [*_shapes(_together(node), extents)]
        for axis in zip_longest(*(shape[::-1] for shape in shapes), fillvalue="1"):
            counts = {*axis} - {"1"}
            if any(text in wide or text.isdecimal() for text in counts):
                found |= {single[text] for text in counts & single.keys()}
    return found


def _together(node: ast.AST) -> list[ast.expr]:
    """Expressions whose elements are computed together, or assigned."""
    match node:
        case ast.BinOp(left, op, right) if not isinstance(op, ast.MatMult):
            return [left, right]
        case ast.Compare(left, _, others):
            return [left, *others]
        case ast.Call(_, args):
            return args
        case ast.Assign([ast.Subscript() as target], value):
            return [target, value]
        case ast.AugAssign(ast.Name() | ast.Subscript() as target, _, value):
            return [target, value]
    return []


def _shapes(nodes: Iterable[ast.expr], extents: Extents) -> Iterator[list[str]]:
    for node in nodes:
        try:
            yield extents.of(node)
        except Unlike:
            continue
