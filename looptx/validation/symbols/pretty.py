"""Expressions as a person reads them, and where two of them part."""

from __future__ import annotations

from typing import Any

from looptx.validation.symbols.arithmetic import INFIX
from looptx.validation.symbols.table import Symbol

WIDTH = 72


def short(value: Any) -> str:
    """An expression on one line; what does not fit becomes ``...``."""
    for depth in range(12, 0, -1):
        text = _text(value, depth, outer=True)
        if len(text) <= WIDTH:
            return text
    return text if len(text) <= 3 * WIDTH else f"{text[:WIDTH]}..."


def parted(left: Any, right: Any) -> tuple[Any, Any]:
    """The innermost parts in which alone two different expressions differ."""
    while type(left) is Symbol and type(right) is Symbol:
        if left.op != right.op or len(left.args) != len(right.args):
            break
        pairs = zip(left.args, right.args, strict=True)
        differing = [(one, two) for one, two in pairs if one is not two]
        if len(differing) != 1 or type(differing[0][0]) is not Symbol:
            break
        left, right = differing[0]
    return left, right


def _text(value: Any, depth: int, outer: bool = False) -> str:
    if type(value) is not Symbol:
        return str(value)
    op, args = value.op, value.args
    if op == "constant":
        return str(args[0])
    if op == "scalar":
        return str(args[0])
    if op == "cell":
        return f"{args[0]}[{', '.join(map(str, args[1]))}]"
    if op == "unset":
        return f"(np.empty's value at [{', '.join(map(str, args))}])"
    if depth == 0:
        return "..."
    inner = [_text(arg, depth - 1) for arg in args]
    if op.startswith("any "):
        symbol = op.removeprefix("any ")
        text = f"{symbol} in any order: {', '.join(_terms(value, depth))}"
        return text if outer else f"({text})"
    if op in INFIX:
        text = f"{inner[0]} {op} {inner[1]}"
        return text if outer else f"({text})"
    if op.endswith("x") and len(op) == 2:
        return f"{op[0]}{inner[0]}"
    return f"{op.replace('numpy.', 'np.')}({', '.join(inner)})"


def _terms(value: Symbol, depth: int) -> list[str]:
    """The terms of a combination without an order, the first ones last."""
    found: list[str] = []
    node: Any = value
    while type(node) is Symbol and node.op == value.op and len(found) < 8:
        found.append(_text(node.args[1], depth - 1))
        node = node.args[0]
    rest = type(node) is Symbol and node.op == value.op
    found.append("..." if rest else _text(node, depth - 1))
    return found[::-1]
