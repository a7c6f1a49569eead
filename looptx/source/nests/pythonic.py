"""Which integers are Python's own, whatever a function is called with.

An argument may be a NumPy number, and so may what is computed of one. Its arithmetic
wraps, and its type spreads to what it meets; a variable of a loop over ``range`` is a
Python integer whatever the bounds are.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from looptx.source.ast_tools import children, once, walked
from looptx.source.names.calls import KEEPING
from looptx.source.names.imports import bound_names
from looptx.source.names.integers import Kinds
from looptx.source.names.scope import Binding, Scope
from looptx.source.names.surely import rebound
from looptx.source.nests.affine import constant


def python_integers(
    kinds: Kinds, root: ast.For | ast.If, texts: Iterable[str], module: ast.Module
) -> frozenset[str]:
    """The names, and those of some texts, that are Python integers where a nest starts.

    Args:
        kinds: which names of the function are integers at all.
        root: the nest.
        texts: expressions over integers.
        module: what the function stands in.
    """
    names = _names(kinds, root) | _constants(module) - kinds.scope.bindings.keys()
    parsed = ((text, ast.parse(text, mode="eval").body) for text in texts)
    return names | {text for text, expr in parsed if kinds.is_integer(expr, names)}


def _names(kinds: Kinds, root: ast.For | ast.If) -> frozenset[str]:
    """The names that get nothing but Python integers.

    What an argument was does not count where it surely has a new value, of others.
    """
    scope, new = kinds.scope, rebound(kinds.scope.function, root)
    bound: dict[str, Sequence[Binding]] = {
        name: found
        for name, found in scope.bindings.items()
        if name.isidentifier() and name not in scope.foreign
    }
    again = {name: _later(bound[name]) for name in new & bound.keys()}
    while True:
        names = _greatest(bound, kinds)
        known = {
            name: later
            for name, later in again.items()
            if name not in names and all(_gives(one, kinds, names) for one in later)
        }
        if not known:
            return names
        bound.update(known)


def _later(bindings: Sequence[Binding]) -> Sequence[Binding]:
    return [one for one in bindings if one.kind != "arg"]


def _greatest(bound: Mapping[str, Sequence[Binding]], kinds: Kinds) -> frozenset[str]:
    """The greatest set of names that get nothing else, given the set."""
    names = frozenset(bound)
    while True:
        kept = frozenset(
            name
            for name in names
            if all(_gives(one, kinds, names) for one in bound[name])
        )
        if kept == names:
            return names
        names = kept


def _gives(binding: Binding, kinds: Kinds, names: frozenset[str]) -> bool:
    """Whether a binding gives a Python integer; an annotation does not see to it."""
    if binding.kind == "range":
        return True
    value = binding.value if binding.kind in ("value", "swap") else None
    return value is not None and kinds.is_integer(value, names)


@once
def _constants(module: ast.AST) -> frozenset[str]:
    """The names that a module binds once in all, to an integer literal."""
    bound = Counter(_bound(module))
    assert isinstance(module, ast.Module)
    return frozenset(
        target.id
        for stmt in module.body
        if isinstance(stmt, ast.Assign) and constant(stmt.value) is not None
        for target in stmt.targets
        if isinstance(target, ast.Name) and bound[target.id] == 1 and not bound["*"]
    )


def _bound(module: ast.AST) -> Iterator[str]:
    """Every name that is bound, as often as it is, in whatever scope."""
    yield from bound_names(walked(module))
    for node in walked(module):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]


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


def _computed(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """The nodes that an expression is computed of; no arguments of calls."""
    if isinstance(node, ast.Call) and scope.resolve(node.func) not in KEEPING:
        return
    yield node
    for child in children(node):
        yield from _computed(child, scope)
