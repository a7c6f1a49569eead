"""Which integers are Python's own, whatever a function is called with, or as good."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from looptx.model.functions import When
from looptx.model.trees import children
from looptx.source.ast_tools import once, walked
from looptx.source.flow.held import Held
from looptx.source.kinds.integers import Kinds
from looptx.source.names.calls import integral
from looptx.source.names.imports import bound_names
from looptx.source.names.scope import Scope

_SUMS = ast.UnaryOp | ast.UAdd | ast.USub | ast.BinOp | ast.Add | ast.Sub
_ARITHMETIC = _SUMS | ast.Mult | ast.FloorDiv


def python_integers(
    kinds: Kinds, held: Mapping[str, Held], texts: Iterable[str], module: ast.Module
) -> frozenset[str]:
    """The names, and those of some texts, that are Python integers where a nest starts.

    Args:
        kinds: which names of the function are integers at all.
        held: what names hold there.
        texts: expressions over integers.
        module: that of the function.
    """
    own = frozenset(name for name, each in held.items() if each.python)
    names = own | _constants(module) - kinds.scope.bindings.keys()
    parsed = ((text, ast.parse(text, mode="eval").body) for text in texts)
    return names | {text for text, expr in parsed if kinds.is_integer(expr, names)}


@once
def _constants(module: ast.AST) -> frozenset[str]:
    """The names that a module binds once in all, to what integer literals make."""
    bound = Counter(_bound(module))
    assert isinstance(module, ast.Module)
    return frozenset(
        target.id
        for stmt in module.body
        if isinstance(stmt, ast.Assign) and _is_constant(stmt.value)
        for target in stmt.targets
        if isinstance(target, ast.Name) and bound[target.id] == 1 and not bound["*"]
    )


def _is_constant(value: ast.expr) -> bool:
    """Whether a value is an integer literal, or a sum or product of some."""
    if not isinstance(value, ast.Constant | ast.UnaryOp | ast.BinOp):
        return False
    return all(
        type(node.value) is int
        if isinstance(node, ast.Constant)
        else isinstance(node, _ARITHMETIC)
        for node in walked(value)
    )


def _bound(module: ast.AST) -> Iterator[str]:
    """Every name that is bound, as often as it is, in whatever scope."""
    yield from bound_names(walked(module))
    for node in walked(module):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias) and node.name == "*":
            yield node.name


@once
def ranged(kinds: Kinds) -> frozenset[str]:
    """The variables of a function that only say ranges, subscripts and shapes.

    Nobody sees whether such an integer is Python's own.
    """
    scope = kinds.scope
    if scope.wild:
        return frozenset()
    inside: set[ast.AST] = set()
    for node in walked(scope.function):
        places: list[ast.expr] = []
        if isinstance(node, ast.Subscript):
            places = [node.slice]
        elif isinstance(node, ast.Call) and scope.is_range(node):
            places = node.args
        elif isinstance(node, ast.Call) and kinds.is_shaped(node):
            places = node.args[:1]
        for place in places:
            inside.update(_computed(place, scope))
    elsewhere = {
        node.id
        for node in walked(scope.function)
        if isinstance(node, ast.Name) and node not in inside
        if isinstance(node.ctx, ast.Load)
    }
    # These keep a type, too, or pass it on.
    for node in walked(scope.function):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            elsewhere.add(node.target.id)
        elif isinstance(node, ast.NamedExpr):
            elsewhere.update(x.id for x in walked(node) if isinstance(x, ast.Name))
    names = frozenset(filter(str.isidentifier, scope.bindings))
    return names - elsewhere - scope.shared


def _keeps(call: ast.Call, scope: Scope) -> bool:
    """Whether a call gives an integer of the type that it is given."""
    return integral(scope.resolve(call.func)) is When.ALL


def _computed(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """The nodes that an expression is computed of; no arguments of calls."""
    if isinstance(node, ast.Call) and not _keeps(node, scope):
        return
    yield node
    for child in children(node):
        yield from _computed(child, scope)
