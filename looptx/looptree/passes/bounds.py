"""A small prover of ``expr >= 0`` under the loops and conditions around it.

Used where a generated remainder loop is right only if a count is not negative. It may
fail to see it (the answer False), in which case a ``max`` is printed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from looptx.looptree.nodes import Block, For, Let
from looptx.looptree.walk import bound
from looptx.model.expr import (
    FALSE,
    TRUE,
    And,
    Compare,
    Cond,
    Const,
    IntExpr,
    Max,
    Min,
    Mod,
    Mul,
    Or,
    Var,
    add,
    conj,
    disj,
    interval,
    linear,
    mul,
    negate,
    sub,
    variables,
)
from looptx.model.program import Nest
from looptx.model.records import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class _Range:
    """The values of a loop."""

    var: str
    start: IntExpr
    stop: IntExpr
    step: int


@dataclass(slots=True)
class _Place:
    """The loops around a place, and expressions >= 0.

    Attributes:
        outer: the place around the innermost loop, with the same expressions.
        seen: what was asked here.
    """

    loop: _Range | None
    outer: _Place | None
    positive: tuple[IntExpr, ...]
    seen: dict[IntExpr, bool] = field(default_factory=dict)


_Key: TypeAlias = tuple[tuple[_Range, ...], tuple[IntExpr, ...]]


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known at a place: loops around it, expressions >= 0, conditions.

    Equal places answer once: ``places`` are those of all facts that come of one.
    """

    loops: tuple[_Range, ...] = ()
    positive: tuple[IntExpr, ...] = ()
    known: frozenset[Cond] = frozenset()
    places: dict[_Key, _Place] = field(default_factory=dict, compare=False, repr=False)

    def under(self, loop: For) -> Facts:
        """The facts inside a loop."""
        own = _Range(loop.var, loop.start, loop.stop, loop.step)
        return replace(self, loops=(*self.loops, own))

    def given(self, cond: Cond) -> Facts:
        """The facts where a condition holds."""
        parts = cond.args if isinstance(cond, And) else (cond,)
        positive = (*self.positive, *_known(cond))
        return replace(self, positive=positive, known=self.known | {*parts})

    def behind(self, block: Block) -> Facts:
        """The facts behind the assignments that a block begins with."""
        facts = self
        for at, node in enumerate(block):
            if not isinstance(node, Let):
                break
            changing = bound(block[at + 1 :])
            if not changing.isdisjoint(variables(node.value) | {node.var}):
                continue
            var, known = Var(node.var), facts.positive
            if facts.nonnegative(node.value):
                known = (*known, var)
            differences = sub(var, node.value), sub(node.value, var)
            facts = replace(facts, positive=(*known, *differences))
        return facts

    def nonnegative(self, expr: IntExpr) -> bool:
        """Whether ``expr >= 0`` can be seen to hold here."""
        return _nonnegative(expr, self._place(self.loops))

    def _place(self, loops: tuple[_Range, ...]) -> _Place:
        """The place in some of the loops."""
        key = loops, self.positive
        found = self.places.get(key)
        if found is None:
            outer = self._place(loops[:-1]) if loops else None
            loop = loops[-1] if loops else None
            found = self.places[key] = _Place(loop, outer, self.positive)
        return found

    def holds(self, cond: Cond) -> bool:
        """Whether a condition can be seen to hold here."""
        if cond in self.known:
            return True
        match cond:
            case And(args):
                return all(map(self.holds, args))
            case Or(args):
                return any(map(self.holds, args))
            case Compare("==", left, right):
                ends = sub(left, right), sub(right, left)
                return all(map(self.nonnegative, ends))
            case Compare("!=", left, right):
                return any(
                    self.nonnegative(add(apart, Const(-1)))
                    for apart in (sub(left, right), sub(right, left))
                )
            case Compare():
                return all(map(self.nonnegative, _known(cond)))
        return False

    def under_these(self, cond: Cond) -> Cond:
        """What is left to ask of a condition here."""
        if self.holds(cond):
            return TRUE
        if self.holds(negate(cond)):
            return FALSE
        match cond:
            case And(args):
                return conj(*map(self.under_these, args))
            case Or(args):
                return disj(*map(self.under_these, args))
        return cond


def sizes(nest: Nest) -> Facts:
    """What holds before a nest: a shape or a length is never negative."""
    return Facts(positive=tuple(map(Var, sorted(nest.sizes))))


def _known(cond: Cond) -> Iterator[IntExpr]:
    match cond:
        case And(args):
            for arg in args:
                yield from _known(arg)
        case Compare(">=" | ">" | "==" as op, left, right):
            yield add(sub(left, right), Const(-1 if op == ">" else 0))
        case Compare("<=" | "<" as op, left, right):
            yield add(sub(right, left), Const(-1 if op == "<" else 0))


def _alternatives(expr: IntExpr, upper: bool) -> tuple[IntExpr, ...]:
    """Expressions each of which is a bound: of a min (upper) or a max (lower)."""
    if isinstance(expr, Min if upper else Max):
        return expr.args
    return (expr,)


def _nonnegative(expr: IntExpr, place: _Place) -> bool:
    found = place.seen.get(expr)
    if found is None:
        found = place.seen[expr] = _decided(expr, place)
    return found


def _decided(expr: IntExpr, place: _Place) -> bool:
    for term, factor in linear(expr)[0].items():
        if isinstance(term, Min | Max):
            rest = add(expr, mul(Const(-factor), term))
            cases = (
                _nonnegative(add(rest, mul(Const(factor), arg)), place)
                for arg in term.args
            )
            return all(cases) if isinstance(term, Min) == (factor > 0) else any(cases)
    loop, outer, positive = place.loop, place.outer, place.positive
    if loop is None or outer is None:
        return (
            _low(expr, positive)
            or any(
                _low(sub(expr, fact), positive) for fact in _multiples(expr, positive)
            )
            or _whole_blocks(expr, positive)
        )
    factor = linear(expr)[0].get(Var(loop.var), 0)
    if not factor:
        return _nonnegative(expr, outer)
    first = (factor > 0) == (loop.step > 0)
    end = loop.start if first else add(loop.stop, Const(-1 if loop.step > 0 else 1))
    rest = add(expr, mul(Const(-factor), Var(loop.var)))
    return any(
        _nonnegative(add(rest, mul(Const(factor), bound)), outer)
        for bound in _alternatives(end, upper=factor < 0)
    )


def _whole_blocks(expr: IntExpr, positive: tuple[IntExpr, ...]) -> bool:
    """Whether ``expr >= 0`` as ``n - n % 32`` is 32 times the whole blocks in n."""
    for term, factor in linear(expr)[0].items():
        match term:
            case Mod(value, Const(period)) if factor < 0:
                rest = add(expr, mul(Const(-factor), term), mul(Const(factor), value))
                if isinstance(rest, Const):
                    blocks = max(0, -(rest.value // (-factor * period)))
                    apart = add(value, Const(-blocks * period))
                    return _nonnegative(apart, _Place(None, None, positive))
    return False


def _multiples(expr: IntExpr, positive: tuple[IntExpr, ...]) -> Iterator[IntExpr]:
    """Each fact as often as it takes to cancel a term of an expression."""
    wanted = linear(expr)[0]
    for fact in positive:
        ratios = {
            wanted[term] // factor
            for term, factor in linear(fact)[0].items()
            if term in wanted and wanted[term] % factor == 0
        }
        yield from (mul(Const(ratio), fact) for ratio in {1, *ratios} if ratio > 0)


def _factors(term: IntExpr) -> tuple[IntExpr, ...]:
    return term.factors if isinstance(term, Mul) else (term,)


def _positive(factor: IntExpr, positive: tuple[IntExpr, ...]) -> bool:
    return factor in positive or interval(factor).at_least(0)


def _nothing(term: IntExpr, positive: tuple[IntExpr, ...]) -> bool:
    """Whether a product of what is not negative has a factor that is not positive.

    Of its factors, facts without it tell: others would lead back to it.
    """
    factors = _factors(term)
    if len(factors) == 1 or not all(_positive(each, positive) for each in factors):
        return False
    others = tuple(fact for fact in positive if term not in linear(fact)[0])
    place = _Place(None, None, others)
    return any(_nonnegative(mul(Const(-1), each), place) for each in factors)


def _low(expr: IntExpr, positive: tuple[IntExpr, ...]) -> bool:
    coefficients, total = linear(expr)
    for term, factor in coefficients.items():
        ends = interval(term)
        low, high = ends.low, ends.high
        if all(_positive(each, positive) for each in _factors(term)):
            low = max(low or 0, 0)
        if factor < 0 and high is None and _nothing(term, positive):
            high = 0
        end = low if factor > 0 else high
        if end is None:
            return False
        total += factor * end
    return total >= 0
