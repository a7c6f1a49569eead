"""Which names a function binds to what is no number, and no array of numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from looptx.source.ast_tools import once
from looptx.source.names.scope import Scope
from looptx.source.nests.context import Context

_OTHER = (
    ast.Dict
    | ast.Set
    | ast.JoinedStr
    | ast.Lambda
    | ast.DictComp
    | ast.SetComp
    | ast.GeneratorExp
)

_MADE = frozenset(("dict", "set", "frozenset", "str", "repr", "bytes", "object"))
"""Calls of these give no number, whatever the names mean."""


def odd(names: Iterable[str], context: Context) -> frozenset[str]:
    """Those that a nest reads and that are seen to be odd, or may have no value.

    Args:
        names: what it reads. context: of the nest.
    """
    scope, module = context.kinds.scope, _of_module(context.parsed.tree)
    return frozenset(
        name
        for name in names
        if name in context.unset
        or any(map(_is_odd, _given(name, scope) or module.get(name, [])))
    )


def _given(name: str, scope: Scope) -> list[ast.expr]:
    """What a function gives to a name."""
    return [x.value for x in scope.bindings.get(name, ()) if x.value is not None]


@once
def _of_module(tree: ast.AST) -> dict[str, list[ast.expr]]:
    """What a module assigns to its names, outside of functions."""
    found: dict[str, list[ast.expr]] = {}
    for name, value in _assigned(ast.iter_child_nodes(tree)):
        found.setdefault(name, []).append(value)
    return found


def _assigned(body: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    """What statements, and those in them, give to names outside of functions."""
    for node in body:
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    yield from _bound(target, value)
            case ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
                yield name, value
            case (
                ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name)
            ):
                yield name, ast.Constant(None)
            case ast.stmt() | ast.excepthandler() | ast.match_case():
                yield from _assigned(ast.iter_child_nodes(node))


def _bound(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """What one target gives to names."""
    match target, value:
        case ast.Name(name), _:
            yield name, value
        case (
            (ast.Tuple(names) | ast.List(names)),
            (ast.Tuple(parts) | ast.List(parts)),
        ):
            if len(names) == len(parts):
                for one, part in zip(names, parts, strict=True):
                    yield from _bound(one, part)


def _is_odd(value: ast.expr) -> bool:
    """Whether an expression is plainly no number, and no list of numbers."""
    match value:
        case ast.Constant(constant):
            return not isinstance(constant, (int, float, complex))
        case ast.List(parts) | ast.Tuple(parts):
            return any(map(_is_odd, parts))
        case ast.BinOp(left, _, right):
            return _is_odd(left) or _is_odd(right)
        case ast.IfExp(_, then, other):
            return _is_odd(then) or _is_odd(other)
        case ast.BoolOp(_, parts):
            return any(map(_is_odd, parts))
        case ast.Call(ast.Name(name)):
            return name in _MADE
    return isinstance(value, _OTHER)
