"""Sums of integers with fractions as factors, and what they are at most."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from math import floor
from typing import Generic, TypeAlias, TypeVar

from looptx.lower.kinds import INT, of
from looptx.lower.limits import WORD
from looptx.lower.tree import Expr, call, infix, inside, number
from looptx.model.records import dataclass

_LONGEST = 60
"""Operations and numbers in an end."""

Term = TypeVar("Term", bound=Hashable)

Rational: TypeAlias = int | Fraction
"""A factor. Nearly all are integers, whose sums take a tenth of the time."""


def size(factor: Rational) -> Rational:
    """Without its sign."""
    return -factor if factor < 0 else factor


def inverse(factor: Rational) -> Rational:
    """One over a positive factor."""
    return 1 if factor == 1 else 1 / Fraction(factor)


@dataclass(frozen=True, eq=False)
class Sum(Generic[Term]):
    """An integer within ``slack`` below a sum, which rounding down takes off it.

    Attributes:
        terms: the factors. constant: what is added.
        slack: how far below it is at most; none where ends are computed with it.
    """

    terms: Mapping[Term, Rational]
    constant: Rational = 0
    slack: Rational = 0

    def plus(self, other: Sum[Term]) -> Sum[Term]:
        """The sum of both."""
        terms = dict(self.terms)
        for term, factor in other.terms.items():
            terms[term] = terms.get(term, 0) + factor
        left = {term: factor for term, factor in terms.items() if factor}
        constant = self.constant + other.constant
        return Sum(left, constant, self.slack + other.slack)

    def times(self, factor: Rational) -> Sum[Term]:
        """So many times it: below 0 the slack is on the other side."""
        terms = {term: factor * own for term, own in self.terms.items() if factor}
        slack = self.slack * size(factor)
        return Sum(terms, factor * self.constant + (slack if factor < 0 else 0), slack)

    def more(self, constant: Rational) -> Sum[Term]:
        """That much more."""
        return Sum(self.terms, self.constant + constant, self.slack)

    def over(self, divisor: int) -> Sum[Term]:
        """The quotient by a positive integer, rounded down."""
        part = self.times(inverse(divisor))
        rounded = Fraction(divisor - 1, divisor)
        return Sum(part.terms, part.constant, part.slack + rounded)

    def without(self, term: Term) -> Sum[Term]:
        """The rest."""
        rest = {other: f for other, f in self.terms.items() if other != term}
        return Sum(rest, self.constant, self.slack)

    @property
    def is_mean(self) -> bool:
        """Whether it is no more than the largest of its terms."""
        factors = self.terms.values()
        return min(factors, default=0) > 0 and sum(factors) == 1 and self.constant <= 0


def combined(op: ast.operator, one: Sum[Term], two: Sum[Term]) -> Sum[Term] | None:
    """An operation on integers, if its result is a sum."""
    number = two.constant if not (two.terms or two.slack) else None
    match op:
        case ast.Add():
            return one.plus(two)
        case ast.Sub():
            return one.plus(two.times(-1))
        case ast.Mult() if number is not None:
            return one.times(number)
        case ast.Mult() if not (one.terms or one.slack):
            return two.times(one.constant)
        case ast.FloorDiv() if number is not None and number > 0:
            return one.over(int(number))
        case ast.RShift() if number is not None and 0 <= number < 63:
            return one.over(1 << int(number))
    return None


@dataclass(frozen=True, slots=True)
class Known:
    """What the entry computes: an integer, and the most that its magnitude can be."""

    value: Expr
    reach: int


End = Sum[Known]
"""What an integer is at most."""


def exactly(value: int) -> Sum[Term]:
    """A number."""
    return Sum({}, value)


def rounded(end: End) -> End | None:
    """An end without fractions, if C can hold it."""
    if any(factor.denominator > 1 for factor in end.terms.values()):
        if not Sum(end.terms).is_mean:
            return None
        end = greatest([Sum({one: 1}) for one in end.terms]).more(end.constant)
    end = Sum(end.terms, floor(end.constant))
    return end if reach(end) <= WORD else None


def reach(end: End) -> int:
    """The most that its magnitude can be."""
    parts = (size(factor) * one.reach for one, factor in end.terms.items())
    return int(sum(parts, size(end.constant)))


def is_short(end: End) -> bool:
    """Whether it is worth computing."""
    parts = (inside(one.value) for one in end.terms)
    return sum(1 for part in parts for _ in part) <= _LONGEST


def greatest(ends: Iterable[End]) -> End:
    """What none of some ends exceeds."""
    return reduce(lambda one, two: _picked("max", max, one, two), ends)


def least(ends: Iterable[End]) -> End:
    """What exceeds none of some ends."""
    return reduce(lambda one, two: _picked("min", min, one, two), ends)


def every(ends: Sequence[End | None]) -> End | None:
    """What none of several values exceeds."""
    known = [end for end in ends if end is not None]
    return greatest(known) if len(known) == len(ends) else None


def some(ends: Sequence[End | None]) -> End | None:
    """What the least of several values does not exceed."""
    known = [end for end in ends if end is not None]
    return least(known) if known else None


def _picked(name: str, pick: Callable[..., Rational], one: End, two: End) -> End:
    apart = two.plus(one.times(-1))
    if not apart.terms:
        return one.more(pick(apart.constant, 0))
    both = call(name, of(INT), written(one), written(two))
    return Sum({Known(both, max(reach(one), reach(two))): 1})


def written(end: End) -> Expr:
    """An end without fractions in C."""
    found: Expr | None = None
    for one, factor in end.terms.items():
        times = int(size(factor))
        part = one.value if times == 1 else infix("*", number(times), one.value)
        if found is None:
            found = part if factor > 0 else infix("-", number(0), part)
        else:
            found = infix("+" if factor > 0 else "-", found, part)
    constant = int(end.constant)
    if found is None:
        return number(constant)
    if constant:
        found = infix("+" if constant > 0 else "-", found, number(abs(constant)))
    return found
