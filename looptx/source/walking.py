"""The nodes of a syntax tree, each tree walked once however often it is asked about."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterator
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from looptx.source.nodes import walk

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


def once(find: Callable[[K], T]) -> Callable[[K], T]:
    """What a function says of a node, or of what was read, is kept as long as it lives.

    It must not hold the node itself. Trees are not changed once they are read.
    """
    known: WeakKeyDictionary[K, T] = WeakKeyDictionary()

    @wraps(find)
    def found(node: K) -> T:
        if node not in known:
            known[node] = find(node)
        return known[node]

    return found


def walked(root: ast.AST) -> tuple[ast.AST, ...]:
    """A node and all below it, as ``ast.walk`` gives them."""
    return (root, *_below(root))


@once
def _below(root: ast.AST) -> tuple[ast.AST, ...]:
    _, *rest = walk(root)
    return tuple(rest)


def operands(node: ast.expr) -> Iterator[ast.expr]:
    """The ends of a tree of operators, however deep."""
    left = [node]
    if isinstance(node, ast.Compare):
        left = [node.left, *node.comparators]
    while left:
        match left.pop():
            case ast.BinOp(first, _, second):
                left += (first, second)
            case ast.UnaryOp(_, value):
                left.append(value)
            case operand:
                yield operand
