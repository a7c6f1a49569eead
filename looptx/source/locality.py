"""Local names that a rewritten function would take for global ones.

A name is local to a function that binds it anywhere, though the statement never runs.
Where it has no value, reading it fails, and does not find another variable outside.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looptx.source.imports import FUNCTIONS, arguments, bound_names, own_nodes
from looptx.source.scope import Function
from looptx.source.walking import walked


def lost(old: Function, new: Function) -> tuple[str, ...]:
    """The local names of a function that are mentioned in a new one, but not local.

    Args:
        old: the function. new: what became of it.
    """
    gone = _local(old) - _local(new)
    return tuple(sorted(gone & frozenset(_mentioned(new)))) if gone else ()


def functions(tree: ast.AST) -> list[Function]:
    """All functions of a module, in an order that their statements do not change."""
    return [node for node in walked(tree) if isinstance(node, FUNCTIONS)]


def _local(function: Function) -> frozenset[str]:
    nodes = [node for node in own_nodes(function) if node is not function]
    bound = {argument.arg for argument in arguments(function)}
    outside: set[str] = set()
    comprehended: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.alias):
            bound.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.Global | ast.Nonlocal):
            outside.update(node.names)
        elif isinstance(node, ast.comprehension):
            comprehended.update(map(id, walked(node.target)))
    bound.update(bound_names(n for n in nodes if id(n) not in comprehended))
    return frozenset(bound - outside)


def _mentioned(function: Function) -> Iterator[str]:
    """The names that a function, or one inside of it, takes from somewhere."""
    own = frozenset(_comprehended(function))
    for node in walked(function):
        if isinstance(node, ast.Name) and id(node) not in own:
            yield node.id
        elif isinstance(node, ast.Nonlocal):
            yield from node.names


def _comprehended(function: Function) -> Iterator[int]:
    """The names in comprehensions that are their own variables, by ``id``."""
    for node in walked(function):
        if isinstance(
            node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
        ):
            first = frozenset(map(id, walked(node.generators[0].iter)))
            targets = [part for each in node.generators for part in walked(each.target)]
            names = {part.id for part in targets if isinstance(part, ast.Name)}
            for part in walked(node):
                own = isinstance(part, ast.Name) and part.id in names
                if own and id(part) not in first:
                    yield id(part)
