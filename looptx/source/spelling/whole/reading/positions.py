"""Subscripts that are integers, or numbers of which native code sees the type."""

from __future__ import annotations

import ast
from contextlib import suppress

from looptx.source.ast_tools import walked
from looptx.source.kinds.integers import Kinds
from looptx.source.names.subscripts import may_be_number
from looptx.source.spelling.whole.reading.axes import Ranks, Unlike
from looptx.source.spelling.whole.reading.extents import Extents


class Positions:
    """Tells subscripts that select one position.

    Args:
        kinds: of the names of a function. ranks: of its arrays.
        told: whether it is known which of its arguments are arrays.
    """

    def __init__(self, kinds: Kinds, ranks: Ranks, *, told: bool) -> None:
        self.kinds = kinds
        self.told = told
        self._extents = Extents(kinds.scope, ranks, "")

    def is_one(self, index: ast.expr) -> bool:
        """Whether a subscript is one: a mask of which nothing is known is none."""
        if self.kinds.is_integer(index, self.kinds.everywhere):
            return True
        bindings = self.kinds.scope.bindings
        names = {x.id for x in walked(index) if isinstance(x, ast.Name)}
        ways = (way for name in names for way in bindings.get(name, ()))
        known = self.told or all(way.kind != "arg" for way in ways)
        return known and may_be_number(index) and self._is_number(index)

    def _is_number(self, node: ast.expr) -> bool:
        """Whether an expression is made of no arrays, as far as is known."""
        if self.kinds.is_integer(node, self.kinds.everywhere):
            return True
        match node:
            case ast.BinOp(left, ast.Mod() | ast.FloorDiv(), right):
                return self._is_number(left) and self._is_number(right)
        with suppress(Unlike):
            return not self._extents.of(node)
        return False
