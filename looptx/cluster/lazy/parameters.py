"""Which parameters of a function may be written: those come back as new arrays."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence


def written(
    tree: ast.AST, names: Collection[str], parameters: Sequence[str]
) -> tuple[str, ...]:
    """The parameters that nests may write, also by other names.

    What is one array by turns (``A, B = B, A``) is written together: which parameters
    these are does not depend on what a call does.

    Args:
        tree: of the function. names: of arrays that its nests write.
        parameters: of it, in order.
    """
    same: dict[str, set[str]] = {}
    for one, other in _named(tree):
        both = same.setdefault(one, {one}) | same.setdefault(other, {other})
        same |= dict.fromkeys(both, both)
    found = {name for given in names for name in same.get(given, {given})}
    return tuple(name for name in parameters if name in found)


def _named(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """The pairs of names of which one is assigned the other."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    yield from _paired(target, value)
            case ast.AnnAssign(target, _, ast.expr() as value):
                yield from _paired(target, value)


def _paired(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, str]]:
    """The names in a target and in what it is assigned that stand for each other."""
    match target, value:
        case ast.Name(one), ast.Name(other):
            yield one, other
        case ast.Tuple(targets), ast.Tuple(values):
            for part, given in zip(targets, values, strict=False):
                yield from _paired(part, given)
