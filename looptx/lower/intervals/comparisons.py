"""The comparisons that hold where a test of integers has come out true, or false."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TypeAlias

Operator: TypeAlias = type[ast.cmpop]

MIRRORED: Mapping[Operator, Operator] = {
    ast.Eq: ast.Eq,
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
}
"""What ``b`` is to ``a`` where ``a`` is so to ``b``."""

_NEGATED: Mapping[Operator, Operator] = {
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
}


def comparisons(
    test: ast.expr, holds: bool
) -> Iterator[tuple[ast.expr, Operator, ast.expr]]:
    """What is compared how, in the order of the test: all of them hold.

    Where they were compared the other way round they hold of integers only: a number
    that is none may be neither below another nor not.

    Args:
        test: the test. holds: how it came out.
    """
    match test:
        case ast.UnaryOp(ast.Not(), operand):
            yield from comparisons(operand, not holds)
        case ast.BoolOp(joined, values) if isinstance(joined, ast.And) == holds:
            for value in values:
                yield from comparisons(value, holds)
        case ast.Compare(left, ops, others) if holds or len(ops) == 1:
            for (one, two), op in zip(pairwise([left, *others]), ops, strict=True):
                kind = type(op) if holds else _NEGATED.get(type(op))
                if kind is not None:
                    yield one, kind, two
