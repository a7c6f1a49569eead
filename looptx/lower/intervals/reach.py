"""Intervals of loops and arguments, known on entry, and what must be within limits."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping

from looptx.lower.intervals.typed import Looks
from looptx.lower.kinds import INT, RANGES
from looptx.lower.limits import RUNS, SIZES
from looptx.lower.scope import Scope
from looptx.model.expr import IntExpr, Start, Var, neg
from looptx.model.expr.measure import interpreted
from looptx.model.intervals.symbolic import (
    ANY,
    TRUTH,
    ZERO,
    Interval,
    UpperBound,
    constant,
    exactly,
    leaf,
    within,
)
from looptx.model.records import dataclass
from looptx.model.shapes import is_extent
from looptx.model.trees import walk
from looptx.model.types import HELD, ArrayType, ScalarType

_MOST = SIZES - 1
"""What the entry lets sizes and the bounds of loops be at most."""

_PLACE = within(-_MOST, _MOST)
_HELD = within(-HELD, HELD)


class Reach:
    """The bounds of the integers that a nest starts from.

    Args:
        scope: the nest.
        loops: the bounds of loop variables, by name.

    Attributes:
        measured: whether the entry looks for the range of integer arrays, which takes
            as long as they are.
        rounds: how often a ``while`` runs that nothing else is known of.
        waits: whether there is one.
        tested: whether what tests say counts.
        named: the scalars that a statement is known to bind, by its name.
        looks: what its expressions are, likewise: the same in all rounds.
    """

    def __init__(self, scope: Scope, loops: Mapping[str, Interval]) -> None:
        self.scope = scope
        self.measured = False
        self.rounds = constant(RUNS)
        self.waits = False
        self.tested = True
        self.loops = dict(loops)
        self.trips: dict[str, UpperBound] = {}
        self.named: dict[str, set[str]] = {}
        self.looks: defaultdict[str, Looks] = defaultdict(dict)
        self._wholes: dict[ast.AugAssign, ast.expr] = {}

    @staticmethod
    def of_source(scope: Scope) -> Reach:
        """The loops of the source, and the coordinates in buffers."""
        nest = scope.planned.nest
        places = [place for one in nest.statements.values() for place in one.places]
        reach = Reach(scope, dict.fromkeys(places, _PLACE))
        lines = (line for one in scope.statements for line in one.code)
        reach.waits = any(
            isinstance(x, ast.While) for line in lines for x in walk(line)
        )
        for loop in nest.loops.values():
            start, stop = reach.of(loop.start), reach.of(loop.stop)
            reach.loops[loop.id] = between(start, stop, loop.step)
            reach.trips[loop.id] = trips(start, stop, loop.step)
        return reach

    def whole(self, node: ast.AugAssign) -> ast.expr:
        """What it assigns: always the same tree."""
        return self._wholes.setdefault(
            node, ast.BinOp(node.target, node.op, node.value)
        )

    def runs(self, loops: tuple[str, ...]) -> UpperBound:
        """How often a statement in these loops runs at most."""
        count = constant(1)
        for loop in loops:
            count = count * self.trips[loop]
        return count.minimum(constant(RUNS))

    def outside(self, name: str) -> Interval:
        """A number that the nest reads: an int, or a bool."""
        kind = self.scope.types.get(name)
        if isinstance(kind, ArrayType):
            truth = TRUTH if kind.holders else ZERO
            return _HELD if INT in kind.members else truth
        if not isinstance(kind, ScalarType) or not kind.weak:
            return ZERO
        if kind.dtype == "bool":
            return TRUTH
        held = self.scope.kinds.get(name)
        if held is not None and held.is_complex:
            # C has it as a complex number, which is neither above nor below another.
            low, high = RANGES[INT.dtype]
            return Interval(constant(-low), constant(high))
        return self._entry(name) if kind == INT else ZERO

    def _entry(self, name: str) -> Interval:
        """An integer parameter, or another integer known at the entry."""
        scope = self.scope
        kind = scope.types.get(name)
        least, most = -_MOST, _MOST
        known = name in scope.planned.nest.parameters or name in scope.checks.sizes
        if isinstance(kind, ScalarType) and not known:
            least, most = RANGES.get(kind.dtype, (0, 1))
        elif is_extent(name):
            least = 0
        value = Var(name)
        down = leaf(neg(value), -least) if least else ZERO.down
        return Interval(down, leaf(value, most))

    def of(self, expr: IntExpr) -> Interval:
        """An expression over loops of the source and parameters."""
        return interpreted(expr, exactly, self._leaf)

    def _leaf(self, name: Var | Start) -> Interval:
        if isinstance(name, Start):
            # It is one of the values that the loop takes.
            return Reach.of_source(self.scope).loops.get(name.loop, ANY)
        return self.loops.get(name.name) or self._entry(name.name)


def between(start: Interval, stop: Interval, step: int | None) -> Interval:
    """What the variable of a loop may be; ``step`` is None when it is not known."""
    if step is None:
        return start.join(stop)
    low, high = (start, stop) if step > 0 else (stop, start)
    return Interval(low.down, high.up)


def trips(start: Interval, stop: Interval, step: int | None) -> UpperBound:
    """How many iterations a loop has at most."""
    up = stop.up + start.down
    down = start.up + stop.down
    if step is None:
        return up.maximum(down)
    return (up if step > 0 else down).over(abs(step))


@dataclass(frozen=True, slots=True)
class Demand:
    """A magnitude that must not exceed a limit for ``node`` to be right in C."""

    size: UpperBound
    limit: int
    node: ast.expr

    @property
    def is_hopeless(self) -> bool:
        """Whether it may exceed the limit, whatever the entry tests."""
        most = self.size.most
        return most is None or (self.size.constant and most > self.limit)
