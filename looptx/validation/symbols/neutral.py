"""Numbers that change nothing where they are combined: what parts begin with."""

from __future__ import annotations

import math
from typing import Any

from looptx.model.dtypes import DTYPES
from looptx.model.records import dataclass
from looptx.validation.symbols.table import Symbol

_BOOLS = {"+": False, "|": False, "^": False, "max": False}
"""What is neutral where cells are bools; True for the other operations."""

_INTEGERS = {"+": 0, "|": 0, "^": 0, "*": 1, "&": -1}
_FLOATS = {"+": -0.0, "*": 1.0, "min": math.inf, "max": -math.inf}


@dataclass(frozen=True, slots=True)
class Part:
    """What collects parts of what others combine.

    Attributes:
        op: the operation. dtype: the type of its cells, as far as it is known.
    """

    op: str
    dtype: str


def is_neutral(op: str, value: object, dtype: str) -> bool:
    """Whether combining a value with any other gives that other one, bit by bit.

    A sum that begins with the integer 0 loses the sign of a zero: it stands where all
    that is known of the sum is that it is one, of integers perhaps.

    Args:
        op: the operation. value: a number or a symbol.
        dtype: the type of the cell that holds it; empty for a variable.
    """
    number = _constant(value, dtype)
    row = DTYPES.get(dtype)
    if dtype == "bool":
        return number is _BOOLS.get(op, True)
    if row is not None and row.is_integer:
        least, most = row.range
        limits = {"min": most, "max": least, **({} if least else {"&": most})}
        return type(number) is int and number == {**_INTEGERS, **limits}[op]
    if dtype.startswith("complex"):
        return op == "+" and repr(number) == repr(complex(-0.0, -0.0))
    if isinstance(number, float) or row is not None:
        zero = op == "+" and not isinstance(number, float)
        return not zero and _same(number, _FLOATS.get(op))
    return _same(number, _INTEGERS.get(op))


def _same(one: object, other: float | None) -> bool:
    """Whether two numbers are equal, zeros by their signs."""
    if not isinstance(one, int | float) or other is None or one != other:
        return False
    return math.copysign(1.0, one) == math.copysign(1.0, other)


def _constant(value: object, dtype: str) -> Any:
    """The number that a value is, perhaps as a cell of the type holds it."""
    if type(value) is Symbol and value.op == dtype:
        (value,) = value.args
    if type(value) is Symbol:
        return value.args[0] if value.op == "constant" else None
    return value
