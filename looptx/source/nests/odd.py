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
    for name, value in _assigned(getattr(tree, "body", [])):
        found.setdefault(name, []).append(value)
    return found


def _assigned(body: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for node in body:
        match node:
            case ast.Assign(targets, value):
                yield from ((x.id, value) for x in targets if isinstance(x, ast.Name))
            case ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
                yield name, value


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
    return isinstance(value, _OTHER)
