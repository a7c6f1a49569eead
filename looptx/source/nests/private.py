"""Loops in opaque statements whose variable is one of the nest's own loops, too.

Python has one variable for both. Where nothing else in the statement uses it, the loop
in it has one of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from itertools import count

from looptx.model.elements import Cell
from looptx.model.moves.changes import redirected
from looptx.model.program import Statement
from looptx.model.trees import children
from looptx.source.ast_tools import walked


def names_apart(inside: Collection[str], taken: Collection[str]) -> dict[str, str]:
    """A name for each variable that loops in statements share with those of the nest.

    Args:
        inside: the variables. taken: the names that there are.
    """
    numbered = {name: (f"{name}_{at}" for at in count(2)) for name in inside}
    return {
        name: next(other for other in others if other not in taken)
        for name, others in sorted(numbered.items())
    }


def private(stmt: ast.stmt, names: Collection[str]) -> frozenset[str]:
    """Those of some names that only loops over them, inside of a statement, use."""
    uses = frozenset(x.id for x in walked(stmt) if isinstance(x, ast.Name))
    return (uses & {*names}).difference(_outside(stmt, frozenset()))


def _outside(node: ast.AST, loops: frozenset[str]) -> Iterator[str]:
    """The names that are used outside of the loops over them.

    Args:
        node: where they are. loops: the variables of the loops around it.
    """
    if isinstance(node, ast.Name) and node.id not in loops:
        yield node.id
    if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
        yield from _outside(node.iter, loops)
        for stmt in node.orelse:
            yield from _outside(stmt, loops)
        for stmt in node.body:
            yield from _outside(stmt, loops | {node.target.id})
        return
    for child in children(node):
        yield from _outside(child, loops)


def apart(statement: Statement, names: Mapping[str, str]) -> Statement:
    """A statement with other names for variables of its own."""
    cells: dict[Cell, Cell] = {(old, ()): (new, ()) for old, new in names.items()}
    return redirected(statement, statement.name, cells)
