"""Integers that change step by step and are masked in the end, as one expression.

``h *= 0x100000001B3`` and ``h &= 0xFFFFFFFFFFFFFFFF`` behind it are one assignment to
``h``: what there is between them has no place in 64 bits, of which only the lowest bits
count (see ``lower.values.integers.modular``). An array would change in its place where
one expression makes another: so the name must begin as an int, and nothing else may
name what steps make of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from looptx.source.ast_tools import walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Change, Changes, always, spelling

_GROWING = (ast.Add, ast.Sub, ast.Mult, ast.LShift)
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)
_PURE = ("builtins.int", "builtins.len", "builtins.ord")
"""Functions that nobody sees called."""


def _mask(node: ast.AST) -> str:
    """The integer that a statement masks; empty for any other statement."""
    match node:
        case ast.AugAssign(ast.Name(name), ast.BitAnd(), ast.Name()):
            return name
        case ast.AugAssign(ast.Name(name), ast.BitAnd() | ast.Mod(), value):
            return name if _is_literal(value) else ""
    return ""


def _is_literal(node: ast.expr) -> bool:
    """Whether an expression is made of literal ints alone, as ``2**64`` is."""
    match node:
        case ast.BinOp(left, _, right):
            return _is_literal(left) and _is_literal(right)
    return isinstance(node, ast.Constant) and type(node.value) is int


def _is_number(node: ast.expr, name: str, scope: Scope) -> bool:
    """Whether an expression gives an int where a name holds one.

    Args:
        node: it. name: that of the int. scope: of names.
    """
    match node:
        case ast.BinOp(left, _, right):
            return all(_is_number(one, name, scope) for one in (left, right))
        case ast.Call(called):
            return scope.resolve(called) in _PURE
        case ast.Name(one):
            return one == name
    return _is_literal(node)


@spelling(_mask)
def with_steps(function: Function, scope: Scope) -> Changes:
    """Such steps are one, where functions have them in loops."""
    loops = (x for x in own_nodes(function) if isinstance(x, ast.For | ast.While))
    inside = {x: None for loop in loops for x in (loop, *own_nodes(loop, enter=False))}
    masked = {*map(_mask, inside)} - {""}
    named = {name: _is_only_name(name, function, scope) for name in masked}
    for node in inside:
        for block in (getattr(node, "body", ()), getattr(node, "orelse", ())):
            if isinstance(block, list):
                yield from _joined(block, scope, named)


def _is_only_name(name: str, function: Function, scope: Scope) -> bool:
    """Whether nothing but a name holds any of the values that it has.

    Args:
        name: it. function: whose it is. scope: of names.
    """
    own = {*own_nodes(function)}
    plain = {x for node in own for x in _plain(node, scope)}
    # What stands in functions inside it is none of its own.
    for node in walked(function):
        match node:
            case ast.Global(names) | ast.Nonlocal(names) if name in names:
                return False
            case ast.Name(one) if one == name and not (node in plain and node in own):
                return False
            case ast.arg(one) if one == name:
                return False
    return True


def _plain(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """The names in a node that give no other name to their values, nor get one."""
    match node:
        case ast.BinOp(left, _, right):
            yield from (left, right)
        case ast.UnaryOp(_, operand):
            yield operand
        case ast.Compare(left, _, others):
            yield from (left, *others)
        case ast.Subscript(_, at):
            yield at
        case ast.AugAssign(target, _, value):
            yield from (target, value)
        case ast.Assign([ast.Name(name) as target], value):
            # An array that is made here changes in its place, and natively so.
            if _is_number(value, name, scope):
                yield target
        case ast.Return(ast.Tuple(values)):
            yield from values
        case ast.Return(ast.expr() as value):
            yield value


def _joined(
    block: Sequence[ast.stmt], scope: Scope, named: Mapping[str, bool]
) -> Iterator[tuple[ast.AST, Change]]:
    """The changes of a block: the last step does what all did, the others nothing.

    Args:
        block: it. scope: of names. named: the names, and whether nothing else holds
            their values.
    """
    for at, last in enumerate(block):
        name = _mask(last)
        steps = _before(block[:at], name, scope) if name and named[name] else []
        if not any(isinstance(one.op, _GROWING) for one in steps):
            continue
        assert isinstance(last, ast.AugAssign)
        value: ast.expr = ast.Name(name, ast.Load())
        for one in (*steps, last):
            value = ast.copy_location(ast.BinOp(value, one.op, one.value), one)
            ast.fix_missing_locations(value)
        whole = ast.Assign([ast.Name(name, ast.Store())], value)
        yield last, always(ast.fix_missing_locations(ast.copy_location(whole, last)))
        yield from ((x, always(ast.copy_location(ast.Pass(), x))) for x in steps)


def _before(block: Sequence[ast.stmt], name: str, scope: Scope) -> list[ast.AugAssign]:
    """The steps in front of a mask, which change nothing but one integer.

    Args:
        block: what stands in front of it. name: of the integer. scope: of names.
    """
    steps: list[ast.AugAssign] = []
    for one in reversed(block):
        match one:
            case ast.AugAssign(ast.Name(own), op, value) if own == name:
                if not (isinstance(op, (*_GROWING, *_BITS)) and _is_pure(value, scope)):
                    break
                steps.insert(0, one)
                if any(isinstance(x, ast.Name) and x.id == name for x in walked(value)):
                    break
            case _:
                break
    return steps


def _is_pure(value: ast.expr, scope: Scope) -> bool:
    """Whether nobody sees that an expression is computed."""
    odd = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Lambda)
    for node in walked(value):
        if isinstance(node, ast.Call) and scope.resolve(node.func) not in _PURE:
            return False
        if isinstance(node, odd):
            return False
    return True
