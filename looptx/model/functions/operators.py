"""The operators that NumPy's functions stand for, by the names of these."""

from __future__ import annotations

import ast
from collections.abc import Mapping

OPERATORS: Mapping[str, type[ast.operator]] = {
    "add": ast.Add,
    "subtract": ast.Sub,
    "multiply": ast.Mult,
    "divide": ast.Div,
    "floor_divide": ast.FloorDiv,
    "remainder": ast.Mod,
    "left_shift": ast.LShift,
    "right_shift": ast.RShift,
    "bitwise_and": ast.BitAnd,
    "bitwise_or": ast.BitOr,
    "bitwise_xor": ast.BitXor,
}
"""Those that are the operator itself; ``power`` rounds in a way of its own."""

UNARY: Mapping[str, type[ast.unaryop]] = {
    "negative": ast.USub,
    "positive": ast.UAdd,
    "invert": ast.Invert,
}

COMPARISONS: Mapping[str, type[ast.cmpop]] = {
    "less": ast.Lt,
    "less_equal": ast.LtE,
    "greater": ast.Gt,
    "greater_equal": ast.GtE,
    "equal": ast.Eq,
    "not_equal": ast.NotEq,
}

LOGICAL: Mapping[str, type[ast.operator]] = {
    "logical_and": ast.BitAnd,
    "logical_or": ast.BitOr,
    "logical_xor": ast.BitXor,
}
"""Those that are it once numbers are truths."""
