"""Where native loops may leave off, and the loops as written start again.

They do at a ``raise``, and behind operations that may outgrow 64 bits.

A nest that writes nothing that it reads can leave off anywhere: Python starts it anew,
with integers as large as they get. One that does keeps what the arrays held, and puts
it back first. So what has no bound is computed, and looked at.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from looptx.lower.checks import Checks
from looptx.lower.intervals.ranges import Ranges
from looptx.lower.intervals.reach import Demand, Reach
from looptx.lower.intervals.recurrences import bindings, solve
from looptx.lower.kinds import INT
from looptx.lower.limits import EXACT, WORD
from looptx.lower.scope import Scope
from looptx.lower.tree import Intrinsic
from looptx.lower.values.calls import AGAIN, APART, BEYOND, LEAVE, ROUNDING
from looptx.lower.values.integers.modular import OVERFLOWS
from looptx.lower.values.integers.unsigned import ABOVE
from looptx.lower.values.literals import FITS, HOLDS
from looptx.lower.values.powers import COMPLEX_POWER
from looptx.model.dtypes import INTEGERS
from looptx.model.expr import Const
from looptx.model.program import Nest, Statement
from looptx.model.records import replace
from looptx.model.schedule import in_source_order
from looptx.model.trees import Form, dotted, form, walk

_AFTER = (*OVERFLOWS.values(), COMPLEX_POWER, HOLDS, ABOVE, "gcd_again")

LEAVING = frozenset(
    (
        *(AGAIN, LEAVE, APART, BEYOND, *map(Intrinsic, _AFTER)),
        *(Intrinsic(HOLDS, "uint64"), *(Intrinsic(FITS, x) for x in INTEGERS)),
    )
)
"""What leaves off: after it Python's loops start again."""

_SMALL = 1 << 8
"""A size that most calls have, and arguments: bounds that are too large for them are
none, as those of loops that may have any number of rounds."""

_MOST = 3
"""How often what is left is looked for, once some operations have bounds."""


def let_start_again(scope: Scope) -> None:
    """Find where the loops may leave off, for ``scope.checks.again``.

    Operations whose results are looked at cannot run in another order, and arrays may
    have to be kept. Where a schedule wants one, or arrays would be, nothing is looked
    at that is bounded by what integer arrays hold, which the entry can measure.

    Args:
        scope: the nest; its scalars' kinds are known.
    """
    for statement in scope.statements:
        nodes = (node for line in statement.code for node in walk(line))
        left = (
            form(node) for node in nodes if isinstance(node, ast.Raise | ast.Assert)
        )
        scope.checks.again.update((statement.name, one) for one in left)
    if not _may_outgrow(scope):
        return
    scheduled = not in_source_order(scope.planned.schedule)
    dear = scheduled or bool(scope.changed)
    if dear and not any(_unbounded(scope, measured=True)):
        return
    for _ in range(_MOST):
        found = set(_unbounded(scope))
        if not found:
            return
        scope.checks.again |= found


def guards(statement: Statement, nest: Nest) -> Iterator[tuple[ast.stmt, ast.expr]]:
    """What raises wherever a statement runs, and under which condition it does.

    What loops and branches within it may not come to counts where it always raises, if
    it ever does; and in a loop that is all there is, as there is nothing else to run.

    Args:
        statement, nest: the statement, and the nest that has it.
    """
    around = (nest.loops[one] for one in statement.loops)
    once = all((x.start, x.stop) == (Const(0), Const(1)) for x in around)
    return _guards(statement.code, once and len(nest.statements) == 1)


def _guards(
    code: Sequence[ast.stmt], alone: bool
) -> Iterator[tuple[ast.stmt, ast.expr]]:
    """Those of a block.

    Args:
        code: the block. alone: whether it is all that its nest does.
    """
    for one in code:
        match one:
            case ast.Raise():
                yield one, ast.Constant(True)
            case ast.If(test, [ast.Raise()]):
                yield one, test
            case ast.If(_, body, orelse):
                yield from (
                    x for x in _guards([*body, *orelse], False) if _is_constant(*x)
                )
            case ast.For(body=body) | ast.While(body=body):
                found = _guards(body, False)
                own = (x for x in found if isinstance(x[0], ast.If))
                yield from (x for x in own if alone or _is_constant(*x))


def _is_constant(guard: ast.stmt, test: ast.expr) -> bool:
    """Whether a guard asks for numbers alone.

    Args:
        guard: it. test: its condition.
    """
    calls = {x.func for x in walk(test) if isinstance(x, ast.Call)}
    names = {x for x in walk(test) if isinstance(x, ast.Name | ast.Attribute)}
    return isinstance(guard, ast.If) and names <= calls


def _may_outgrow(scope: Scope) -> bool:
    """Whether a nest computes what Python may have to: more than positions."""
    if any(INT in kind.members for kind in scope.kinds.values()):
        return True
    kept = (ast.For, ast.While, ast.Pow, ast.LShift)
    calls = {*ROUNDING, "pow"}
    nodes = (x for one in scope.statements for line in one.code for x in walk(line))
    return any(
        isinstance(x, kept)
        or (isinstance(x, ast.Call) and scope.full(dotted(x.func)) in calls)
        for x in nodes
    )


def _unbounded(scope: Scope, *, measured: bool = False) -> Iterator[tuple[str, Form]]:
    """The operations whose results nothing bounds: statement, and how it is written.

    An int of a float only counts where something else has no bound: as a subscript it
    may be too large.

    Args:
        scope: the nest. measured: whether the entry measures arrays.
    """
    again = Checks(again=scope.checks.again)
    aside = replace(scope, names=scope.names.copy(), checks=again)
    reach = Reach.of_source(aside)
    reach.measured = measured
    scalars = solve(aside, reach)
    saturated: list[tuple[str, Form]] = []
    counts = False
    for statement in aside.statements:
        ranges = Ranges(aside, reach, scalars, statement)
        for _ in bindings(ranges, statement):
            pass
        saturated += ((statement.name, form(node)) for node in ranges.saturated)
        for demand in ranges.demands:
            size = demand.size.at(_SMALL)
            hopeless = size is None or size > demand.limit
            if not (hopeless and demand.limit in (WORD, EXACT)):
                continue
            counts = True
            if demand.limit == WORD and _is_looked_at(demand, ranges):
                yield statement.name, form(demand.node)
    if counts:
        yield from saturated


def _is_looked_at(demand: Demand, ranges: Ranges) -> bool:
    """Whether native code can tell that a result is too large."""
    match demand.node:
        case ast.BinOp(_, op, _) if type(op) in OVERFLOWS:
            return ranges.is_plain(demand.node) or ranges.leaves(demand.node)
        case ast.Call():
            return demand.node in ranges.saturated or ranges.leaves(demand.node)
    return ranges.leaves(demand.node)
