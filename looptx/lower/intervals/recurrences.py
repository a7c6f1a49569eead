"""Ranges of the Python ints that a nest assigns, by descending iteration.

A scalar is given values of expressions, other scalars, and itself or another and a step
more. So it holds the value of some expression and steps after it: at most as many of
each as its statement runs. Bounds are found from none at all in rounds that only narrow
them, so that those of every round are right (Cousot, Cousot, POPL 1977: from above).
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from looptx.errors import LooptxError
from looptx.lower.intervals.ranges import Ranges
from looptx.lower.intervals.reach import Reach, between, trips
from looptx.lower.kinds import INT
from looptx.lower.limits import RUNS
from looptx.lower.scope import Scope
from looptx.model.intervals.symbolic import (
    ANY,
    ZERO,
    Interval,
    UpperBound,
    constant,
)
from looptx.model.program import Statement


@dataclass(frozen=True, slots=True)
class Binding:
    """A scalar is given a value.

    Attributes:
        name: of the scalar.
        node: the expression; None for the variable of an inner loop.
        bound: of the value.
        runs: how often this happens at most.
    """

    name: str
    node: ast.expr | None
    bound: Interval
    runs: UpperBound


@dataclass(frozen=True, slots=True)
class Given:
    """What a value may be: ``base``, or one of ``sources`` and ``step`` more."""

    base: Interval | None = None
    step: Interval = ZERO
    sources: frozenset[str] = frozenset()


def solve(scope: Scope, reach: Reach) -> dict[str, Interval]:
    """The bounds of the scalars of a nest that may be Python ints."""
    scalars = {
        name: ANY
        for name in scope.planned.nest.scalars
        if name in scope.kinds and INT in scope.kinds[name].members
    }
    before = -1
    while before < (known := _known(scalars)):
        before = known
        scalars.update(_round(scope, reach, scalars))
    return scalars


def _known(scalars: Mapping[str, Interval]) -> int:
    ends = [end for one in scalars.values() for end in (one.down, one.up)]
    return sum(end.most is not None for end in ends)


def _round(
    scope: Scope, reach: Reach, scalars: Mapping[str, Interval]
) -> dict[str, Interval]:
    """New bounds of the scalars without any, from the bounds so far."""
    unknown = {name for name, bound in scalars.items() if not bound.closed}
    base = {name: reach.outside(name) for name in unknown}
    steps = dict.fromkeys(unknown, ZERO)
    sources = {name: {name} for name in unknown}
    for statement in scope.statements:
        ranges = Ranges(scope, reach, scalars, statement)
        for binding in bindings(ranges, statement):
            if binding.name not in unknown:
                continue
            given = Given(binding.bound)
            if binding.node is not None and not binding.bound.closed:
                given = _given(binding.node, ranges, unknown)
            if given.base is not None:
                base[binding.name] = base[binding.name].join(given.base)
            step = Interval(
                binding.runs * given.step.down,
                binding.runs * given.step.up,
            )
            steps[binding.name] += step
            sources[binding.name] |= given.sources
    found = {}
    for name in unknown:
        whence = sorted(_closure(name, sources))
        bases = reduce(Interval.join, (base[source] for source in whence))
        found[name] = reduce(operator.add, (steps[one] for one in whence), bases)
    return found


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
    match node:
        case ast.Name(id=name) if name in unknown:
            return Given(sources=frozenset((name,)))
        case ast.IfExp(_, body, orelse):
            return _either([body, orelse], ranges, unknown)
        case ast.BoolOp(_, values) | ast.Call(ast.Name("min" | "max"), values):
            return _either(values, ranges, unknown)
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
                return Given(base, given.step + more, given.sources)
    return Given(ranges.of(node))


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
            case ast.AugAssign(target, op, value):
                whole = ast.BinOp(target, op, value)
                yield from _assigned(ranges, target, whole, runs)
            case ast.If(test, body, orelse):
                ranges.condition(test)
                yield from _block(ranges, body, runs)
                yield from _block(ranges, orelse, runs)
            case ast.For(ast.Name(id=name), ast.Call(args=args), body):
                yield from _loop(ranges, name, args, body, runs)


def _assigned(
    ranges: Ranges, target: ast.expr, value: ast.expr, runs: UpperBound
) -> Iterator[Binding]:
    match target, value:
        case ((ast.Tuple(elts) | ast.List(elts)), (ast.Tuple(parts) | ast.List(parts))):
            for one, part in zip(elts, parts, strict=True):
                yield from _assigned(ranges, one, part, runs)
        case ast.Name(id=name), _:
            bound = ranges.of(value)
            kind = ranges.scope.kinds.get(name)
            if kind is not None and kind.dtype != INT.dtype:
                ranges.exact(value, kind.dtype)
            if ranges.is_int(value):
                yield Binding(name, value, bound, runs)
        case ast.Subscript(), _:
            ranges.of(value)
            dtype = ranges.cell(target)
            # A double takes any Python int as Python rounds it, a float in two steps.
            ranges.exact(value, dtype if dtype == "float32" else "")


def _loop(
    ranges: Ranges,
    name: str,
    args: Sequence[ast.expr],
    body: Sequence[ast.stmt],
    runs: UpperBound,
) -> Iterator[Binding]:
    """A loop whose bounds depend on data."""
    bounds = [ranges.limit(arg) for arg in args]
    start, stop = (ZERO, bounds[0]) if len(args) == 1 else (bounds[0], bounds[1])
    step = bounds[2].number if len(args) == 3 else 1
    yield Binding(name, None, between(start, stop, step), runs)
    count = runs * trips(start, stop, step)
    yield from _block(ranges, body, count.minimum(constant(RUNS)))
