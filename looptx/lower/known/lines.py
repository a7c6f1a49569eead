"""Integers that are sums of the variables of loops, and what they are at least.

``while j >= 0 and a[j] > key: ...; j -= 1`` leaves ``j`` at most what it was in front,
and at least 0 until it is counted on. (Induction variables beyond those of loops with a
count: Gerlek, Stoltz, Wolfe, TOPLAS 1995.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from looptx.lower.tree import (
    Assign,
    Block,
    Expr,
    For,
    ParallelFor,
    While,
    assignments,
    loops,
    statements,
    variable,
)
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
from looptx.model.records import dataclass, field, replace
from looptx.model.shapes import is_extent

_FEW = 8
"""Loops of so many rounds at most are parts of what is around them."""

_MOST = 4
"""Ways to bound an integer that are looked at."""

_WHOLE = frozenset(INTEGERS) - {"uint64"}

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}

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


def is_short(loop: For | ParallelFor) -> bool:
    """Whether a loop has a few rounds, and the source says how many."""
    start, stop = (
        x.index
        if x.op == "index"
        else Const(x.number)
        if isinstance(x.number, int)
        else None
        for x in (loop.start, loop.stop)
    )
    if not isinstance(start, Const) or not isinstance(stop, Const):
        return False
    return loop.step is None and stop.value - start.value <= _FEW


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

    def within(self, more: Iterable[Rounds]) -> Lines:
        """What is known where some variables have rounds, too.

        Args:
            more: the rounds.
        """
        return replace(self, loops=(*self.loops, *more))

    def without(self, names: frozenset[str]) -> Lines:
        """What is known where some variables may be anything.

        Args:
            names: the variables.
        """
        known = {
            name: one
            for name, one in self.known.items()
            if name not in names and names.isdisjoint(variables(one))
        }
        own = (
            one
            for one in self.loops
            if one.variable not in names
            and all(names.isdisjoint(variables(x)) for x in (*one.first, *one.last))
        )
        return Lines(self.changed, (*own,), known)

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


@dataclass(frozen=True, slots=True)
class Count:
    """A variable that a loop only counts up, or down.

    Attributes:
        name: of it. up: whether it is counted up.
        step: the most that it is counted on, negative for down; None if not known.
        begin: what it is in front of the loop.
        end: what a test in front of each round says: not beyond that.
        new: the variables that the loop gives values.
    """

    name: str
    up: bool
    step: int | None
    begin: IntExpr | None
    new: frozenset[str]
    end: IntExpr | None = None

    @property
    def rounds(self) -> Rounds:
        """What it is until it is counted on."""
        return self._between(self.end)

    def left(self, sure: Callable[[IntExpr], bool]) -> Rounds:
        """What it is behind the loop.

        Args:
            sure: whether an integer is never negative.
        """
        if self.begin is None or self.end is None or self.step is None:
            return self._between(None)
        last = add(self.end, Const(self.step))
        ahead = sub(last, self.begin)
        # A loop that never runs may begin beyond its end.
        return self._between(last if sure(self._up(ahead)) else None)

    def _up(self, expr: IntExpr) -> IntExpr:
        return expr if self.up else neg(expr)

    def _between(self, end: IntExpr | None) -> Rounds:
        ends = tuple(() if x is None else (x,) for x in (self.begin, end))
        low, high = ends if self.up else ends[::-1]
        return Rounds(self.name, low, high)


def counting(loop: While, lines: Lines) -> dict[str, Count]:
    """The variables that a loop counts, by name.

    Args:
        loop: it. lines: what integers are in front of it.
    """
    new = changed((loop,))
    steps: dict[str, list[int]] = {one.var: [0] for one in loops(loop.body)}
    for line in assignments((*loop.body, *loop.orelse)):
        if line.target.op == "name":
            steps.setdefault(line.target.name, []).append(_step(line))
    inner = (x for x in statements(loop.body) if isinstance(x, For | While))
    often = changed((*inner,))
    found = {}
    for name, own in steps.items():
        if all(x > 0 for x in own) or all(x < 0 for x in own):
            begin = lines.of(variable(name))
            if begin is not None and not new.isdisjoint(variables(begin)):
                begin = None
            step = sum(own) if name not in often else None
            found[name] = Count(name, own[0] > 0, step, begin, new)
    return found


def _step(line: Assign) -> int:
    """What an assignment adds to its target, an integer of Python; 0 for any other."""
    step = line.value.number
    if not line.target.kind.weak or line.target.kind.dtype != "int64":
        return 0
    if line.op not in ("+", "-") or not isinstance(step, int):
        return 0
    return step if line.op == "+" else -step


def tested(cond: Expr, counts: Mapping[str, Count], lines: Lines) -> dict[str, Count]:
    """The variables that a loop counts, where a condition holds.

    Args:
        cond: it, asked in front of each round.
        counts: the variables, by name. lines: what integers are in the loop.
    """
    found = {**counts}
    if cond.op not in _TURNED:
        return found
    for op, (one, other) in (
        (cond.op, cond.parts),
        (_TURNED[cond.op], cond.parts[::-1]),
    ):
        own = found.get(one.name) if one.op == "name" else None
        if own is None or own.end is not None or (op in ("<", "<=")) != own.up:
            continue
        end = lines.of(other)
        if end is not None and own.new.isdisjoint(variables(end)):
            beyond = {"<": -1, ">": 1}.get(op, 0)
            found[own.name] = replace(own, end=add(end, Const(beyond)))
    return found
