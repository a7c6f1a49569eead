"""The ends of integers that data decide, exactly, in what the entry of a nest knows.

Each scalar gets an end on both sides, or none, that holds for all values it ever has:
it is assigned numbers that the entry knows ends of, or is no more than other scalars
are which have that end, too, by induction over what was assigned before (intervals as
of Cousot, Cousot, POPL 1977, with the sums of tests between them).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from itertools import islice, product
from typing import TypeAlias

from looptx.errors import LooptxError
from looptx.lower.intervals.facts import Box, Facts, Side, Value, Walk, boxed
from looptx.lower.intervals.indices import elements
from looptx.lower.intervals.reach import Reach
from looptx.lower.intervals.sums import (
    End,
    Known,
    Rational,
    Sum,
    combined,
    every,
    exactly,
    greatest,
    is_short,
    rounded,
    size,
    some,
)
from looptx.lower.kinds import INT, Kind
from looptx.lower.limits import SIZES, WORD
from looptx.lower.scope import Scope, Unknown
from looptx.lower.tree import Expr
from looptx.lower.values.expressions import Expressions
from looptx.model.dtypes import INTEGERS
from looptx.model.expr import IntExpr, Var, linear, variables
from looptx.model.trees import dotted
from looptx.model.types import ScalarType

_MOST = 6
"""Ways to bound a value that are looked at."""

_WHOLE = frozenset(INTEGERS) - {"uint64"}
"""The types of integers that C compares as Python does."""

Bound: TypeAlias = Sum[Known | Side]
"""What an integer is at most, over what the entry knows and the ends of scalars."""


class Ends:
    """The ends of the integers of a nest.

    Args:
        scope: the nest; the kinds of its scalars are known. Names that it gives are not
            kept.

    Attributes:
        at: the statements, with their expressions.
        ends: what the scalars, and their negatives, are at most.
        sizes: the names in what ends are computed with. arrays: those measured for it.
        may_wrap: the operations on integers of NumPy that were looked at, each with
            its statement's expressions, its value, and what holds there.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        nest = scope.planned.nest
        self.at = [
            (one, Expressions(scope, one, one.own_index)) for one in scope.statements
        ]
        self.scalars = {
            name
            for name in nest.scalars
            if name in scope.kinds
            and all(one.dtype in _WHOLE for one in scope.kinds[name].members)
        }
        self._coordinates = {x for one, _ in self.at for x in one.places}
        self.ends: dict[Side, End] = {}
        self.sizes: dict[Expr, frozenset[str]] = {}
        self.arrays: dict[Expr, str] = {}
        self._wholes: dict[ast.AugAssign, ast.expr] = {}
        self._wrapping: set[ast.expr] = set()
        self._kinds: dict[tuple[Expressions, ast.expr], Kind | None] = {}
        self.may_wrap: list[tuple[ast.expr, Expressions, Value, Facts]] = []
        while True:
            self._solve()
            if not self.wrapped(0):
                break

    def _solve(self) -> None:
        """Find the ends of all scalars: from none at all, in rounds."""
        self.ends = {}
        given = self._given()
        while found := self._round(given):
            self.ends |= found
            given = self._given()
        for _ in range(2):
            narrowed = {
                side: self._narrowed(side, ways)
                for side, ways in given.items()
                if side in self.ends
            }
            if narrowed == self.ends:
                break
            self.ends = narrowed
            given = self._given()

    def _given(self) -> dict[Side, list[list[Bound]]]:
        """What bounds each value that a scalar is given, in several ways."""
        self.may_wrap.clear()
        found: dict[Side, list[list[Bound]]] = {
            Side(name, sign): [] for name in self.scalars for sign in (1, -1)
        }
        for name in self.scalars & {*self.scope.planned.nest.live_in}:
            for sign in (1, -1):
                ways = self._outside(Var(name), sign) if self._is_plain(name) else []
                found[Side(name, sign)].append([*ways])
        for _, e in self.at:
            for one in Walk(e, self).block(e.statement.code):
                if one.name in self.scalars:
                    for sign, value in ((1, one.up), (-1, one.down)):
                        ways = self._up(e, value, 1, one.facts) if value else []
                        found[Side(one.name, sign)].append(ways)
        return found

    def _is_plain(self, name: str) -> bool:
        kind = self.scope.types.get(name)
        return isinstance(kind, ScalarType) and kind.dtype == INT.dtype

    def _round(self, all_given: Mapping[Side, list[list[Bound]]]) -> dict[Side, End]:
        """Ends of scalars that follow from those found before."""
        given = {x: ways for x, ways in all_given.items() if x not in self.ends}
        bases: dict[Side, list[End]] = {}
        others: dict[Side, list[list[frozenset[Side]]]] = {}
        for side, bindings in given.items():
            bases[side], others[side] = [], []
            for ways in bindings:
                end = _end(ways)
                if end is not None:
                    bases[side].append(end)
                else:
                    others[side].append([*filter(None, map(_sources, ways))])
        good = {*given}
        while bad := {
            side
            for side in good
            if not all(any(one <= good for one in ways) for ways in others[side])
        }:
            good -= bad
        sources: dict[Side, set[Side]] = {side: set() for side in good}
        for side in good:
            for several in others[side]:
                sources[side] |= next(one for one in several if one <= good)
        found = {}
        for side in good:
            whence, left = {side}, [side]
            while left:
                new = sources[left.pop()] - whence
                whence |= new
                left += new
            ends = [end for one in sorted(whence, key=astuple) for end in bases[one]]
            end = rounded(greatest(ends)) if ends else None
            if end is not None and is_short(end):
                found[side] = end
        return found

    def _narrowed(self, side: Side, bindings: Sequence[list[Bound]]) -> End:
        """An end from those that all scalars have."""
        ends = [_end(ways) for ways in bindings]
        known = [end for end in ends if end is not None]
        end = rounded(greatest(known)) if known and len(known) == len(ends) else None
        return end if end and is_short(end) else self.ends[side]

    def wrapped(self, first: int) -> bool:
        """Whether operations on integers of NumPy may leave their type: of the noted.

        They are no sums any more.
        """
        found = {
            node
            for node, e, value, facts in self.may_wrap[first:]
            if self.span(e, value, facts) is None
        }
        self._wrapping |= found
        return bool(found)

    def whole(self, node: ast.AugAssign) -> ast.expr:
        """What it assigns: always the same tree."""
        return self._wholes.setdefault(
            node, ast.BinOp(node.target, node.op, node.value)
        )

    def of(self, e: Expressions, node: ast.expr, facts: Facts) -> Value | None:
        """An integer as a sum.

        Args:
            e: the expressions of its statement. node: it. facts: what holds there.
        """
        kind = self._kind(e, node)
        if kind is None:
            return None
        if {one.dtype for one in kind.members} == {"bool"}:
            return boxed([exactly(1)], [exactly(0)])
        if node in self._wrapping or any(x.dtype not in _WHOLE for x in kind.members):
            return None
        ends = {x.dtype for x in kind.members if not x.weak}
        if isinstance(node, ast.BinOp | ast.UnaryOp) and ends - {kind.dtype}:
            return None  # Where it wraps around depends on its type.
        box = self._box(e, node, facts)
        if box is not None:
            return box
        value = self._sum(e, node, facts)
        if value and isinstance(node, ast.BinOp | ast.UnaryOp) and not kind.weak:
            self.may_wrap.append((node, e, value, facts))
        return value

    def _kind(self, e: Expressions, node: ast.expr) -> Kind | None:
        """The type of an expression, which is asked for in each round."""
        if (e, node) not in self._kinds:
            try:
                self._kinds[e, node] = e.value(node).kind
            except (LooptxError, Unknown):
                self._kinds[e, node] = None
        return self._kinds[e, node]

    def _sum(self, e: Expressions, node: ast.expr, facts: Facts) -> Value | None:
        """A sum of other integers."""
        exact = e.integer(node)
        if exact is not None:
            terms, constant = linear(exact)
            if not all(isinstance(term, Var) for term in terms):
                return None
            found: dict[str | IntExpr | Box, Rational] = dict(terms.items())
            return Sum(found, constant)
        match node:
            case ast.Name(name) if name in self.scalars:
                return Sum({name: 1})
            case ast.UnaryOp(ast.USub(), operand):
                value = self.of(e, operand, facts)
                return value and value.times(-1)
            case ast.BinOp(left, op, right):
                one, two = self.of(e, left, facts), self.of(e, right, facts)
                if one is not None and two is not None:
                    return combined(op, one, two)
        return None

    def _box(self, e: Expressions, node: ast.expr, facts: Facts) -> Value | None:
        """A value that is no sum: an element, a remainder, one of several."""
        match node:
            case ast.Subscript():
                found = elements(e, node)
                if found is None:
                    return None
                self.arrays |= {found.low: found.array, found.high: found.array}
                high = Known(found.high, found.reach)
                low = Known(found.low, found.reach)
                return boxed([Sum({high: 1})], [Sum({low: -1})])
            case ast.BinOp(_, ast.Mod(), divisor):
                value = self.of(e, divisor, facts)
                if value is None:
                    return None
                ups = [self._up(e, value, sign, facts) for sign in (1, -1)]
                ends = [_end(ways) for ways in ups]
                up, down = (
                    end and greatest([end.more(-1), exactly(0)]) for end in ends
                )
                return boxed([up], [down])
            case ast.Call(function, [_, _, *_] as args, []):
                name = e.scope.full(dotted(function))
                if name not in ("min", "max"):
                    return None
                return self._either(e, args, facts, name)
            case ast.IfExp(_, body, orelse):
                return self._either(e, [body, orelse], facts)
        return None

    def _either(
        self, e: Expressions, nodes: Sequence[ast.expr], facts: Facts, name: str = ""
    ) -> Value | None:
        """One of several integers, or the least or the greatest of them."""
        values = [self.of(e, node, facts) for node in nodes]
        ups, downs = (
            [_end(self._up(e, x, sign, facts)) if x else None for x in values]
            for sign in (1, -1)
        )
        picked = some if name == "min" else every, some if name == "max" else every
        return boxed([picked[0](ups)], [picked[1](downs)])

    def _up(
        self, e: Expressions, value: Value, sign: int, facts: Facts, depth: int = 2
    ) -> list[Bound]:
        """What a value, or its negative, is at most, in several ways."""
        if sign < 0:
            value = value.times(-1)
        ways: list[Bound] = [Sum({}, value.constant)]
        for term, factor in value.terms.items():
            more = self._term(e, term, 1 if factor > 0 else -1, facts, depth)
            times = size(factor)
            pairs = islice(product(ways, more), _MOST)
            ways = [one.plus(two.times(times)) for one, two in pairs]
        return ways

    def _term(
        self,
        e: Expressions,
        term: str | IntExpr | Box,
        sign: int,
        facts: Facts,
        depth: int,
    ) -> list[Bound]:
        if isinstance(term, Box):
            return [_widened(end) for end in (term.up if sign > 0 else term.down)]
        if isinstance(term, str):
            side = Side(term, sign)
            rest = {x: values for x, values in facts.items() if x != side}
            ways = [
                way
                for value in (facts.get(side, ()) if depth else ())
                for way in self._up(e, value, 1, rest, depth - 1)
            ]
            end = self.ends.get(side)
            return [*ways, Sum({side: 1}) if end is None else _widened(end)]
        return self._outside(term, sign)

    def _outside(self, expr: IntExpr, sign: int) -> list[Bound]:
        """What the bounds of loops, and what is known before them, say."""
        loops = self.scope.planned.nest.loops
        terms, constant = linear(expr)
        end: Bound = Sum({}, sign * constant)
        for term, factor in terms.items():
            more = 1 if sign * factor > 0 else -1
            if isinstance(term, Var) and term.name in loops:
                loop = loops[term.name]
                last = loop.step * more > 0
                ways = self._outside(loop.stop if last else loop.start, more)
                ways = [way.more(-1) if last else way for way in ways]
            elif variables(term).isdisjoint((*loops, *self._coordinates)):
                ways = self._entry(term, more)
            else:
                ways = []
            if not ways:
                return []
            end = end.plus(ways[0].times(size(factor)))
        return [end]

    def _entry(self, term: IntExpr, sign: int) -> list[Bound]:
        """A size, or another integer known before the nest."""
        names = frozenset(variables(term))
        most: int | None = SIZES
        if not isinstance(term, Var):
            known = names <= {*self.scope.planned.nest.parameters}
            most = Reach(self.scope, {}).of(term).reach.most if known else None
        if most is None or most > WORD:
            return []
        value = self.scope.integer(term)
        self.sizes[value] = names
        return [Sum({Known(value, most): sign})]

    def span(
        self, e: Expressions, value: Value | None, facts: Facts
    ) -> tuple[End, End] | None:
        """What a value, and its negative, are at most; None if there is no end."""
        if value is None:
            return None
        up, down = (_end(self._up(e, value, sign, facts)) for sign in (1, -1))
        return (up, down) if up and down else None


def _end(ways: Iterable[Bound]) -> End | None:
    """The least of the ends that the entry can compute."""
    found: list[End | None] = []
    for way in ways:
        known = {x: f for x, f in way.terms.items() if isinstance(x, Known)}
        if len(known) == len(way.terms):
            found.append(rounded(Sum(known, way.constant)))
    return some(found[:3])


def _sources(way: Bound) -> frozenset[Side] | None:
    """The scalars whose ends bound a value, if it is no more than they are."""
    sides = frozenset(x for x in way.terms if isinstance(x, Side))
    return sides if len(sides) == len(way.terms) and way.is_mean else None


def _widened(end: End) -> Bound:
    """An end among those that scalars may stand in."""
    terms: dict[Known | Side, Rational] = {x: f for x, f in end.terms.items()}
    return Sum(terms, end.constant)
