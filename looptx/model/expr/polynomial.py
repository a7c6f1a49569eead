"""Sums of loops times sizes: subscripts that have rows and columns of their own.

``i * w + j`` is no affine expression where ``w`` is no number, but it is the place of
row ``i`` and column ``j`` as long as ``j`` stays in a row of ``w`` elements
(``poly/delinearization`` proves that).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import gcd

from looptx.model.expr.algebra import add, linear, mul
from looptx.model.expr.rewriting import rewrite, variables
from looptx.model.expr.terms import ZERO, Const, IntExpr
from looptx.model.records import dataclass

Sizes = tuple[IntExpr, ...]
"""A product of affine expressions of parameters, in a fixed order; 1 if it is empty."""


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A sum of products.

    Attributes:
        terms: affine expressions of loops and parameters with the sizes that each is
            multiplied by, in a fixed order.
    """

    terms: tuple[tuple[Sizes, IntExpr], ...]

    @classmethod
    def of(cls, affine: IntExpr) -> Polynomial:
        """An affine expression as a sum of one product."""
        return _sum([((), affine)])

    def of_loops(self, loops: Iterable[str]) -> bool:
        """Whether it depends on some of these loops."""
        used: frozenset[str] = frozenset().union(*(variables(x) for _, x in self.terms))
        return not used.isdisjoint(loops)

    def plus(self, other: Polynomial) -> Polynomial:
        """The sum of two."""
        return _sum((*self.terms, *other.terms))

    def scaled(self, number: int) -> Polynomial:
        """It some times."""
        return _sum([(sizes, mul(Const(number), x)) for sizes, x in self.terms])

    def times(self, other: Polynomial) -> Polynomial | None:
        """The product with a polynomial without loops; None where that is a sum."""
        if len(other.terms) != 1:
            return None if other.terms else other
        ((sizes, factor),) = other.terms
        number = content(factor)
        rest = divided(factor, number) if number else ZERO
        more = sizes if isinstance(rest, Const) else (*sizes, rest)
        number *= rest.value if isinstance(rest, Const) else 1
        return _sum([((*own, *more), mul(Const(number), x)) for own, x in self.terms])

    @property
    def expr(self) -> IntExpr:
        """It as one expression."""
        return add(*(mul(factor, *sizes) for sizes, factor in reversed(self.terms)))

    @property
    def names(self) -> frozenset[str]:
        """All loops and parameters in it."""
        return frozenset().union(
            *(variables(one) for sizes, x in self.terms for one in (*sizes, x))
        )

    def changed(self, leaves: Mapping[IntExpr, IntExpr]) -> Polynomial:
        """It with other expressions for its loops."""
        return _sum([(sizes, rewrite(x, leaves)) for sizes, x in self.terms])

    def value(self, evaluate: Callable[[IntExpr], int]) -> int:
        """What it is.

        Args:
            evaluate: tells what an affine expression is.
        """
        result = 0
        for sizes, factor in self.terms:
            number = evaluate(factor)
            for size in sizes:
                number *= evaluate(size)
            result += number
        return result


def content(*exprs: IntExpr) -> int:
    """The greatest number that some sums are multiples of; 0 for those that are 0."""
    found = 0
    for expr in exprs:
        terms, constant = linear(expr)
        found = gcd(found, constant, *terms.values())
    return found


def divided(expr: IntExpr, number: int) -> IntExpr:
    """A sum that is a multiple of a number, by that number."""
    terms, constant = linear(expr)
    parts = (mul(Const(factor // number), x) for x, factor in terms.items())
    return add(*parts, Const(constant // number))


def _sum(terms: Iterable[tuple[Sizes, IntExpr]]) -> Polynomial:
    found: dict[Sizes, IntExpr] = {}
    for sizes, factor in terms:
        key = tuple(sorted(sizes, key=str))
        found[key] = add(found.get(key, ZERO), factor)
    kept = [(sizes, x) for sizes, x in found.items() if x != ZERO]
    return Polynomial(tuple(sorted(kept, key=lambda one: (len(one[0]), str(one[0])))))
