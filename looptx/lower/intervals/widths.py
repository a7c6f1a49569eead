"""Whether the arithmetic of generated loops stays within 64 bits.

The entry keeps sizes and parameters below a limit; what a schedule makes of them
(tiles, skewed bounds, subscripts in new loops) is proven to stay within 64 bits for all
of these, so that loops need no test of their own. What is a product of sizes (the count
of collapsed loops) is tested by the entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from looptx.looptree.nodes import Block, Call, For, If, Let
from looptx.lower import advice
from looptx.lower.intervals.reach import Reach, between
from looptx.lower.kinds import fail
from looptx.lower.limits import WORD
from looptx.lower.scope import Scope
from looptx.model.expr import (
    And,
    Compare,
    Cond,
    Const,
    IntExpr,
    Not,
    Or,
    add,
)
from looptx.model.intervals.symbolic import Interval


def check_widths(scope: Scope, block: Block) -> None:
    """See that no integer of the loops, or of the tests of the entry, is too large.

    What is not proven goes to ``scope.wide``.

    Raises:
        Unsupported: LX504 where there is no bound.
    """
    planned = scope.planned
    outside = Reach(scope, {})
    tests = planned.inside(), *planned.schedule.assumes, *scope.checks.conditions
    for expr in terms(And(tests)):
        _check(scope, outside.of(expr), "a test of the entry")
    for final in planned.finals:
        for _, value in final.cases:
            _check(scope, outside.of(value), f"the last value of `{final.var}`")
    _block(scope, block, {})


def _block(scope: Scope, block: Block, outer: Mapping[str, Interval]) -> None:
    reach = Reach(scope, outer)
    for node in block:
        match node:
            case For(var, start, stop, step, body):
                # A C loop leaves its variable a step behind its end.
                for end in (start, add(stop, Const(step))):
                    _check(scope, reach.of(end), f"the loop `{var}`")
                ends = reach.of(start), reach.of(stop)
                _block(scope, body, {**reach.loops, var: between(*ends, step)})
            case If(cond, body):
                for expr in terms(cond):
                    _check(scope, reach.of(expr), "a condition of the loops")
                _block(scope, body, reach.loops)
            case Let(var, value):
                reach.loops[var] = reach.of(value)
                _check(scope, reach.loops[var], f"`{var}`")
            case Call():
                _call(scope, node, reach)


def _call(scope: Scope, call: Call, reach: Reach) -> None:
    """The values of the loops of an instance, and its subscripts."""
    own = {loop: reach.of(value) for loop, value in call.index.items()}
    for loop, bound in own.items():
        _check(scope, bound, f"`{loop.partition('#')[0]}`")
    inside = Reach(scope, own)
    for access in scope.planned.nest.statements[call.statement].accesses:
        for subscript in access.subscripts:
            if subscript is not None:
                _check(scope, inside.of(subscript), f"a subscript of `{access.array}`")


def terms(cond: Cond) -> Iterator[IntExpr]:
    """The two sides of every comparison in a condition."""
    match cond:
        case Compare(_, left, right):
            yield left
            yield right
        case And(args) | Or(args):
            for arg in args:
                yield from terms(arg)
        case Not(arg):
            yield from terms(arg)


def _check(scope: Scope, bound: Interval, what: str) -> None:
    reach = bound.reach
    if reach.most is None or (reach.constant and reach.most > WORD):
        fail(f"{what} may outgrow 64 bits", hint=advice.SMALL)
    if reach.most > WORD:
        scope.wide.append(reach)
