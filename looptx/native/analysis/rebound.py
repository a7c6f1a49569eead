"""The numbers that a function gives to names between its nests."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looptx.model.trees import walk
from looptx.model.types import ScalarType, of_int

_TYPES = {bool: "bool", float: "float64"}


def literals(tree: ast.AST, behind: int, before: int) -> dict[str, ScalarType]:
    """The types of names that are given literals, in whatever case that is.

    Args:
        tree: the function, or the module that it is in.
        behind, before: the lines between which that is.
    """
    found: dict[str, ScalarType] = {}
    for node in walk(tree):
        if isinstance(node, ast.Assign) and behind < node.lineno < before:
            for target in node.targets:
                found.update(_given(target, node.value))
    return found


def last_line(tree: ast.AST, first: int) -> int:
    """Where statements end that begin in a line.

    Args:
        tree: as of ``literals``. first: the line.
    """
    stmts = (node for node in walk(tree) if isinstance(node, ast.stmt))
    return max((x.end_lineno or first for x in stmts if x.lineno == first), default=0)


def _given(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ScalarType]]:
    """The names of a target that literals are given to, with their types."""
    match target, value:
        case ast.Tuple(targets), ast.Tuple(values) if len(targets) == len(values):
            for one, other in zip(targets, values, strict=True):
                yield from _given(one, other)
        case ast.Name(), ast.UnaryOp(ast.USub() | ast.UAdd(), number):
            yield from _given(target, number)
        case ast.Name(name), ast.Constant(bool() | float() as number):
            yield name, ScalarType(_TYPES[type(number)], weak=True)
        case ast.Name(name), ast.Constant(int() as number):
            yield name, of_int(number)
