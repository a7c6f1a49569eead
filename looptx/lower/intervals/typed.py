"""The kinds of all parts of the expressions of a statement."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from looptx.lower.kinds import Kind
from looptx.lower.scope import Scope
from looptx.lower.tree import Expr, Intrinsic, inside
from looptx.lower.values.expressions import Expressions
from looptx.lower.values.integers.folding import python_int
from looptx.lower.values.powers import COMPLEX_POWER
from looptx.model.program import Statement

COMPLEX = Intrinsic(COMPLEX_POWER)


Looks: TypeAlias = "dict[tuple[str, ast.expr], tuple[Expr, Sequence[Any]]]"
"""What has been found of expressions that were looked at, by how and which."""


class TypedParts(Expressions):
    """Expressions that remember the kind of every part.

    Args:
        scope: the nest. statement: of which they are.
        looks: of others of the same, which see no more in them.

    Attributes:
        found: the kinds. leaving: the powers of floats that may be complex.
        numbers: the values of parts that are made of numbers alone.
        modular: the operations of which only the lowest bits count; these have none.
    """

    def __init__(self, scope: Scope, statement: Statement, looks: Looks) -> None:
        super().__init__(scope, statement, statement.own_index)
        self._looks = looks
        self._begin()

    def _begin(self) -> None:
        self.found: dict[ast.expr, Kind] = {}
        self.leaving: set[ast.expr] = set()
        self.numbers: dict[ast.expr, int] = {}
        self.modular: set[ast.expr] = set()

    def _parts(self) -> Sequence[Any]:
        return self.found, self.leaving, self.numbers, self.modular

    def look(self, node: ast.expr) -> None:
        """Find the kinds of all parts of an expression."""
        self._looked("wide", node, self.wide)

    def look_if(self, node: ast.expr) -> None:
        """Find those of one of which only the truth counts."""
        self._looked("condition", node, self.condition)

    def cell(self, node: ast.Subscript) -> str:
        """The dtype of a cell that is written, and the kinds of its parts."""
        return self._looked("target", node, self.target).kind.dtype

    def _looked(
        self, how: str, node: ast.expr, look: Callable[[ast.expr], Expr]
    ) -> Expr:
        """What an expression is, which is found out once.

        Args:
            how: it is looked at. node: it. look: finds it out.
        """
        if (how, node) not in self._looks:
            own = self._parts()
            self._begin()
            value = look(node)
            self._looks[how, node] = value, self._parts()
            self.found, self.leaving, self.numbers, self.modular = own
        value, parts = self._looks[how, node]
        for all_parts, more in zip(self._parts(), parts, strict=True):
            all_parts.update(more)
        return value

    def wide(self, node: ast.expr) -> Expr:
        """An expression."""
        value = super().wide(node)
        self.found[node] = value.kind
        number = python_int(value)
        if number is not None:
            self.numbers[node] = number
        power = isinstance(node, ast.Call) or (
            isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
        )
        if power and any(one.intrinsic == COMPLEX for one in inside(value)):
            self.leaving.add(node)
        return value

    def tell(self, node: ast.expr, number: int) -> None:
        """A number that has no value in C."""
        self.numbers[node] = number

    def note(self, node: ast.expr, value: Expr) -> None:
        """An element of an array."""
        self.found[node] = value.kind

    def pass_by(self, nodes: Sequence[ast.expr]) -> None:
        """Operations of which only the lowest bits count."""
        self.modular.update(nodes)
