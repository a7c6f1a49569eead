"""Statements that may change how long lists are, or give arrays another shape in place.

Whoever has a list may make it longer by any of its names. What a function makes, and
gives to nobody else, has one.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

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

_GIVING = ("builtins.max", "builtins.min")
"""What may give one of its arguments itself."""

_NEW = (ast.List, ast.ListComp, ast.Tuple, ast.BinOp)
"""What a new list may be made by."""


def resized(
    stmt: ast.stmt, names: Collection[str], scope: Scope, *, calls: bool
) -> Iterator[str]:
    """The names of what may have another length, or shape, behind a statement.

    Args:
        stmt: it. names: those that are asked about. scope: of the function.
        calls: whether functions of the user are among what may do so.
    """
    own = _Own(scope)
    shaped = {*_shaped(stmt)}
    changed = {*_changed(stmt, scope, calls=calls)}
    nodes = _written(scope)
    lists = {x for x in changed if not (x and is_array(x, scope, nodes))}
    yield from shaped | lists
    if any(map(own.lacks, shaped)) or "" in lists:
        yield from filter(own.lacks, names)
    elif any(map(own.lacks, lists)):
        others = sorted({*names} - lists)
        yield from (
            name
            for name in others
            if own.lacks(name) and not is_array(name, scope, nodes)
        )


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


def _shaped(stmt: ast.stmt) -> Iterator[str]:
    """The names of the arrays that a statement gives another shape in place."""
    for node in walked(stmt):
        match node:
            case ast.Call(ast.Attribute(of, "resize")):
                yield dotted(of)
            case ast.Attribute(of, "shape" | "dtype" | "strides", ast.Store()):
                yield dotted(of)


class _Own:
    """What a function makes, and has alone."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def lacks(self, name: str) -> bool:
        """Whether a name is not that of something which has no other."""
        if name in self.scope.shared or "." in name or name in self._given:
            return True
        bound = [one.value for one in self.scope.bindings.get(name, ())]
        return not bound or not all(map(self._is_new, bound))

    @cached_property
    def _given(self) -> frozenset[str]:
        """The names of what others may have: it is more than looked at."""
        nodes = walked(self.scope.function)
        seen = {part for node in nodes for part in self._looked_at(node)}
        loads = (x for x in nodes if isinstance(x, ast.Name) and x not in seen)
        return frozenset(x.id for x in loads if isinstance(x.ctx, ast.Load))

    def _looked_at(self, node: ast.AST) -> Sequence[ast.AST | None]:
        """The parts of a node that nobody has for longer than it."""
        match node:
            case ast.Subscript(of) | ast.Attribute(of, "shape" | "size" | "ndim" | "T"):
                return [of]
            case ast.Call(ast.Attribute(of)) if dotted(of):
                return [of]
            case ast.For(iter=of) | ast.comprehension(iter=of) | ast.Return(of):
                return [of]
            case ast.BinOp(left, _, right):
                return [left, right]
            case ast.Compare(left, _, right):
                return [left, *right]
            case ast.Call(function, given, more):
                full = self.scope.resolve(function)
                row, builtin = lookup(full), full.startswith("builtins.")
                if row.pure and (row.fresh or (builtin and full not in _GIVING)):
                    return [*given, *(one.value for one in more)]
        return []

    def _is_new(self, value: ast.expr | None) -> bool:
        """Whether a value is a list, or an array, that nobody else has."""
        if isinstance(value, ast.Call):
            row = lookup(self.scope.resolve(value.func))
            return row.pure and row.fresh
        return isinstance(value, _NEW)
