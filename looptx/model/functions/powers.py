"""Powers for which NumPy has no other function than that of powers."""

from __future__ import annotations

import ast

OTHERS = (-1, 0, 0.5, 1, 2)
"""Exponents that are reciprocals, roots, squares and the like where there is one."""


def is_power(node: ast.expr) -> bool:
    """Whether an exponent is a number that is written out, and no such one."""
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, sign = node.operand, -1
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return sign * value not in OTHERS
