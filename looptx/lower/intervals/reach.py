"""What the loops and the arguments of a nest reach, as magnitudes of the entry."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from looptx.lower import magnitude
from looptx.lower.kinds import FLOAT, INT, RANGES, of
from looptx.lower.limits import RUNS, SIZES
from looptx.lower.magnitude import ANY, TRUTH, ZERO, Bound, Size
from looptx.lower.scope import Scope
from looptx.lower.tree import call
from looptx.model.expr import (
    Add,
    Const,
    FloorDiv,
    IntExpr,
    Max,
    Min,
    Mod,
    Mul,
    Select,
    Start,
    Var,
)
from looptx.model.shapes import is_extent
from looptx.model.types import ScalarType

_MOST = SIZES - 1
"""What the entry lets sizes and the bounds of loops be at most."""

_PLACE = magnitude.within(-_MOST, _MOST)


class Reach:
    """The bounds of the integers that a nest starts from.

    Args:
        scope: the nest.
        loops: the bounds of loop variables, by name.

    Attributes:
        measured: whether the entry looks for the range of integer arrays, which takes
            as long as they are.
    """

    def __init__(self, scope: Scope, loops: Mapping[str, Bound]) -> None:
        self.scope = scope
        self.measured = False
        self.loops = dict(loops)
        self.trips: dict[str, Size] = {}

    @staticmethod
    def of_source(scope: Scope) -> Reach:
        """The loops of the source, and the coordinates in buffers."""
        nest = scope.planned.nest
        places = [place for one in nest.statements.values() for place in one.places]
        reach = Reach(scope, dict.fromkeys(places, _PLACE))
        for loop in nest.loops.values():
            start, stop = reach.of(loop.start), reach.of(loop.stop)
            reach.loops[loop.id] = between(start, stop, loop.step)
            reach.trips[loop.id] = trips(start, stop, loop.step)
        return reach

    def runs(self, loops: tuple[str, ...]) -> Size:
        """How often a statement in these loops runs at most."""
        count = magnitude.constant(1)
        for loop in loops:
            count = magnitude.times(count, self.trips[loop])
        return magnitude.smaller(count, magnitude.constant(RUNS))

    def outside(self, name: str) -> Bound:
        """A number that the nest reads: an int, or a bool."""
        kind = self.scope.types.get(name)
        if not isinstance(kind, ScalarType) or not kind.weak:
            return ZERO
        if kind.dtype == "bool":
            return TRUTH
        return self._entry(name) if kind == INT else ZERO

    def _entry(self, name: str) -> Bound:
        """An integer parameter, or another integer known at the entry."""
        scope = self.scope
        kind = scope.types.get(name)
        least, most = -_MOST, _MOST
        known = name in scope.planned.nest.parameters or name in scope.checks.sizes
        if isinstance(kind, ScalarType) and not known:
            least, most = RANGES.get(kind.dtype, (0, 1))
        elif is_extent(name):
            least = 0
        value = scope.integer(Var(name))
        below, above = (call(f"lx_{w}", of(FLOAT), value) for w in ("below", "above"))
        return Bound(
            magnitude.leaf(below, -least) if least else ZERO.down,
            magnitude.leaf(above, most),
        )

    def of(self, expr: IntExpr) -> Bound:
        """An expression over loops of the source and parameters."""
        match expr:
            case Const(value):
                return magnitude.exactly(value)
            case Var(name):
                return self.loops.get(name) or self._entry(name)
            case Add(terms):
                return reduce(magnitude.added, [self.of(term) for term in terms])
            case Mul(factors):
                parts = [self.of(factor) for factor in factors]
                return reduce(magnitude.multiplied, parts)
            case FloorDiv(left, right):
                divisor = right.value if isinstance(right, Const) else None
                return magnitude.floored(self.of(left), self.of(right), divisor)
            case Mod(_, right):
                divisor = right.value if isinstance(right, Const) else None
                return magnitude.remainder(self.of(right), divisor)
            case Min(args):
                return reduce(magnitude.least, [self.of(arg) for arg in args])
            case Max(args):
                return reduce(magnitude.greatest, [self.of(arg) for arg in args])
            case Select(_, then, other):
                return magnitude.join(self.of(then), self.of(other))
            case Start():
                return ANY


def between(start: Bound, stop: Bound, step: int | None) -> Bound:
    """What the variable of a loop may be; ``step`` is None when it is not known."""
    if step is None:
        return magnitude.join(start, stop)
    low, high = (start, stop) if step > 0 else (stop, start)
    return Bound(low.down, high.up)


def trips(start: Bound, stop: Bound, step: int | None) -> Size:
    """How many iterations a loop has at most."""
    up = magnitude.plus(stop.up, start.down)
    down = magnitude.plus(start.up, stop.down)
    if step is None:
        return magnitude.larger(up, down)
    return magnitude.over(up if step > 0 else down, abs(step))
