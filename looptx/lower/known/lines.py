"""Integers that are sums of the variables of loops, and what they are at least."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from looptx.lower.tree import Block, Expr, assignments, loops
from looptx.model.dtypes import INTEGERS
from looptx.model.expr import (
    Const,
    IntExpr,
    Max,
    Min,
    Var,
    add,
    floordiv,
    linear,
    mul,
    neg,
    sub,
    substitute,
    variables,
)
from looptx.model.records import dataclass, field
from looptx.model.shapes import is_extent

_MOST = 4
"""Ways to bound an integer that are looked at."""

_WHOLE = frozenset(INTEGERS) - {"uint64"}

_LARGE = 1 << 16
"""No factor is as large: products of sizes with it fit into 64 bits."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """The rounds of a loop.

    Attributes:
        variable: of it.
        first, last: what it is at least and at most, each by any of several integers.
    """

    variable: str
    first: tuple[IntExpr, ...]
    last: tuple[IntExpr, ...]


def rounds(variable: str, start: IntExpr, stop: IntExpr) -> Rounds:
    """The rounds of a loop from one integer to another.

    Args:
        variable: of it. start, stop: of its range.
    """
    first = start.args if isinstance(start, Max) else (start,)
    last = stop.args if isinstance(stop, Min) else (stop,)
    return Rounds(variable, (*first,), tuple(sub(one, Const(1)) for one in last))


def changed(block: Block) -> frozenset[str]:
    """The variables that statements give values."""
    names = {one.target.name for one in assignments(block) if one.target.op == "name"}
    return frozenset(names) | {loop.var for loop in loops(block)}


@dataclass(slots=True)
class Lines:
    """What integers are, where an expression stands in some loops.

    Attributes:
        changed: the variables that get values in the loops, and these themselves.
        loops: their rounds, the inner ones last.
        known: what variables among the changed ones are, made of all others.
    """

    changed: frozenset[str]
    loops: tuple[Rounds, ...] = ()
    known: dict[str, IntExpr] = field(default_factory=dict)

    def of(self, expr: Expr) -> IntExpr | None:
        """An integer as a sum; None for another one."""
        if expr.kind.dtype not in _WHOLE or expr.lanes > 1:
            return None
        match expr:
            case Expr("number", number=int() as number):
                return Const(int(number))
            case Expr("name", name=name):
                return self._put(Var(name))
            case Expr("index", index=index) if isinstance(index, IntExpr):
                return self._put(index)
            case Expr("cast", name="int64_t" | "Py_ssize_t", parts=(part,)):
                return self.of(part)
        if expr.kind.dtype != "int64" or expr.op not in ("+", "-", "*", "neg"):
            return None
        parts = [self.of(part) for part in expr.parts]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        if expr.op == "neg":
            return neg(known[0])
        one, two = known
        if expr.op == "*":
            constant = isinstance(one, Const) or isinstance(two, Const)
            return mul(one, two) if constant else None
        return add(one, two) if expr.op == "+" else sub(one, two)

    def _put(self, index: IntExpr) -> IntExpr | None:
        names = {name for name in variables(index) if not is_extent(name)}
        fixed = {one.variable for one in self.loops}
        if names & self.changed - self.known.keys() - fixed:
            return None
        return substitute(index, self.known)

    def least(self, expr: IntExpr, kept: str = "") -> Iterator[IntExpr]:
        """What an integer is not less than, by what is the same in all rounds.

        Args:
            expr: the integer. kept: the variable of a loop that may stay in it.
        """
        ways = [expr]
        for loop in reversed(self.loops):
            if loop.variable != kept:
                ways = [*islice(_without(loop, ways), _MOST)]
        for way in ways:
            terms, _ = linear(way)
            plain = all(isinstance(term, Var) for term in terms)
            small = all(abs(factor) < _LARGE for factor in terms.values())
            if plain and small and variables(way).isdisjoint(self.changed - {kept}):
                yield way


def _without(loop: Rounds, ways: Sequence[IntExpr]) -> Iterator[IntExpr]:
    """What integers are at least, without the variable of a loop."""
    variable = Var(loop.variable)
    for way in ways:
        terms, _ = linear(way)
        factor = terms.get(variable, 0)
        others = set().union(*(variables(term) for term in terms if term != variable))
        if loop.variable in others:
            continue
        if factor == 0:
            yield way
        for end in (loop.first if factor > 0 else loop.last) if factor else ():
            yield substitute(way, {loop.variable: end})


def bounds(need: IntExpr, variable: str) -> tuple[IntExpr | None, IntExpr | None]:
    """From where on, and up to where (not included) a sum is not negative.

    Args:
        need: the sum. variable: of which that is asked; it has it, perhaps.
    """
    terms, _ = linear(need)
    factor = terms.get(Var(variable), 0)
    rest = sub(need, mul(Const(factor), Var(variable)))
    if factor > 0:
        return neg(floordiv(rest, Const(factor))), None
    if factor < 0:
        return None, add(floordiv(rest, Const(-factor)), Const(1))
    return None, None


def never_negative(expr: IntExpr) -> bool:
    """Whether an integer is surely not negative: it is a sum of extents."""
    return _has_sign(expr, 1)


def negative(expr: IntExpr) -> bool:
    """Whether an integer is surely negative."""
    return _has_sign(sub(neg(expr), Const(1)), 1)


def _has_sign(expr: IntExpr, sign: int) -> bool:
    terms, constant = linear(expr)
    return constant >= 0 and all(
        isinstance(term, Var) and is_extent(term.name) and factor * sign > 0
        for term, factor in terms.items()
    )
