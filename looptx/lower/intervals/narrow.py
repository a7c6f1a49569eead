"""Python ints whose range fits into a smaller type, whatever a nest is entered with."""

from __future__ import annotations

import ast

from looptx.lower.intervals.ranges import Ranges
from looptx.lower.intervals.reach import Reach
from looptx.lower.intervals.recurrences import solve
from looptx.lower.scope import Scope
from looptx.model.intervals.symbolic import Interval
from looptx.model.program import Statement
from looptx.model.records import dataclass, field


@dataclass(slots=True)
class Narrow:
    """Asks for the ranges of a nest, once they are needed.

    Attributes:
        scope: the nest; its scalars' kinds are known.
    """

    scope: Scope
    _found: tuple[Reach, dict[str, Interval]] | None = field(default=None)

    def fits(
        self, statement: Statement, node: ast.expr, limits: tuple[int, int]
    ) -> bool:
        """Whether an expression that is a Python int never leaves some limits.

        Args:
            statement: where it is.
            node: the expression.
            limits: the least and the greatest number it may be.
        """
        if self._found is None:
            reach = Reach.of_source(self.scope)
            self._found = reach, solve(self.scope, reach)
        reach, scalars = self._found
        # More is known of expressions by now.
        reach.looks.clear()
        bound = Ranges(self.scope, reach, scalars, statement).of(node)
        low, high = limits
        down, up = bound.down.most, bound.up.most
        return down is not None and up is not None and down <= -low and up <= high
