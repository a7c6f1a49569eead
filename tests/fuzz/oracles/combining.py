"""Reductions whose order is free, rewritten so that their terms are a set."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

EVERY, BUT = "*", "but "
"""All names, and what stands before one that is none of them."""


class Combining(ast.NodeTransformer):
    """Makes reductions whose order is free call ``combined``.

    A term that is subtracted is a negative one.
    """

    def __init__(self, free: frozenset[str]) -> None:
        self.free = free

    def _named(self, target: ast.expr) -> bool:
        inner = target.value if isinstance(target, ast.Subscript) else target
        name = inner.id if isinstance(inner, ast.Name) else ""
        return name in self.free or (EVERY in self.free and BUT + name not in self.free)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        names = {ast.Add: "+", ast.Sub: "+", ast.Mult: "*"}
        op = names.get(type(node.op))
        if op is None or not self._named(node.target):
            return node
        value = _negated(node.value) if isinstance(node.op, ast.Sub) else node.value
        return _assign(node.target, _call(op, _load(node.target), value))

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        target, value = node.targets[0], node.value
        if not self._named(target):
            return node
        old = _load(target)
        for op, first, rest in _reductions(value):
            same = _same(old, first)
            if same is not None:
                total = old
                for term in rest:
                    total = _call(op, total, term)
                value = ast.IfExp(same, total, value)
        return _assign(target, value)


def _reductions(
    value: ast.expr,
) -> Iterator[tuple[str, ast.expr, Sequence[ast.expr]]]:
    """The ways to read a value as a term that others are combined with."""
    match value:
        case ast.Call(ast.Name("min" | "max" as name), [one, two]):
            yield name, one, [two]
            yield name, two, [one]
        case ast.BinOp(left, ast.Add(), right):
            yield "+", right, [left]
        case ast.BinOp(left, ast.Mult(), right):
            yield "*", right, [left]
    for op, kinds in (("+", (ast.Add, ast.Sub)), ("*", (ast.Mult,))):
        first, *rest = _spine(value, kinds)
        if rest:
            yield op, first, rest


def _same(old: ast.expr, other: ast.expr) -> ast.expr | None:
    """When an expression is what the target held; None for never."""
    if ast.dump(old) == ast.dump(other):
        return ast.Constant(True)
    match old, other:
        case ast.Subscript(ast.Name(one), at), ast.Subscript(ast.Name(two), where):
            return ast.Compare(at, [ast.Eq()], [where]) if one == two else None
    return None


def _spine(value: ast.expr, kinds: tuple[type[ast.operator], ...]) -> list[ast.expr]:
    """The terms of a sum or product, from left to right."""
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, kinds):
        return [value]
    right = _negated(value.right) if isinstance(value.op, ast.Sub) else value.right
    return [*_spine(value.left, kinds), right]


def _negated(value: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.USub(), value)


def _call(op: str, *args: ast.expr) -> ast.expr:
    function = ast.Name("combined", ast.Load())
    return ast.Call(function, [ast.Constant(op), *args], [])


def _load(target: ast.expr) -> ast.expr:
    found = ast.parse(ast.unparse(target), mode="eval").body
    return found


def _assign(target: ast.expr, value: ast.expr) -> ast.stmt:
    return ast.Assign([target], value)
