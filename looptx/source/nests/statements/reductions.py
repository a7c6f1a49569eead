"""Statements that only combine a new value into their target: ``s = s + x``."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.model.elements import Access
from looptx.model.functions import lookup
from looptx.model.program import Reduction
from looptx.model.trees import dotted, form
from looptx.source.ast_tools import walked
from looptx.source.names.scope import Scope

_SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "+",
    ast.Mult: "*",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
Found = tuple[str, ast.expr]


def reduction(
    stmt: ast.stmt, accesses: Sequence[Access], scope: Scope
) -> Reduction | None:
    """The reduction a statement is, if it is one.

    The combined value must not read the target: neither the scalar, nor a cell of the
    target array that is, or may be for all that is known, the same.

    Args:
        stmt: the statement. accesses: what it reads and writes.
        scope: what its names mean.

    Returns:
        The reduction, or None.
    """
    pair = combination(stmt, scope) or _conditional(stmt, scope)
    if pair is None:
        return None
    target, (op, operand) = pair
    name = _name(target)
    writes = [access for access in accesses if access.write]
    if len(writes) != 1 or writes[0].array != name:
        return None
    written = writes[0]
    if _reads_target(target, operand, written, accesses, scope):
        return None
    return Reduction(op, written, operand)


def _reads_target(
    target: ast.expr,
    operand: ast.expr,
    written: Access,
    accesses: Sequence[Access],
    scope: Scope,
) -> bool:
    """Whether the operand, or a subscript of the target, reads what is written.

    Args:
        target: what is written. operand: what is combined with it.
        written: the access of the target. accesses: all of the statement.
        scope: what names mean.
    """
    name = _name(target)
    parts = [operand]
    if isinstance(target, ast.Subscript):
        parts.append(target.slice)
    inside = [node for part in parts for node in walked(part)]
    if any(_is_given(node, name, scope) for node in inside):
        return True
    mentioned = any(
        isinstance(node, ast.Name | ast.Attribute) and dotted(node) == name
        for node in inside
    )
    if not mentioned:
        return False
    if not isinstance(target, ast.Subscript) or not written.subscripts:
        return True
    text = ast.dump(target.slice)
    if any(
        isinstance(node, ast.Subscript)
        and _name(node) == name
        and ast.dump(node.slice) == text
        for node in inside
    ):
        return True
    # Other cells of the array are ordered by their own dependences, if they are exact.
    return any(
        access.array == name and (not access.subscripts or None in access.subscripts)
        for access in accesses
    )


def _is_given(node: ast.AST, name: str, scope: Scope) -> bool:
    """Whether a call of a function of the user has an array of a name.

    Args:
        node: the call. name: of the array. scope: what names mean.
    """
    callee = scope.callee(node)
    if callee is None or not isinstance(node, ast.Call):
        return False
    given = callee.given(node) or {}
    return any(dotted(given[one]) == name for one in callee.arrays)


def combination(stmt: ast.stmt, scope: Scope) -> tuple[ast.expr, Found] | None:
    """The target of ``s = s + x`` with what is combined how, whatever ``x`` reads."""
    found: Found | None = None
    match stmt:
        case ast.AugAssign(target, op, value):
            symbol = _SYMBOLS.get(type(op))
            if symbol is not None:
                found = symbol, _signed(op, value)
        case ast.Assign([target], value) if isinstance(
            target, ast.Name | ast.Subscript
        ):
            found = _combined(target, value, scope)
        case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
            found = _combined(target, value, scope)
        case ast.If(test, [ast.Assign([target], value)], []):
            if isinstance(target, ast.Name | ast.Subscript):
                found = _selected(target, test, value, target)
        case _:
            return None
    return None if found is None else (target, found)


def _conditional(stmt: ast.stmt, scope: Scope) -> tuple[ast.expr, Found] | None:
    """The same of ``if c: s = s + x``, whose condition does not read the target.

    Behind ``else`` may stand what combines another value with it in the same way.
    """
    match stmt:
        case ast.If(test, [inner], rest) if len(rest) < 2:
            parts = [inner, *rest]
            pairs = [combination(x, scope) or _conditional(x, scope) for x in parts]
            found = [pair for pair in pairs if pair is not None]
            targets = {(form(target), op) for target, (op, _) in found}
            if len(found) < len(parts) or len(targets) > 1:
                return None
            target, (op, operand) = found[0]
            if _name(target) in map(dotted, walked(test)):
                return None
            if rest:
                one, two = operand, found[1][1][1]
                operand = ast.copy_location(ast.IfExp(test, one, two), operand)
            return target, (op, operand)
    return None


def _combined(target: ast.expr, value: ast.expr, scope: Scope) -> Found | None:
    match value:
        case ast.BinOp(left, op, right):
            symbol = _SYMBOLS.get(type(op))
            if symbol is None:
                return None
            if _same(target, right) and not isinstance(op, ast.Sub):
                return symbol, left
            operand = _spine(target, value, symbol)
            return None if operand is None else (symbol, operand)
        case ast.Call(func, args, []):
            name = lookup(scope.resolve(func)).combines
            others = [arg for arg in args if not _same(target, arg)]
            if not name or len(others) != len(args) - 1 or not others:
                return None
            if len(others) == 1:
                return name, others[0]
            return name, ast.copy_location(ast.Call(func, others, []), value)
        case ast.IfExp(test, then, other):
            return _selected(target, test, then, other)
    return None


def _spine(target: ast.expr, value: ast.expr, symbol: str) -> ast.expr | None:
    """``a + b`` from ``s + a + b``: what follows the target on the left spine."""
    if not isinstance(value, ast.BinOp) or _SYMBOLS.get(type(value.op)) != symbol:
        return None
    if _same(target, value.left):
        return _signed(value.op, value.right)
    left = _spine(target, value.left, symbol)
    if left is None:
        return None
    return ast.copy_location(ast.BinOp(left, value.op, value.right), value)


def _selected(
    target: ast.expr, test: ast.expr, then: ast.expr, other: ast.expr
) -> Found | None:
    """``x if x > s else s`` and its seven relatives."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    left, right = test.left, test.comparators[0]
    greater = isinstance(test.ops[0], ast.Gt | ast.GtE)
    if not greater and not isinstance(test.ops[0], ast.Lt | ast.LtE):
        return None
    operand = then if _same(target, other) else other
    if not _same(target, then if operand is other else other):
        return None
    if _same(target, right) and _same(operand, left):
        first_is_new = True
    elif _same(target, left) and _same(operand, right):
        first_is_new = False
    else:
        return None
    new_is_kept = operand is then
    return ("max" if greater == (first_is_new == new_is_kept) else "min"), operand


def _signed(op: ast.operator, value: ast.expr) -> ast.expr:
    if not isinstance(op, ast.Sub):
        return value
    return ast.copy_location(ast.UnaryOp(ast.USub(), value), value)


def _same(first: ast.expr, second: ast.expr) -> bool:
    """Whether two expressions are written alike, reading or writing aside."""
    return type(first) is type(second) and form(first) == form(second)


def _name(target: ast.expr) -> str:
    while isinstance(target, ast.Subscript):
        target = target.value
    return dotted(target)
