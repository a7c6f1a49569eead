"""Operations on literal integers of Python, computed before C sees them.

Cython computes them as Python ints, too, but takes a result beyond 32 bits for a Python
object; C computes them in 32 bits.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from contextlib import suppress
from itertools import product
from typing import Any

from looptx.lower.kinds import Kind, Number, fail
from looptx.lower.tree import Expr
from looptx.lower.values.literals import literal
from looptx.model.dtypes import INTEGERS

_EXACTLY: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}


_REALLY: dict[str, Callable[[float, float], Any]] = {
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
}
"""What may be of interest before a root is taken; counters would grow and grow."""


def folded(op: str, left: Expr, right: Expr) -> Expr | None:
    """An operation on two literal integers of Python, computed now.

    Raises:
        Unsupported: LX504 where the result does not fit into 64 bits.
    """
    one, two = python_int(left), python_int(right)
    if one is None or two is None or op not in _EXACTLY:
        return None
    if (two < 0 and op in ("**", "<<", ">>")) or (two == 0 and op in ("//", "%")):
        return None
    if two > 63 and ((op == "**" and abs(one) > 1) or (op == "<<" and one)):
        fail(f"`{one} {op} {two}` does not fit into 64 bits")
    return literal(_EXACTLY[op](one, two))


def python_int(value: Expr) -> int | None:
    """A literal int or bool of Python."""
    number, kind = value.literal, value.kind
    if kind.weak and kind.dtype in ("bool", "int64") and isinstance(number, int):
        return number
    return None


def possible(op: str, left: Kind, right: Kind) -> frozenset[Number] | None:
    """What an operation on Python numbers may give, up to the sign of 0; None for any.

    What raises gives nothing. Floats stand for integers that are equal to them.
    """
    one, two = left.numbers, right.numbers
    if (
        one == frozenset((0,))
        and op in ("*", "/")
        and right.dtype in ("bool", *INTEGERS)
    ):
        return frozenset((0.0,))
    exactly = _REALLY.get(op)
    if exactly is None or one is None or two is None:
        return None
    found = set[Number]()
    for first, second in product(one, two):
        if isinstance(first, complex) or isinstance(second, complex):
            return None
        with suppress(ArithmeticError):
            found.add(exactly(float(first), float(second)))
    return frozenset(found) if found <= {0, 1} else None
