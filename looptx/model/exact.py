"""Which reductions are exact in any order: those in integers.

Sums, products, minima, maxima and bit operations of fixed-width integers are
associative and commutative (modulo the width), Python's integers are exact. Everything
not seen to be an integer counts as a float.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from looptx.model.program import Nest, Statement
from looptx.model.types import Type

_INTEGERS = ("uint8", "int32", "int64")
_OPERATORS = (
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.FloorDiv,
    ast.Mod,
    ast.BitAnd,
    ast.BitOr,
    ast.BitXor,
)
_CALLS = ("min", "max", "abs", "int", "len")


def integer_targets(nest: Nest, types: Mapping[str, Type]) -> frozenset[str]:
    """The arrays and scalars of a nest that only ever combine integers.

    A scalar counts as an integer as long as everything assigned to it is one (the
    greatest fixed point), an array as its type says.
    """
    loops = {loop.var for loop in nest.loops.values()}
    known = {name for name, kind in types.items() if kind.dtype in _INTEGERS}
    entering = {name for name in nest.scalars if name in types}
    candidates = {
        name for name in nest.scalars if name in known or name not in entering
    }
    while True:
        names = known | loops | candidates
        wrong = {
            target
            for statement in nest.statements.values()
            for target, value in _assigned(statement)
            if target in candidates and (value is None or not _integer(value, names))
        }
        if not wrong:
            break
        candidates -= wrong
    names = known | loops | candidates
    return frozenset(
        reduction.target.array
        for statement in nest.statements.values()
        if (reduction := statement.reduction) is not None
        and reduction.target.array in names
        and _all_integer(nest, reduction.target.array, names)
    )


def _all_integer(nest: Nest, target: str, names: set[str]) -> bool:
    """Whether every reduction into ``target`` combines integers."""
    return all(
        _integer(statement.reduction.operand, names)
        for statement in nest.statements.values()
        if statement.reduction is not None
        and statement.reduction.target.array == target
    )


def _assigned(statement: Statement) -> list[tuple[str, ast.expr | None]]:
    """(scalar, value) for every binding in a statement; None where it is not plain."""
    result: list[tuple[str, ast.expr | None]] = []
    for node in (inner for code in statement.code for inner in ast.walk(code)):
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    if isinstance(target, ast.Name):
                        result.append((target.id, value))
                    else:
                        names = (n for n in ast.walk(target) if isinstance(n, ast.Name))
                        result += [
                            (n.id, None) for n in names if isinstance(n.ctx, ast.Store)
                        ]
            case ast.AugAssign(ast.Name(name), op, value):
                result.append((name, ast.BinOp(ast.Name(name, ast.Load()), op, value)))
            case ast.AnnAssign(ast.Name(name), _, value):
                result.append((name, value))
            case ast.For(ast.Name(name)):
                result.append((name, ast.Constant(0)))
    return result


def _integer(node: ast.expr, names: set[str]) -> bool:
    """Whether an expression is an integer, given the names that are."""
    match node:
        case ast.Constant(value):
            return type(value) is int
        case ast.Name(name):
            return name in names
        case ast.Attribute():
            return ast.unparse(node) in names
        case ast.Subscript(value):
            while isinstance(value, ast.Subscript):
                value = value.value
            return _integer(value, names)
        case ast.UnaryOp(ast.UAdd() | ast.USub() | ast.Invert(), value):
            return _integer(value, names)
        case ast.BinOp(left, op, right) if isinstance(op, _OPERATORS):
            return _integer(left, names) and _integer(right, names)
        case ast.IfExp(_, then, other):
            return _integer(then, names) and _integer(other, names)
        case ast.Call(ast.Name(name), args, []) if name in _CALLS:
            return name in ("int", "len") or all(_integer(arg, names) for arg in args)
    return False
