"""Which iteration wrote a cell: linear subscripts solved for the loops.

A quotient together with its remainder, ``T[i // 16, i % 16]``, is linear, too.
(Gaussian elimination over the rationals. That a solution is an integer, and one of the
iterations, is for the proof to see.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm

from looptx.model.expr import (
    Const,
    IntExpr,
    Mod,
    Var,
    add,
    floordiv,
    mul,
    sub,
    variables,
)
from looptx.model.expr.algebra import linear

_Pair = tuple[IntExpr, IntExpr]
"""A subscript of the write, and that of the read."""

_Row = tuple[list[Fraction], list[Fraction]]
"""Factors of loops, and of right-hand sides."""


def solved(
    loops: Sequence[str],
    written: Sequence[IntExpr],
    read: Sequence[IntExpr],
    common: Sequence[str],
) -> tuple[IntExpr, ...] | None:
    """The values of loops at which ``written`` has the values ``read``.

    Args:
        loops: those around the write.
        written: its subscripts.
        read: those of the read.
        common: the loops around the read: what the subscripts do not decide is taken to
            be the same where they have it.

    Returns:
        A value for each loop; None where there is no telling.
    """
    rows: list[_Row] = []
    right: list[IntExpr] = []
    for one, other in _whole(zip(written, read, strict=True)):
        terms, _ = linear(one)
        factors = [Fraction(terms.get(Var(loop), 0)) for loop in loops]
        known = (mul(Const(terms.get(Var(x), 0)), Var(x)) for x in loops)
        rest = sub(one, add(*known))
        if variables(rest) & set(loops):
            return None
        rows.append((factors, []))
        right.append(sub(other, rest))
    fixed = [loop for loop in loops if loop in common]
    while True:
        matrix = [
            (list(factors), [Fraction(at == x) for x in range(len(rows))])
            for at, (factors, _) in enumerate(rows)
        ]
        pivots = _reduced(matrix, len(loops))
        free = [at for at in range(len(loops)) if at not in pivots]
        if not free:
            break
        at = next((x for x in free if loops[x] in fixed), None)
        if at is None:
            at = next((x for x, loop in enumerate(loops) if loop in fixed), None)
        if at is None:
            return None
        fixed.remove(loops[at])
        rows.append(([Fraction(x == at) for x in range(len(loops))], []))
        right.append(Var(loops[at]))
    return tuple(_value(matrix[pivots[at]][1], right) for at in range(len(loops)))


def _whole(pairs: Iterable[_Pair]) -> list[_Pair]:
    """Equations in which a quotient and its remainder are the number they are of."""
    left = list(pairs)
    for rest, remainder in left:
        if not (isinstance(rest, Mod) and isinstance(rest.divisor, Const)):
            continue
        size = rest.divisor.value
        for quotient, times in left:
            if quotient == floordiv(rest.value, size):
                found = rest.value, add(mul(Const(size), times), remainder)
                others = ((quotient, times), (rest, remainder))
                return _whole([found, *(x for x in left if x not in others)])
    return left


def _reduced(matrix: list[_Row], count: int) -> dict[int, int]:
    """Bring a matrix into reduced echelon form; the row of each pivot, by column."""
    pivots: dict[int, int] = {}
    for column in range(count):
        at = next(
            (
                x
                for x, (factors, _) in enumerate(matrix)
                if factors[column] and x not in pivots.values()
            ),
            None,
        )
        if at is None:
            continue
        pivots[column] = at
        scale = matrix[at][0][column]
        matrix[at] = tuple([x / scale for x in side] for side in matrix[at])  # type: ignore[assignment]
        for other, (factors, _) in enumerate(matrix):
            if other != at and factors[column]:
                less = factors[column]
                matrix[other] = tuple(  # type: ignore[assignment]
                    [x - less * y for x, y in zip(one, two, strict=True)]
                    for one, two in zip(matrix[other], matrix[at], strict=True)
                )
    return pivots


def _value(factors: Sequence[Fraction], right: Sequence[IntExpr]) -> IntExpr:
    """A sum of right-hand sides, over their common denominator."""
    under = lcm(*(x.denominator for x in factors))
    terms = (
        mul(Const(int(x * under)), one) for x, one in zip(factors, right, strict=True)
    )
    return floordiv(add(*terms), under)


def disjoint(written: Sequence[IntExpr | None], read: Sequence[IntExpr | None]) -> bool:
    """Whether two accesses never are of one cell, as ``T[i, 0]`` and ``T[i, 1]``.

    Numbers of different signs may be one place: negative ones count from the end.

    Args:
        written: the subscripts of one, read: those of the other, as far as affine.
    """
    return any(
        isinstance(one, Const)
        and isinstance(other, Const)
        and one != other
        and (one.value < 0) == (other.value < 0)
        for one, other in zip(written, read, strict=False)
    )
