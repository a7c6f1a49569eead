"""The loops of a statement as functions of its positions in the loops of a schedule."""

from __future__ import annotations

from looptx.model.expr import Const, IntExpr, Var, add, mul, substitute, variables
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

    def __call__(self, expr: IntExpr) -> IntExpr:
        """An expression over positions, each named by ``position``."""
        own = set(self.schedule.nest.statements[self.statement].loops)
        values = {loop: self._value(loop) for loop in variables(expr) & own}
        return substitute(expr, values)

    def _value(self, loop: str) -> IntExpr:
        """A loop's value."""
        index = self.schedule.index[self.statement, loop]
        self.used.update(index.weights)
        steps = [mul(Const(w), Var(position(uid))) for uid, w in index.weights.items()]
        return add(self(index.start), mul(Const(index.step), add(index.offset, *steps)))


def position(uid: int) -> str:
    """What stands for the position in a dimension."""
    return f"@{uid}"
