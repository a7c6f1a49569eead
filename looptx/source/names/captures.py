"""Which names belong to a function, and which it takes from around it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from looptx.source.ast_tools import walked
from looptx.source.names.imports import (
    FUNCTIONS,
    SCOPES,
    arguments,
    bound_names,
    own_nodes,
)

COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def local_names(scope: ast.AST) -> frozenset[str]:
    """The names of a function or lambda that are variables of its own."""
    nodes = [node for node in own_nodes(scope) if node is not scope]
    bound: set[str] = set()
    outside: set[str] = set()
    if isinstance(scope, FUNCTIONS | ast.Lambda):
        bound.update(argument.arg for argument in arguments(scope))
    for node in nodes:
        if isinstance(node, ast.Global | ast.Nonlocal):
            outside.update(node.names)
    own = comprehended(nodes)
    bound.update(bound_names(node for node in nodes if node not in own))
    return frozenset(bound - outside)


def captured(scope: ast.AST) -> frozenset[str]:
    """The names that a scope inside of a function takes from around it.

    Args:
        scope: a function, a lambda, a class or a generator expression.
    """
    nodes = own_nodes(scope)
    own = set(comprehended(nodes))
    if isinstance(scope, ast.GeneratorExp):
        # What it goes through is evaluated where it stands, once.
        own.update(walked(scope.generators[0].iter))
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name) and node not in own:
            found.add(node.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            found.update(node.names)
        elif isinstance(node, SCOPES) and node is not scope:
            found |= captured(node)
    closed = isinstance(scope, FUNCTIONS | ast.Lambda)
    return frozenset(found - local_names(scope) if closed else found)


def comprehended(nodes: Iterable[ast.AST]) -> frozenset[ast.AST]:
    """The names in comprehensions and lambdas that are their own."""
    found: set[ast.AST] = set()
    for node in nodes:
        if isinstance(node, ast.Lambda):
            own = {argument.arg for argument in arguments(node)}
            found.update(
                part
                for part in walked(node.body)
                if isinstance(part, ast.Name) and part.id in own
            )
        if isinstance(node, COMPREHENSIONS):
            first = frozenset(walked(node.generators[0].iter))
            targets = [part for each in node.generators for part in walked(each.target)]
            names = {part.id for part in targets if isinstance(part, ast.Name)}
            found.update(
                part
                for part in walked(node)
                if isinstance(part, ast.Name)
                if part.id in names and part not in first
            )
    return frozenset(found)
