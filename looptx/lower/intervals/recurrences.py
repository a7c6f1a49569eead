"""Ranges of the Python ints that a nest assigns, by descending iteration.

A scalar is given values of expressions, other scalars, and itself or another and a step
more: it holds that of some expression, and steps after it, of each at most as many as
its statement runs. Bounds are found from none in rounds that only narrow them, so that
those of every round are right (Cousot, Cousot, POPL 1977: from above).
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce

from looptx.errors import LooptxError
from looptx.lower.intervals.implied import implied, kept, within
from looptx.lower.intervals.ranges import BITWISE, Ranges
from looptx.lower.intervals.reach import Reach, between, trips
from looptx.lower.kinds import INT
from looptx.lower.limits import RUNS
from looptx.lower.scope import Scope
from looptx.model.intervals.symbolic import (
    ANY,
    NOTHING,
    TRUTH,
    UNBOUNDED,
    ZERO,
    Interval,
    UpperBound,
    constant,
    exactly,
)
from looptx.model.noted.exchanges import pair_of
from looptx.model.program import Statement
from looptx.model.records import dataclass, replace
from looptx.model.trees import forwards, has_slices, leaves, places_in


@dataclass(frozen=True, slots=True)
class Binding:
    """A scalar is given a value.

    Attributes:
        name: of the scalar.
        node: the expression; None for the variable of an inner loop.
        bound: of the value.
        runs: how often this happens at most.
        of: the list whose elements this one gets, where they exchange names.
    """

    name: str
    node: ast.expr | None
    bound: Interval
    runs: UpperBound
    of: str = ""


@dataclass(frozen=True, slots=True)
class Given:
    """What a value may be: ``base``, or one of ``sources`` and ``step`` more.

    It has bits of several where they are ``mixed``; ``turned`` it is ``step`` less one.
    """

    base: Interval | None = None
    step: Interval = ZERO
    sources: frozenset[str] = frozenset()
    mixed: bool = False
    turned: bool = False


def solve(scope: Scope, reach: Reach) -> dict[str, Interval]:
    """The bounds of the scalars that may be Python ints; all of a list are one."""
    lists = filter(scope.is_listed, scope.planned.nest.host.made)
    kinds, names = scope.kinds, (*scope.planned.nest.scalars, *lists, *scope.held)
    found = {x: ANY for x in names if x in kinds and INT in kinds[x].members}
    for tested in (False, True) if reach.waits else (True,):
        reach.tested, scalars = tested, dict.fromkeys(found, ANY)
        # Time bounds what no test does.
        for reach.rounds in (UNBOUNDED, constant(RUNS)):
            before = -1
            while before < (known := _known(scalars)):
                before = known
                scalars.update(_round(scope, reach, scalars))
        found = {name: one.meet(scalars[name]) for name, one in found.items()}
    return found


def _known(scalars: Mapping[str, Interval]) -> int:
    return sum(end.most is not None for x in scalars.values() for end in (x.down, x.up))


def _round(
    scope: Scope, reach: Reach, scalars: Mapping[str, Interval]
) -> dict[str, Interval]:
    """New bounds of the scalars without any, from the bounds so far."""
    unknown = {name for name, bound in scalars.items() if not bound.closed}
    down, up = (
        _Side(end, {name: end(reach.outside(name)) for name in unknown})
        for end in map(operator.attrgetter, ("down", "up"))
    )
    mixed, turned = set[str](), set[str]()
    for statement in scope.statements:
        if unknown.isdisjoint(reach.named.get(statement.name, unknown)):
            continue
        ranges = Ranges(scope, reach, scalars, statement)
        names = set[str]()
        for binding in bindings(ranges, statement):
            names.add(binding.name)
            if binding.name not in unknown:
                continue
            given = Given(binding.bound)
            if binding.of:
                given = Given(sources=frozenset((binding.of,)))
            elif binding.node is not None and not binding.bound.closed:
                given = _given(binding.node, ranges, unknown)
            for side in (down, up):
                side.note(binding, given)
            if given.mixed:
                mixed.add(binding.name)
            if given.turned:
                turned.add(binding.name)
        reach.named[statement.name] = names
    found = {}
    for name in unknown:
        bound = Interval(down.end_of(name), up.end_of(name))
        whence = down.whence(name) | up.whence(name)
        if not turned.isdisjoint(whence):
            # Each step may go one way or the other.
            bound = Interval(bound.down + bound.up, bound.down + bound.up)
        if not mixed.isdisjoint(whence):
            # All are within a power of two, and so are their bits in any mixture.
            bound = ANY if down.grows(name) or up.grows(name) else bound | bound
        found[name] = scalars[name].meet(bound)
    return found


class _Side:
    """One end of the bounds of scalars in a round.

    Args:
        end: gives it of a bound. base: of what the scalars are before the nest.
    """

    def __init__(
        self, end: Callable[[Interval], UpperBound], base: dict[str, UpperBound]
    ) -> None:
        self.end = end
        self.base = base
        self.steps = dict.fromkeys(base, NOTHING)
        self.sources = {name: {name} for name in base}
        self.turns: dict[str, list[tuple[Interval, UpperBound]]] = {}

    def note(self, binding: Binding, given: Given) -> None:
        """Add what a scalar is given."""
        name, end = binding.name, self.end
        if end(binding.bound).most is not None:
            given = Given(binding.bound)
        if given.base is not None:
            self.base[name] = self.base[name].maximum(end(given.base))
        self.sources[name] |= given.sources
        if given.turned and given.sources == {name}:
            self.turns.setdefault(name, []).append((given.step, binding.runs))
        else:
            self.steps[name] += binding.runs * end(given.step)

    def whence(self, name: str) -> set[str]:
        """The scalars that a scalar has got values of."""
        return _closure(name, self.sources)

    def grows(self, name: str) -> bool:
        """Whether it may be more than the first values of these."""
        return any(
            one in self.turns or self.steps[one].most != 0 for one in self.whence(name)
        )

    def end_of(self, name: str) -> UpperBound:
        """The end of what a scalar may be."""
        whence = sorted(self.whence(name))
        bases = reduce(UpperBound.maximum, (self.base[source] for source in whence))
        steps = (self.steps[one] + self._turned(one) for one in whence)
        return reduce(operator.add, steps, bases)

    def _turned(self, name: str) -> UpperBound:
        """How far a scalar goes that is taken from numbers: round one, only once."""
        turns = self.turns.get(name, [])
        first = next((step for step, _ in turns), ZERO)
        same = all(step == first for step, _ in turns) and first.number is not None
        if same and self.whence(name) == {name}:
            return self.end(first)
        return reduce(operator.add, (n * self.end(x) for x, n in turns), NOTHING)


def _closure(name: str, sources: Mapping[str, set[str]]) -> set[str]:
    """The scalars whose values may come to be those of ``name``."""
    found, left = {name}, [name]
    while left:
        new = sources[left.pop()] - found
        found |= new
        left.extend(new)
    return found


def _given(node: ast.expr, ranges: Ranges, unknown: Container[str]) -> Given:
    """What an expression gives that reads scalars without bounds."""
    if ranges.of(node).closed:
        return Given(ranges.of(node))
    match node:
        case _ if (name := ranges.held(node)) in unknown:
            return Given(sources=frozenset((name,)))
        case _ if values := ranges.alternatives(node):
            return _either(values, ranges, unknown)
        case ast.BinOp(left, op, right) if isinstance(op, BITWISE):
            return replace(_either([left, right], ranges, unknown), mixed=True)
        case ast.UnaryOp(ast.USub(), ast.Name(id=name)) if name in unknown:
            return Given(sources=frozenset((name,)), turned=True)
        case ast.BinOp(left, ast.Sub(), ast.Name(id=name)) if (
            name in unknown and ranges.of(left).closed
        ):
            return Given(None, ranges.of(left), frozenset((name,)), turned=True)
        case ast.BinOp(ast.Name(x), ast.FloorDiv() | ast.RShift(), by) if x in unknown:
            # No further from 0, and on the same side, or -1, unless by a negative one.
            turned = ranges.of(by).down.most != 0
            return Given(ZERO, sources=frozenset((x,)), turned=turned)
        case ast.BinOp(left, ast.Add() | ast.Sub() as op, right):
            sides = [left, right]
            if isinstance(op, ast.Add) and ranges.of(left).closed:
                sides.reverse()
            more = ranges.of(sides[1])
            if more.closed:
                if isinstance(op, ast.Sub):
                    more = -more
                given = _given(sides[0], ranges, unknown)
                base = given.base and given.base + more
                return replace(given, base=base, step=given.step + more)
        case ast.BinOp(_, ast.Mod(), divisor):
            # It lies between 0 and the divisor.
            return _given(divisor, ranges, unknown)
    mean = _mean(node, ranges, unknown)
    if mean is not None and mean.is_one:
        return Given(None, mean.more, frozenset(mean.parts))
    return Given(ranges.of(node))


@dataclass(frozen=True, slots=True)
class _Mean:
    """Parts of scalars, ``more`` added: as much as the largest where they make one."""

    parts: Mapping[str, Fraction]
    more: Interval

    @property
    def is_one(self) -> bool:
        """Whether the parts are no more than the largest of the scalars."""
        parts = [*self.parts.values()]
        return bool(parts) and min(parts) >= 0 and sum(parts) <= 1

    def plus(self, other: _Mean, sign: int) -> _Mean:
        """The sum, or the difference."""
        names = {*self.parts, *other.parts}
        none = Fraction(0)
        parts = {
            x: self.parts.get(x, none) + sign * other.parts.get(x, none) for x in names
        }
        more = self.more + other.more if sign > 0 else self.more - other.more
        return _Mean(parts, more)


def _mean(node: ast.expr, ranges: Ranges, unknown: Container[str]) -> _Mean | None:
    """An expression as parts of scalars without bounds: ``lo + (hi - lo) // 2``."""
    match node:
        case _ if (name := ranges.held(node)) in unknown:
            return _Mean({name: Fraction(1)}, ZERO)
        case ast.BinOp(left, ast.Add() | ast.Sub() as op, right):
            one, two = _mean(left, ranges, unknown), _mean(right, ranges, unknown)
            return one and two and one.plus(two, 1 if isinstance(op, ast.Add) else -1)
        case ast.BinOp(
            left, ast.FloorDiv() | ast.RShift() as op, ast.Constant(int(by))
        ):
            inner = _mean(left, ranges, unknown)
            if inner is None or not 0 < by < 63:
                return None
            by = 1 << by if isinstance(op, ast.RShift) else by
            parts = {name: part / by for name, part in inner.parts.items()}
            # It is rounded down.
            return _Mean(parts, inner.more // exactly(by) - TRUTH)
    bound = ranges.of(node)
    return _Mean({}, bound) if bound.closed else None


def _either(
    nodes: Sequence[ast.expr], ranges: Ranges, unknown: Container[str]
) -> Given:
    """One of several."""
    found = [_given(node, ranges, unknown) for node in nodes]
    bases = [one.base for one in found if one.base is not None]
    return Given(
        reduce(Interval.join, bases) if bases else None,
        reduce(Interval.join, (one.step for one in found)),
        frozenset().union(*(one.sources for one in found)),
        any(one.mixed for one in found),
        any(one.turned for one in found),
    )


def bindings(ranges: Ranges, statement: Statement) -> Iterator[Binding]:
    """What a statement gives to scalars; all its expressions are looked at."""
    try:
        runs = ranges.reach.runs(statement.loops)
        yield from _block(ranges, statement.code, runs)
    except LooptxError as error:
        raise error.at(statement.place) from None


def _block(
    ranges: Ranges, code: Sequence[ast.stmt], runs: UpperBound
) -> Iterator[Binding]:
    """The scalars that statements bind; every expression is looked at."""
    for node in code:
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    yield from _assigned(ranges, target, value, runs)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield from _assigned(ranges, target, value, runs)
            case ast.AugAssign(target):
                yield from _assigned(ranges, target, ranges.reach.whole(node), runs)
            case ast.Expr() if pair := pair_of(node):
                for name, of in (pair, pair[::-1]):
                    yield Binding(name, None, ranges.scalars.get(of, ZERO), runs, of)
            case ast.If(test, body, orelse):
                ranges.condition(test)
                before, other = ranges.here, implied(ranges, test, False)
                ranges.here = within(before, implied(ranges, test, True))
                yield from _block(ranges, body, runs)
                ranges.here = within(before, other)
                yield from _block(ranges, orelse, runs)
                if not leaves(body):
                    ranges.here = kept(before, node)
            case ast.For(ast.Name(id=name), ast.Call() as over, body, orelse):
                ranges.here = before = kept(ranges.here, node)
                yield from _loop(ranges, name, forwards(over), body, runs)
                ranges.here = before
                yield from _block(ranges, orelse, runs)
                ranges.here = before
            case ast.While(test, body, orelse):
                ranges.here = before = kept(ranges.here, node)
                ranges.condition(test)
                ranges.here = within(before, implied(ranges, test, True))
                yield from _block(ranges, body, ranges.reach.rounds)
                ranges.here = before
                yield from _block(ranges, orelse, runs)
                ranges.here = before


def _assigned(
    ranges: Ranges, target: ast.expr, value: ast.expr, runs: UpperBound
) -> Iterator[Binding]:
    match target, value:
        case ((ast.Tuple(elts) | ast.List(elts)), (ast.Tuple(parts) | ast.List(parts))):
            for one, part in zip(elts, parts, strict=True):
                yield from _assigned(ranges, one, part, runs)
        case _ if name := ranges.held(target):
            bound = ranges.of(value)
            if isinstance(target, ast.Subscript):
                ranges.cell(target)
            kind = ranges.scope.kinds.get(name)
            if kind is not None and kind.dtype != INT.dtype:
                ranges.exact(value, kind.dtype)
            if ranges.is_int(value):
                yield Binding(name, value, bound, runs)
            ranges.here = {x: y for x, y in ranges.here.items() if x != name}
        case ast.Subscript(), _ if has_slices(target):
            for place in places_in(value):  # All else is NumPy's loop's.
                ranges.of(place)
        case ast.Subscript(), _:
            ranges.of(value)
            # A double takes any Python int as Python rounds it, a float in two steps.
            ranges.exact(value, "float32" if ranges.cell(target) == "float32" else "")


def _loop(
    ranges: Ranges,
    name: str,
    over: ast.expr,
    body: Sequence[ast.stmt],
    runs: UpperBound,
) -> Iterator[Binding]:
    """A loop whose bounds depend on data."""
    assert isinstance(over, ast.Call)
    args = over.args
    bounds = [ranges.limit(arg) for arg in args]
    start, stop = (ZERO, bounds[0]) if len(args) == 1 else (bounds[0], bounds[1])
    step = bounds[2].number if len(args) == 3 else 1
    yield Binding(name, None, between(start, stop, step), runs)
    count = runs * trips(start, stop, step)
    yield from _block(ranges, body, count.minimum(constant(RUNS)))
