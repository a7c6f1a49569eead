"""What a reduction leaves as it is, bit by bit."""

from __future__ import annotations

import math

from looptx.lower.kinds import RANGES, Kind
from looptx.lower.tree import Expr, number
from looptx.lower.values.literals import cast, literal
from looptx.model.dtypes import FLOATS
from looptx.model.records import replace

UNWRITTEN = 2
"""A byte that no iteration writes, of a bool: another bit than that of True."""


def identity(op: str, kind: Kind) -> Expr:
    """The identity of an operation.

    Args:
        op: the operation.
        kind: of what is combined.
    """
    return replace(_identity(op, kind), kind=kind)


def _identity(op: str, kind: Kind) -> Expr:
    dtype = kind.dtype
    if op == "+":
        if kind.is_complex:
            return cast(literal(complex(-0.0, -0.0)), dtype)
        return literal(-0.0) if dtype in FLOATS else number(0)
    if op in ("*", "&"):
        return number(-1 if op == "&" and dtype != "bool" else 1)
    if op in ("|", "^"):
        return number(0)
    if dtype in FLOATS:
        return literal(math.inf if op == "min" else -math.inf)
    low, high = RANGES.get(dtype, (0, 1))
    return number(high if op == "min" else low)
