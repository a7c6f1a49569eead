"""What operations do to the numbers beside symbols: total functions, all of them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from looptx.model.dtypes import PYTHON

LARGEST = 2**53
"""Whole numbers beyond this are folded, or an iterated square would fill the memory."""

SAME = {PYTHON[kind.__name__]: kind for kind in (float, int, bool, complex)}
"""The element types whose values are Python's own numbers."""

COMBINING: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "min": min,
    "max": max,
}


def plain(value: Any) -> Any:
    """NumPy's numbers of Python's own precision as Python's; all others unchanged."""
    name = getattr(getattr(value, "dtype", None), "name", "")
    return value.item() if name in SAME and not getattr(value, "shape", ()) else value


def total(function: Callable[..., Any], numbers: list[Any]) -> Any:
    """The function's value, or another number where it has none."""
    try:
        value = function(*numbers)
    except (ArithmeticError, ValueError):
        return 1 if all(isinstance(number, int) for number in numbers) else 0.5
    if type(value) is float:
        return value
    value = plain(value)
    if isinstance(value, complex) and not any(type(n) is complex for n in numbers):
        return value.real
    if type(value) is int and abs(value) > LARGEST:
        return value % 1009
    return value


def _power(base: Any, exponent: Any) -> Any:
    if type(base) is int and type(exponent) is int and exponent > 16:
        exponent %= 17
    return base**exponent


def _shift(value: Any, count: Any) -> Any:
    return value << count % 64


OPERATORS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "add": ("+", operator.add),
    "sub": ("-", operator.sub),
    "mul": ("*", operator.mul),
    "truediv": ("/", operator.truediv),
    "floordiv": ("//", operator.floordiv),
    "mod": ("%", operator.mod),
    "pow": ("**", _power),
    "and": ("&", operator.and_),
    "or": ("|", operator.or_),
    "xor": ("^", operator.xor),
    "lshift": ("<<", _shift),
    "rshift": (">>", operator.rshift),
}
COMPARISONS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "eq": ("==", operator.eq),
    "ne": ("!=", operator.ne),
    "lt": ("<", operator.lt),
    "le": ("<=", operator.le),
    "gt": (">", operator.gt),
    "ge": (">=", operator.ge),
}
INFIX = frozenset(op for op, _ in (*OPERATORS.values(), *COMPARISONS.values()))
"""The infix operators."""
