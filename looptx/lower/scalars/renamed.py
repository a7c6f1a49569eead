"""Statements with other names of variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from looptx.lower.tree import (
    Assign,
    Block,
    Expr,
    For,
    If,
    Stmt,
)
from looptx.model.expr import (
    Cond,
    IntExpr,
    Var,
    rewrite_cond,
    substitute,
)
from looptx.model.records import replace


def renamed(block: Block, names: Mapping[str, str]) -> Iterator[Stmt]:
    """Statements with other names of variables.

    Args:
        block: them. names: the new ones, by name.
    """
    for node in block:
        match node:
            case Assign(target, value, op):
                places = renamed_value(target, names), renamed_value(value, names)
                yield Assign(*places, op)
            case If(cond, body, orelse):
                ways = ((*renamed(way, names),) for way in (body, orelse))
                yield If(renamed_value(cond, names), *ways)
            case For(_, start, stop, body, step, orelse):
                ends = renamed_value(start, names), renamed_value(stop, names)
                inside, left = ((*renamed(way, names),) for way in (body, orelse))
                by = step and renamed_value(step, names)
                yield For(node.var, *ends, inside, by, left)
            case _:
                yield node


def renamed_value(expr: Expr, names: Mapping[str, str]) -> Expr:
    """A value with other names of variables."""
    if expr.op == "name":
        return replace(expr, name=names.get(expr.name, expr.name))
    leaves: dict[IntExpr, IntExpr] = {Var(n): Var(m) for n, m in names.items()}
    if isinstance(expr.index, Cond):
        return replace(expr, index=rewrite_cond(expr.index, leaves))
    if isinstance(expr.index, IntExpr):
        places = {n: Var(m) for n, m in names.items()}
        return replace(expr, index=substitute(expr.index, places))
    parts = tuple(renamed_value(part, names) for part in expr.parts)
    return expr if parts == expr.parts else replace(expr, parts=parts)
