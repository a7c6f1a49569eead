"""The loops of a statement as functions of its positions in the loops of a schedule."""

from __future__ import annotations

from looptx.model.dims import shift
from looptx.model.expr import (
    ZERO,
    Const,
    FloorDiv,
    IntExpr,
    Mod,
    Var,
    add,
    floordiv,
    mod,
    mul,
    rewrite,
    with_parts,
)
from looptx.model.expr.terms import walk
from looptx.model.schedule import Schedule


class Inverse:
    """What expressions over a statement's loops are over its positions.

    Args:
        schedule: the schedule.
        statement: the name of the statement.

    Attributes:
        used: the dimensions on which the expressions asked for depend.
    """

    def __init__(self, schedule: Schedule, statement: str) -> None:
        self.schedule = schedule
        self.statement = statement
        self.used: set[int] = set()
        self._dims = {
            own[statement]: uid
            for uid, own in schedule.position.items()
            if statement in own
        }

    def __call__(self, expr: IntExpr) -> IntExpr:
        """An expression over positions, each named by ``position``."""
        known = self._known(expr)
        if known is not None:
            return known
        if not isinstance(expr, Var):
            return rewrite(with_parts(expr, self), {})
        own = self.schedule.nest.statements[self.statement].loops
        return self._value(expr.name) if expr.name in own else expr

    def _known(self, expr: IntExpr) -> IntExpr | None:
        """What is a position itself, or was one that has been split since.

        The block of a term (``k // 64``) depends on one dimension, its loop on several.
        """
        if isinstance(expr, Const | Var):
            return None
        if expr in self._dims:
            self.used.add(self._dims[expr])
            return Var(position(self._dims[expr]))
        for size in self._sizes(expr):
            before = set(self.used)
            block = self._known(floordiv(expr, size))
            rest = self._known(mod(expr, size))
            if block is not None and rest is not None:
                return add(mul(size, block), rest)
            self.used = before
        return None

    def _sizes(self, expr: IntExpr) -> list[IntExpr]:
        """The sizes of the blocks into which a position has been split."""
        made = (node for own in self._dims for node in walk(own))
        found = (
            node.divisor
            for node in made
            if isinstance(node, FloorDiv | Mod) and node.value == expr
        )
        return list(dict.fromkeys(found))

    def _value(self, loop: str) -> IntExpr:
        """A loop's value."""
        index = self.schedule.index[self.statement, loop]
        self.used.update(index.weights)
        steps = [mul(Const(w), Var(position(uid))) for uid, w in index.weights.items()]
        far = mul(Const(index.step), add(index.offset, *steps))
        nest = self.schedule.nest
        phase = shift(nest, loop, index) if loop in nest.loops else ZERO
        return add(self(index.start), far, self(phase))


def position(uid: int) -> str:
    """What stands for the position in a dimension."""
    return f"@{uid}"
