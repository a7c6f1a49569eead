"""Statements that may change how long lists are; of arrays only ``resize`` does it.

Whoever has a list may make it longer by any of its names. What a function makes, and
gives no other name, has one.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from looptx.model.functions import lookup, lookup_method
from looptx.model.noted.slices import is_elementwise
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.scope import Scope
from looptx.source.spelling.arrays import is_array
from looptx.source.spelling.lists.noted import listed

_METHODS = frozenset(
    (
        *("append", "appendleft", "clear", "extend", "extendleft", "insert"),
        *("pop", "popleft", "remove"),
    )
)
_NEW = (ast.List, ast.ListComp, ast.Tuple, ast.BinOp)
"""What a new list may be made by."""


def resized(
    stmt: ast.stmt, names: Collection[str], scope: Scope, *, calls: bool
) -> Iterator[str]:
    """The names of what may be a list that has another length behind a statement.

    Args:
        stmt: it. names: those that are asked about. scope: of the function.
        calls: whether functions of the user are among what may do so.
    """
    for node in walked(stmt):
        match node:
            case ast.Call(ast.Attribute(of, "resize")):
                yield dotted(of)
    nodes = _written(scope)
    found = {
        name
        for name in _changed(stmt, scope, calls=calls)
        if not is_array(name, scope, nodes)
    }
    yield from found
    if not all(_is_own(name, scope) for name in found):
        for name in sorted({*names} - found):
            if not (_is_own(name, scope) or is_array(name, scope, nodes)):
                yield name


def _written(scope: Scope) -> list[ast.AST]:
    """The nodes of a function but for those of loops that it does not have."""
    nodes = walked(scope.function)
    loops = (x for x in nodes if isinstance(x, ast.For) and is_elementwise(x))
    spelled = {x for loop in loops for x in walked(loop)}
    return [x for x in nodes if x not in spelled]


def _changed(stmt: ast.stmt, scope: Scope, *, calls: bool) -> Iterator[str]:
    """The names of the lists that a statement changes; empty for one without.

    Args:
        stmt, scope, calls: as of ``resized``.
    """
    counts = {one.count: one.name for one in listed(scope.function).values()}
    for node in walked(stmt):
        match node:
            case ast.Name(name, ast.Store()) if name in counts:
                yield counts[name]
            case ast.Call(ast.Attribute(of, method)) if method in _METHODS:
                yield dotted(of)
            case ast.Call(function) if calls and not _is_quiet(function, scope):
                yield ""
            case ast.Yield() | ast.YieldFrom() | ast.Await():
                yield ""
            case ast.For() if is_elementwise(node):
                # A statement on arrays means something else where there are lists.
                inner = (x for x in walked(node) if isinstance(x, ast.Subscript))
                yield from (dotted(x.value) for x in inner if _is_stored(x))
            case ast.Delete(targets):
                parts = (x for x in targets if isinstance(x, ast.Subscript))
                yield from (dotted(x.value) for x in parts)
            case ast.AugAssign(target, _, value):
                # What has a name of its own by another one may be a list, too.
                bound = _values(target, scope)
                again = any(isinstance(x, ast.Name) for x in bound)
                if again or any(map(_is_list, (value, *_values(value, scope)))):
                    yield dotted(target)
            case ast.Assign([ast.Subscript(of, ast.Slice())]) if dotted(of):
                yield dotted(of)


def _values(node: ast.expr, scope: Scope) -> list[ast.expr | None]:
    """What a name is bound to in a function; nothing for what is none."""
    return [one.value for one in scope.bindings.get(dotted(node), ())]


def _is_list(node: ast.expr | None) -> bool:
    return isinstance(node, ast.List | ast.ListComp)


def _is_stored(node: ast.Subscript) -> bool:
    return isinstance(node.ctx, ast.Store)


def _is_quiet(function: ast.expr, scope: Scope) -> bool:
    """Whether a function is known to change nothing that it is given."""
    full = scope.resolve(function)
    if lookup(full).pure or full == "builtins.print":
        return True
    method = function.attr if isinstance(function, ast.Attribute) and not full else ""
    return lookup_method(method).pure


def _is_own(name: str, scope: Scope) -> bool:
    """Whether a list is one that the function makes, by its only name."""
    if name in scope.shared or "." in name:
        return False
    bound = [one.value for one in scope.bindings.get(name, ())]
    others = (x.value for x in walked(scope.function) if isinstance(x, ast.Assign))
    again = any(isinstance(x, ast.Name) and x.id == name for x in others)
    return bool(bound) and not again and all(_is_new(x, scope) for x in bound)


def _is_new(value: ast.expr | None, scope: Scope) -> bool:
    """Whether a value is a list, or an array, that nobody else has."""
    if isinstance(value, ast.Call):
        row = lookup(scope.resolve(value.func))
        return row.pure and row.fresh
    return isinstance(value, _NEW)
