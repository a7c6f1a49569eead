"""Sums of products: the statements of matrix products, convolutions, and their kin."""

from __future__ import annotations

import ast

from looptx.model.callees.trees import selects
from looptx.model.expr import variables
from looptx.model.program import Statement
from looptx.model.trees import form


def is_contraction(statement: Statement) -> bool:
    """Whether a statement sums up products of different elements over its own loops.

    A sum of squares (``d * d``) is a reduction like that of a row.
    """
    own = statement.reduction
    if own is None or own.op != "+" or not _is_product(own.operand):
        return False
    subscripts = (one for one in own.target.subscripts if one is not None)
    told = {name for one in subscripts for name in variables(one)}
    return not told.issuperset(statement.loops)


def _is_product(value: ast.expr) -> bool:
    """Whether a value is a product of two different ones, perhaps with a factor."""
    match value:
        case ast.UnaryOp(ast.USub() | ast.UAdd(), operand):
            return _is_product(operand)
        case ast.BinOp(left, ast.Mult(), right):
            if selects(left) and selects(right):
                return form(left) != form(right)
            return _is_product(left) or _is_product(right)
    return False
