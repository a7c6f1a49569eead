"""Calls of a function in itself: which of its arguments have other values then."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection

from looptx.source.names.imports import arguments


class Other(Exception):
    """A function calls itself in another way, or gives a value."""


def is_name(node: ast.AST, name: str) -> bool:
    """Whether something is a name."""
    return isinstance(node, ast.Name) and node.id == name


def pairs(node: ast.FunctionDef, call: ast.Call) -> list[tuple[str, ast.expr]]:
    """The arguments that a call gives another value, in the order of the call.

    Args:
        node: the function. call: of it, in it.

    Raises:
        Other: it has not one argument for each name.
    """
    given = node.args
    known = [one.arg for one in arguments(node)]
    values = [*call.args, *(one.value for one in call.keywords)]
    order = [*known[: len(call.args)], *(str(one.arg) for one in call.keywords)]
    starred = any(isinstance(x, ast.Starred) for x in call.args)
    if starred or given.vararg or given.kwarg or sorted(order) != sorted(known):
        raise Other
    return [
        (name, value)
        for name, value in zip(order, values, strict=True)
        if not is_name(value, name)
    ]


def given_on(others: list[tuple[str, ast.expr]]) -> list[ast.stmt]:
    """What gives arguments the values of a call, all of them at once.

    Args:
        others: they, with what a call gives them.
    """
    targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name, _ in others]
    values = [copy.deepcopy(value) for _, value in others]
    if not others:
        return []
    if not others[1:]:
        return [ast.Assign(targets, values[0])]
    whole = ast.Tuple(targets, ast.Store())
    return [ast.Assign([whole], ast.Tuple(values, ast.Load()))]


def is_plain(bound: ast.expr, fixed: Collection[str]) -> bool:
    """Whether a bound of a range is the same whenever it is asked for.

    Args:
        bound: it. fixed: the arguments that are the same in all calls.
    """
    match bound:
        case ast.Constant() | ast.Name():
            return True
        case ast.UnaryOp(operand=one):
            return is_plain(one, fixed)
        case ast.BinOp(left, _, right):
            return is_plain(left, fixed) and is_plain(right, fixed)
        case ast.Call(ast.Name("len"), [ast.Name(name)], []):
            return name in fixed
        case ast.Attribute(ast.Name(name), "size"):
            return name in fixed
        case ast.Subscript(ast.Attribute(ast.Name(name), "shape"), ast.Constant()):
            return name in fixed
    return False
