"""Operations on literal integers of Python, computed before C sees them.

Cython computes them as Python ints, too, but takes a result beyond 32 bits for a Python
object; C computes them in 32 bits.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from looptx.lower.kinds import fail
from looptx.lower.tree import Expr
from looptx.lower.values.literals import literal

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
