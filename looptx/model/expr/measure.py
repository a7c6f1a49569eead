"""What can be told from an expression alone: how long it is, how large it can be."""

from __future__ import annotations

from math import prod

from looptx.model.expr.terms import (
    Add,
    Const,
    FloorDiv,
    IntExpr,
    Max,
    Min,
    Mod,
    Mul,
    Select,
    Start,
    Var,
)


def size(expr: IntExpr) -> int:
    """How many names and literals are read when the expression is printed."""
    match expr:
        case Const() | Var() | Start():
            return 1
        case Mul((Const(-1), *rest)):
            return sum(map(size, rest))
        case Add(parts) | Mul(parts) | Min(parts) | Max(parts):
            return sum(map(size, parts))
        case FloorDiv(left, right) | Mod(left, right):
            return size(left) + size(right)
        case Select(_, then, other):
            return 2 + size(then) + size(other)


def largest(expr: IntExpr) -> int:
    """The greatest absolute value of the numbers in an expression."""
    match expr:
        case Const(value):
            return abs(value)
        case Var() | Start():
            return 0
        case Add(parts) | Mul(parts) | Min(parts) | Max(parts):
            return max(map(largest, parts))
        case FloorDiv(left, right) | Mod(left, right) | Select(_, left, right):
            return max(largest(left), largest(right))


def interval(expr: IntExpr) -> tuple[int | None, int | None]:
    """The least and greatest value that hold for all values of the names, or None."""
    match expr:
        case Const(value):
            return value, value
        case Mod(_, Const(divisor)):
            return 0, divisor - 1
        case Mod():
            return 0, None
        case FloorDiv(value, Const(divisor)):
            low, high = interval(value)
            return (
                None if low is None else low // divisor,
                None if high is None else high // divisor,
            )
        case Mul((Const(factor), *rest)) if len(rest) == 1:
            low, high = interval(rest[0])
            if factor < 0:
                low, high = high, low
            return (
                None if low is None else factor * low,
                None if high is None else factor * high,
            )
        case Mul(parts):
            lows = [low for low, _ in map(interval, parts) if low is not None]
            nonnegative = len(lows) == len(parts) and min(lows) >= 0
            return (prod(lows), None) if nonnegative else (None, None)
        case Add(parts):
            ends = [interval(part) for part in parts]
            lows = [low for low, _ in ends if low is not None]
            highs = [high for _, high in ends if high is not None]
            return (
                sum(lows) if len(lows) == len(ends) else None,
                sum(highs) if len(highs) == len(ends) else None,
            )
        case Min(parts) | Max(parts):
            ends = [interval(part) for part in parts]
            lows = [low for low, _ in ends if low is not None]
            highs = [high for _, high in ends if high is not None]
            if isinstance(expr, Min):
                low = min(lows) if len(lows) == len(ends) else None
                return low, min(highs, default=None)
            high = max(highs) if len(highs) == len(ends) else None
            return max(lows, default=None), high
    return None, None
