"""What a function does with its parameters, as far as that tells their types.

Loops over elements are loops over indices by then.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from looptx.model.types import ArrayType, ScalarType, Type

_OF_ARRAYS = (
    "shape",
    "size",
    "ndim",
    "dtype",
    "copy",
    "ravel",
    "T",
    "flat",
    "sum",
    "mean",
)


@dataclass(frozen=True, slots=True)
class Uses:
    """How names are used.

    Attributes:
        ranks: how many subscripts the arrays have, by name.
        positions: names whose values, or elements, stand in subscripts and ranges.
    """

    ranks: dict[str, int]
    positions: frozenset[str]

    @staticmethod
    def of(function: ast.AST) -> Uses:
        """The uses in a function."""
        ranks: dict[str, int] = {}
        used: set[str] = set()
        feeds: list[tuple[str, set[str]]] = []
        copies: list[tuple[str, str]] = []
        for node in ast.walk(function):
            for name, rank in _arrays(node):
                ranks[name] = max(ranks.get(name, 0), rank)
            match node:
                case ast.Subscript(slice=inside):
                    used |= _names(inside)
                case ast.Call(func=ast.Name(id="range"), args=bounds):
                    used |= {name for bound in bounds for name in _names(bound)}
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    feeds.append((name, _names(value)))
                    copies += ((name, array) for array in _copied(value))
        for copy, array in copies:
            ranks[array] = max(ranks.get(array, 0), ranks.get(copy, 0))
        size = -1
        while size < len(used):
            size = len(used)
            used |= {name for to, names in feeds if to in used for name in names}
        return Uses(ranks, frozenset(used))

    def guessed(
        self, names: Iterable[str], arrays: str, numbers: str
    ) -> dict[str, Type]:
        """Types for names.

        Args:
            names: the parameters.
            arrays: the element type of arrays that hold no positions.
            numbers: the type of numbers that are no positions.
        """
        found: dict[str, Type] = {}
        for name in names:
            position = name in self.positions
            if rank := self.ranks.get(name, 0):
                found[name] = ArrayType("int64" if position else arrays, rank)
            else:
                found[name] = ScalarType("int64" if position else numbers, weak=True)
        return found


def _arrays(node: ast.AST) -> Iterator[tuple[str, int]]:
    """The arrays that an expression or statement uses, and how many axes that takes."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=inside):
            yield name, len(inside.elts) if isinstance(inside, ast.Tuple) else 1
        case ast.Subscript(
            value=ast.Attribute(value=ast.Name(id=name), attr="shape"),
            slice=ast.Constant(value=int(axis)),
        ):
            yield name, max(axis + 1, 1)
        case ast.Assign(
            targets=[ast.Tuple(elts=parts)],
            value=ast.Attribute(value=ast.Name(id=name), attr="shape"),
        ):
            yield name, len(parts)
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in _OF_ARRAYS:
            yield name, 1
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
            yield name, 1


def _copied(node: ast.expr) -> Iterator[str]:
    """The array whose shape the value of an expression has."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="copy")):
            yield name
        case ast.Call(func=ast.Attribute(attr=attr), args=[ast.Name(id=name), *_]):
            if attr.endswith("_like") or attr == "copy":
                yield name


def _names(node: ast.expr) -> set[str]:
    """The names of integers, if the expression is one; not those in calls."""
    match node:
        case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)):
            return {name}
        case ast.BinOp(left=left, right=right, op=op) if not isinstance(op, ast.Div):
            return _names(left) | _names(right)
        case ast.Slice(lower=lower, upper=upper):
            return {name for end in (lower, upper) if end for name in _names(end)}
        case ast.Tuple(elts=parts):
            return {name for part in parts for name in _names(part)}
    return set()
