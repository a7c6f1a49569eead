"""Operations on literal integers of Python, computed before C sees them.

Cython computes them as Python ints, too, but takes a result beyond 32 bits for a Python
object; C computes them in 32 bits.
"""

from __future__ import annotations

import ast
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

_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Pow: "**",
    ast.LShift: "<<",
}
"""What masks are made with."""

_BITS = 64

_REALLY: dict[str, Callable[[float, float], Any]] = {
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
}
"""What may be of interest before a root is taken; counters would grow and grow."""


def folded(op: str, left: Expr, right: Expr) -> Expr | None:
    """An operation on two literal integers of Python, computed now.

    Args:
        op: the operation. left, right: its operands.

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


def evaluated(node: ast.expr) -> int | None:
    """What literal integers alone are computed to, of any size; None for all else."""
    match node:
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            return number
        case ast.BinOp(left, op, right) if type(op) in _SIGNS:
            one, two = evaluated(left), evaluated(right)
            if one is None or two is None or not 0 <= two <= 1 << 64:
                return None
            grows = isinstance(op, ast.Pow | ast.LShift)
            if one.bit_length() > 2 * _BITS or (grows and two > _BITS):
                return None
            return _EXACTLY[_SIGNS[type(op)]](one, two)
    return None


def python_int(value: Expr) -> int | None:
    """A literal int or bool of Python."""
    number, kind = value.literal, value.kind
    whole = kind.dtype in ("bool", "int64", "uint64")
    if kind.weak and whole and isinstance(number, int):
        return number
    return None


def possible(op: str, left: Kind, right: Kind) -> frozenset[Number] | None:
    """What an operation on Python numbers may give, up to the sign of 0; None for any.

    What raises gives nothing. Floats stand for integers that are equal to them.

    Args:
        op: the operation. left, right: the kinds of its operands.
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
