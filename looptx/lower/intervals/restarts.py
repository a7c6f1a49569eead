"""Operations that may outgrow 64 bits, where the loops as written may start again.

A nest that writes nothing that it reads can leave off anywhere: Python starts it anew,
with integers as large as they get. So what has no bound is computed, and looked at.
"""

from __future__ import annotations

import ast

from looptx.lower.intervals.ranges import Demand, Ranges
from looptx.lower.intervals.reach import Reach
from looptx.lower.intervals.recurrences import bindings, solve
from looptx.lower.limits import WORD
from looptx.lower.scope import Scope
from looptx.lower.values.expressions import OVERFLOWS
from looptx.model.trees import form

_MOST = 3
"""How often what is left is looked for, once some operations have bounds."""


def let_start_again(scope: Scope) -> None:
    """Find the operations whose results are looked at, for ``scope.checks.again``.

    Args:
        scope: the nest; its scalars' kinds are known.
    """
    loops = (ast.For, ast.While)
    nodes = (x for one in scope.statements for line in one.code for x in ast.walk(line))
    if not (any(isinstance(x, loops) for x in nodes) and scope.again):
        return
    for _ in range(_MOST):
        before = len(scope.checks.again)
        _look(scope, Reach.of_source(scope))
        if len(scope.checks.again) == before:
            return


def _look(scope: Scope, reach: Reach) -> None:
    scalars = solve(scope, reach)
    for statement in scope.statements:
        ranges = Ranges(scope, reach, scalars, statement)
        for _ in bindings(ranges, statement):
            pass
        for demand in ranges.demands:
            if _is_unbounded(demand) and ranges.is_plain(demand.node):
                scope.checks.again.add((statement.name, form(demand.node)))


def _is_unbounded(demand: Demand) -> bool:
    """Whether nothing can be tested at the entry that would bound a sum or product."""
    match demand.node:
        case ast.BinOp(_, op, _) if type(op) in OVERFLOWS:
            size = demand.size
            beyond = size.most is None or (size.constant and size.most > demand.limit)
            return beyond and demand.limit == WORD
    return False
