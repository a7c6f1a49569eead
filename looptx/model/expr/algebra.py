"""Smart constructors of integer expressions: what they build is already simplified.

They fold constants, collect like terms and know the laws of floor division, so that
what is printed is what a person would write (``n - n % 32``, ``min(i + 32, n)``). Every
law holds for all integers, with Python's rounding; divisors are positive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import combinations
from math import gcd

from looptx.model.expr.measure import interval, size
from looptx.model.expr.terms import (
    ZERO,
    Add,
    Const,
    FloorDiv,
    IntExpr,
    Max,
    Min,
    Mod,
    Mul,
)
from looptx.model.intervals.constant import exactly

_Linear = dict[IntExpr, int]


def _split_factor(term: IntExpr) -> tuple[int, IntExpr | None]:
    """A term as (coefficient, rest); rest is None for a constant."""
    match term:
        case Const(value):
            return value, None
        case Mul((Const(value), *rest)):
            return value, rest[0] if len(rest) == 1 else Mul(tuple(rest))
    return 1, term


def _times(factor: int, term: IntExpr) -> IntExpr:
    """The inverse of ``_split_factor`` for what is no constant and no sum."""
    if factor == 1:
        return term
    rest = term.factors if isinstance(term, Mul) else (term,)
    return Mul((Const(factor), *rest))


@lru_cache(4096)
def linear(expr: IntExpr) -> tuple[Mapping[IntExpr, int], int]:
    """An expression as {non-constant term: coefficient} and its constant."""
    return _collect(expr.terms if isinstance(expr, Add) else (expr,))


def _collect(terms: Iterable[IntExpr]) -> tuple[_Linear, int]:
    coefficients: _Linear = {}
    constant = 0
    for term in terms:
        factor, rest = _split_factor(term)
        if rest is None:
            constant += factor
        else:
            coefficients[rest] = coefficients.get(rest, 0) + factor
    return {t: c for t, c in coefficients.items() if c}, constant


def add(*terms: IntExpr) -> IntExpr:
    """The sum, like terms collected; positive terms first, the constant last."""
    return _added(terms)


@lru_cache(4096)
def _added(terms: tuple[IntExpr, ...]) -> IntExpr:
    """``add``, which is asked for few sums, and often."""
    flat: list[IntExpr] = []
    for term in terms:
        flat.extend(term.terms if isinstance(term, Add) else (term,))
    coefficients, constant = _collect(flat)
    return _open_division(coefficients, constant)


def total(coefficients: Mapping[IntExpr, int], constant: int) -> IntExpr:
    """The node of a linear form, or the constant or single term that it is."""
    parts = [_times(c, t) for t, c in coefficients.items() if c > 0]
    parts += [_times(c, t) for t, c in coefficients.items() if c < 0]
    if constant or not parts:
        if constant > 0 and parts and _split_factor(parts[0])[0] < 0:
            parts.insert(0, Const(constant))
        else:
            parts.append(Const(constant))
    return parts[0] if len(parts) == 1 else Add(tuple(parts))


def _open_division(coefficients: _Linear, constant: int) -> IntExpr:
    """The sum, with ``d * (x // d)`` as ``x - x % d`` or back, what is shorter."""
    opposite = _opposite(coefficients)
    if opposite:
        rest = {t: c for t, c in coefficients.items() if t not in opposite}
        return add(total(rest, constant), opposite[next(iter(opposite))])
    whole = _into_extreme(coefficients, constant)
    for term, factor in coefficients.items():
        match term:
            case Mod(value, Const(divisor)) if abs(factor) > 1:
                rest = {t: c for t, c in coefficients.items() if t != term}
                blocks = FloorDiv(value, Const(divisor))
                closed, left = _collect(
                    [total(rest, constant), mul(Const(factor), value)]
                )
                closed[blocks] = closed.get(blocks, 0) - factor * divisor
                shorter = _into_extreme({t: c for t, c in closed.items() if c}, left)
                if size(shorter) < size(whole):
                    return shorter
    for term, factor in coefficients.items():
        match term:
            case FloorDiv(value, Const(divisor)) if factor % divisor == 0:
                times = factor // divisor
                rest = {t: c for t, c in coefficients.items() if t != term}
                opened = add(
                    mul(Const(times), value),
                    total(rest, constant),
                    mul(Const(-times), mod(value, divisor)),
                )
                gain = size(whole) - size(opened)
                if gain > 0 or (gain == 0 and times == 1):
                    return opened
    return whole


def _opposite(coefficients: _Linear) -> dict[IntExpr, IntExpr]:
    """Two terms that make a simpler one, with it: ``min(m, m - i) + max(0, i)``."""

    def least(term: IntExpr) -> bool:
        return isinstance(term, Min) == (coefficients[term] > 0)

    def args(term: Min | Max) -> list[IntExpr]:
        return [mul(Const(coefficients[term]), arg) for arg in term.args]

    extremes = [term for term in coefficients if isinstance(term, Min | Max)]
    for one, other in combinations(extremes, 2):
        ours, theirs = args(one), args(other)
        if least(one) == least(other) or len(ours) != len(theirs):
            continue
        for whole in (add(arg, theirs[0]) for arg in ours):
            if {sub(whole, arg) for arg in ours} == set(theirs):
                return {one: whole, other: whole}
    return {}


def _into_extreme(coefficients: _Linear, constant: int) -> IntExpr:
    """The sum, moved into a single ``min`` or ``max`` where that is as short."""
    whole = total(coefficients, constant)
    extremes = [term for term in coefficients if isinstance(term, Min | Max)]
    if len(extremes) != 1 or isinstance(whole, Min | Max):
        return whole
    (extreme,) = extremes
    factor = coefficients[extreme]
    if abs(factor) != 1:
        return whole
    rest = total({t: c for t, c in coefficients.items() if t != extreme}, constant)
    args = (add(mul(Const(factor), arg), rest) for arg in extreme.args)
    kind = Min if isinstance(extreme, Min) == (factor == 1) else Max
    inside = _extreme(kind, args)
    gain = size(whole) - size(inside)
    if gain > 0 or (gain == 0 and isinstance(rest, Const) and factor == 1):
        return inside
    return whole


def mul(*factors: IntExpr) -> IntExpr:
    """The product; a constant is distributed over a sum."""
    constant = 1
    rest: list[IntExpr] = []
    for factor in factors:
        for part in factor.factors if isinstance(factor, Mul) else (factor,):
            if isinstance(part, Const):
                constant *= part.value
            else:
                rest.append(part)
    if constant == 0 or not rest:
        return Const(constant)
    if len(rest) == 1:
        if constant == 1:
            return rest[0]
        if isinstance(rest[0], Add):
            return add(*(mul(Const(constant), term) for term in rest[0].terms))
        if isinstance(rest[0], FloorDiv):
            return add(_times(constant, rest[0]))
    return Mul(tuple(rest) if constant == 1 else (Const(constant), *rest))


def neg(expr: IntExpr) -> IntExpr:
    """``-expr``."""
    return mul(Const(-1), expr)


def sub(left: IntExpr, right: IntExpr) -> IntExpr:
    """``left - right``."""
    return add(left, neg(right))


def floordiv(value: IntExpr, divisor: int | IntExpr) -> IntExpr:
    """``value // divisor``; multiples of the divisor leave the quotient."""
    if value == ZERO:
        return ZERO
    if not isinstance(divisor, int):
        if not isinstance(divisor, Const):
            return FloorDiv(value, divisor)
        divisor = divisor.value
    if divisor == 1:
        return value
    if divisor < 0:
        return floordiv(neg(value), -divisor)
    coefficients, constant = linear(value)
    for term, factor in coefficients.items():
        match term:
            case Mod(inner, Const(period)) if period % divisor == 0:
                # x % m is x - m * (x // m), and m is a multiple of the divisor.
                opened = add(
                    value, mul(Const(-factor), term), mul(Const(factor), inner)
                )
                if size(opened) < size(value):
                    blocks = Const(-factor * (period // divisor))
                    quotient = floordiv(inner, period)
                    return add(floordiv(opened, divisor), mul(blocks, quotient))
    whole = {t: c // divisor for t, c in coefficients.items() if c % divisor == 0}
    rest = {t: c for t, c in coefficients.items() if c % divisor}
    carry = 0
    if not rest or not -divisor < constant < divisor:
        carry, constant = divmod(constant, divisor)
    return add(total(whole, carry), _quotient(rest, constant, divisor))


def _quotient(coefficients: _Linear, constant: int, divisor: int) -> IntExpr:
    """The floor of a sum none of whose coefficients is a multiple of the divisor."""
    common = gcd(divisor, *coefficients.values())
    if coefficients and common > 1:
        coefficients = {t: c // common for t, c in coefficients.items()}
        constant //= common
        divisor //= common
    value = total(coefficients, constant)
    quotient = (interval(value) // exactly(divisor)).number
    if quotient is not None:
        return Const(quotient)
    match list(coefficients.items()):
        case [(FloorDiv(inner, Const(first)), 1)]:
            return floordiv(add(inner, Const(constant * first)), first * divisor)
    return FloorDiv(value, Const(divisor))


def mod(value: IntExpr, divisor: int | IntExpr) -> IntExpr:
    """``value % divisor`` for a positive divisor; multiples of it vanish."""
    if value == ZERO:
        return ZERO
    if not isinstance(divisor, int):
        if not isinstance(divisor, Const):
            return Mod(value, divisor)
        divisor = divisor.value
    coefficients, constant = linear(value)
    for term, factor in coefficients.items():
        match term:
            case Mod(inner, Const(period)) if period % divisor == 0:
                whole = (mul(Const(-factor), term), mul(Const(factor), inner))
                return mod(add(value, *whole), divisor)
            case Min(args) | Max(args):
                left = {mod(mul(Const(factor), arg), divisor) for arg in args}
                if len(left) == 1:
                    return mod(add(value, mul(Const(-factor), term), *left), divisor)
    kept = {
        t: c if abs(c) < divisor != 2 else c % divisor
        for t, c in coefficients.items()
        if c % divisor
    }
    if not kept:
        return Const(constant % divisor)
    rest = total(kept, constant % divisor)
    quotient = (interval(rest) // exactly(divisor)).number
    if quotient is not None:
        return add(rest, Const(-quotient * divisor))
    return Mod(rest, Const(divisor))


def _extreme(kind: type[Min] | type[Max], args: Iterable[IntExpr]) -> IntExpr:
    """Min or Max, flat, without the arguments that another one always beats."""
    kept: list[IntExpr] = []
    for arg in args:
        for part in arg.args if isinstance(arg, kind) else (arg,):
            if not any(_beats(kind, other, part) for other in kept):
                kept = [other for other in kept if not _beats(kind, part, other)]
                kept.append(part)
    for first, other in combinations(kept, 2):
        ours, theirs = _as_quotient(first), _as_quotient(other)
        if ours and theirs and ours[1] == theirs[1]:
            both = floordiv(_extreme(kind, (ours[0], theirs[0])), ours[1])
            rest = (arg for arg in kept if arg not in (first, other))
            return _extreme(kind, (both, *rest))
    return kept[0] if len(kept) == 1 else kind(tuple(kept))


def _as_quotient(expr: IntExpr) -> tuple[IntExpr, int] | None:
    """``(x + c * d, d)`` for ``x // d + c``."""
    coefficients, constant = linear(expr)
    match list(coefficients.items()):
        case [(FloorDiv(value, Const(divisor)), 1)]:
            return add(value, Const(constant * divisor)), divisor
    return None


def _beats(kind: type[Min] | type[Max], one: IntExpr, other: IntExpr) -> bool:
    """Whether ``one`` is never worse than ``other`` as the least or greatest."""
    if one == other:
        return True
    known, constant = linear(one)
    coefficients = dict(known)
    for term, factor in linear(other)[0].items():
        coefficients[term] = coefficients.get(term, 0) - factor
    constant -= linear(other)[1]
    difference = total({t: c for t, c in coefficients.items() if c}, constant)
    apart = interval(difference)
    return apart.at_most(0) if kind is Min else apart.at_least(0)


def minimum(*args: IntExpr) -> IntExpr:
    """The least of ``args``, simplified."""
    return _extreme(Min, args)


def maximum(*args: IntExpr) -> IntExpr:
    """The greatest of ``args``, simplified."""
    return _extreme(Max, args)


def distance(start: IntExpr, stop: IntExpr, step: int) -> IntExpr:
    """How many values ``range(start, stop, step)`` has, where that is not negative.

    Args:
        start: the first value.
        stop: the value before which it ends.
        step: what is added each time; not 0.

    Returns:
        ``len(range(start, stop, step))`` where that is positive.
    """
    if step < 0:
        start, stop, step = stop, start, -step
    span = sub(stop, start)
    return floordiv(add(span, Const(step - 1)), step) if span != ZERO else ZERO
