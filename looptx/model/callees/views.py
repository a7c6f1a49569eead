"""Arrays as functions of the user are given them: whole, or rows: ``A[i, :]``."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.model.records import dataclass
from looptx.model.trees import dotted

_ALL = ast.dump(ast.Slice())


@dataclass(frozen=True, slots=True)
class Row:
    """Some of the elements of an array.

    Attributes:
        array: the expression of the array.
        indices: what its first axes are subscripted with; None where all of one remain.
    """

    array: ast.expr
    indices: tuple[ast.expr | None, ...] = ()

    @property
    def name(self) -> str:
        """The (dotted) name of the array."""
        return dotted(self.array)

    @property
    def fixed(self) -> int:
        """How many axes of the array are gone."""
        return sum(1 for one in self.indices if one is not None)

    def axis(self, own: int) -> int:
        """The axis of the array that an axis is."""
        left = [at for at, one in enumerate(self.indices) if one is None]
        return left[own] if own < len(left) else own + self.fixed

    def at(self, places: Sequence[ast.expr]) -> tuple[ast.expr | None, ...]:
        """The subscripts of the array for some of its own."""
        rest = list(places)
        found = [rest.pop(0) if one is None and rest else one for one in self.indices]
        return (*found, *rest)

    def below(self, inner: Row) -> Row:
        """A row of it, which has the same array."""
        whole = ast.Slice()
        found = self.at([whole if one is None else one for one in inner.indices])
        return Row(self.array, tuple(None if one is whole else one for one in found))

    @property
    def head(self) -> ast.expr | None:
        """It as an expression without ``:``, if no axis is gone behind one that is."""
        first = self.indices[: self.fixed]
        return None if None in first else Row(self.array, first).node

    @property
    def node(self) -> ast.expr:
        """It as an expression."""
        if not self.indices:
            return self.array
        parts = [one or ast.Slice() for one in self.indices]
        place = parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())
        return ast.Subscript(self.array, place, ast.Load())


def row(node: ast.expr) -> Row | None:
    """The array that an expression is, if it has a name, or is a row of one that has.

    ``A[i]`` and ``A[:, j]`` are; a part of a row is none.
    """
    if dotted(node):
        return Row(node)
    if not isinstance(node, ast.Subscript):
        return None
    outer = row(node.value)
    place = node.slice
    parts = place.elts if isinstance(place, ast.Tuple) else [place]
    plain = all(is_whole(one) or _is_index(one) for one in parts)
    if outer is None or not plain or len(parts) > _left(outer):
        return None
    inner = tuple(None if is_whole(one) else one for one in parts)
    return outer.below(Row(outer.array, inner))


def is_whole(node: ast.expr) -> bool:
    """Whether a subscript is ``:``."""
    return isinstance(node, ast.Slice) and ast.dump(node) == _ALL


def _is_index(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    others = ast.Slice | ast.Starred | ast.Compare | ast.List | ast.Tuple | ast.BoolOp
    return not isinstance(node, others)


def _left(outer: Row) -> int:
    """How many subscripts may follow; those of axes that it does not say count, too."""
    return 32 - outer.fixed
