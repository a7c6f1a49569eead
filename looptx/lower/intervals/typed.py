"""The kinds of all parts of the expressions of a statement."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.lower.kinds import Kind
from looptx.lower.scope import Scope
from looptx.lower.tree import Expr, Intrinsic, inside
from looptx.lower.values.expressions import Expressions
from looptx.lower.values.folding import python_int
from looptx.lower.values.operators import COMPLEX_POWER
from looptx.model.program import Statement

COMPLEX = Intrinsic(COMPLEX_POWER)


class TypedParts(Expressions):
    """Expressions that remember the kind of every part.

    Args:
        scope: the nest. statement: of which they are.

    Attributes:
        found: the kinds. leaving: the powers of floats that may be complex.
        numbers: the values of parts that are made of numbers alone.
        modular: the operations of which only the lowest bits count; these have none.
    """

    def __init__(self, scope: Scope, statement: Statement) -> None:
        super().__init__(scope, statement, statement.own_index)
        self.found: dict[ast.expr, Kind] = {}
        self.leaving: set[ast.expr] = set()
        self.numbers: dict[ast.expr, int] = {}
        self.modular: set[ast.expr] = set()

    def value(self, node: ast.expr) -> Expr:
        """An expression."""
        value = super().value(node)
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

    def note(self, node: ast.expr, value: Expr) -> None:
        """An element of an array."""
        self.found[node] = value.kind

    def pass_by(self, nodes: Sequence[ast.expr]) -> None:
        """Operations of which only the lowest bits count."""
        self.modular.update(nodes)
