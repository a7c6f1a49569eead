"""Numbers that change nothing where they are combined: what parts begin with."""

from __future__ import annotations

import math
from typing import Any

from looptx.model.dtypes import DTYPES
from looptx.validation.symbols.table import Symbol

_ALWAYS: dict[str, tuple[tuple[type, object], ...]] = {
    "*": ((int, 1), (float, 1.0), (bool, True)),
    "&": ((int, -1), (bool, True)),
    "|": ((int, 0), (bool, False)),
    "^": ((int, 0), (bool, False)),
    "min": ((float, math.inf), (bool, True)),
    "max": ((float, -math.inf), (bool, False)),
}


def is_neutral(op: str, value: object, dtype: str) -> bool:
    """Whether combining a value with any other gives that other one, bit by bit.

    A sum that begins with the integer 0 loses the sign of a zero: it stands where all
    that is known of the sum is that it is one, of integers perhaps.

    Args:
        op: the operation. value: a number or a symbol.
        dtype: the type of the cell that holds it; empty for a variable.
    """
    number = _constant(value, dtype)
    if op == "+":
        negative = isinstance(number, float) and math.copysign(1.0, number) < 0
        return number == 0 and (negative or type(number) in (int, bool))
    if (type(number), number) in _ALWAYS.get(op, ()):
        return True
    row = DTYPES.get(dtype)
    if row is None or not row.is_integer or type(number) is not int:
        return False
    least, most = row.range
    unsigned = op == "&" and not least
    return number == (least if op == "max" else most) and (
        op in ("min", "max") or unsigned
    )


def _constant(value: object, dtype: str) -> Any:
    """The number that a value is, perhaps as a cell of the type holds it."""
    if type(value) is Symbol and value.op == dtype:
        (value,) = value.args
    if type(value) is Symbol:
        return value.args[0] if value.op == "constant" else None
    return value
