"""The nodes of a syntax tree, each tree walked once however often it is asked about."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar, cast
from weakref import ref

from looptx.model.trees import children, walk

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
N = TypeVar("N", bound=ast.AST)
P = ParamSpec("P")


def once(find: Callable[Concatenate[K, P], T]) -> Callable[Concatenate[K, P], T]:
    """What a function says of a node, or of what was read, is kept as long as it lives.

    It must not hold the node itself. Trees are not changed once they are read, and what
    else the function is given has to follow from the node.
    """
    # As a ``WeakKeyDictionary``, whose every look and every end is a call of Python.
    known: dict[ref[K], T] = {}
    forget = known.pop

    @wraps(find)
    def found(node: K, /, *more: P.args, **named: P.kwargs) -> T:
        try:
            return known[ref(node)]
        except KeyError:
            pass
        made = find(node, *more, **named)
        known[ref(node, forget)] = made
        return made

    return found


def walked(root: ast.AST) -> tuple[ast.AST, ...]:
    """A node and all below it, as ``ast.walk`` gives them."""
    return (root, *_below(root))


@once
def _below(root: ast.AST) -> tuple[ast.AST, ...]:
    _, *rest = walk(root)
    return tuple(rest)


def below(root: ast.AST, *kinds: type[N]) -> list[N]:
    """The nodes below one that are of some kinds, kind by kind.

    Args:
        root: the node, as a rule a module. kinds: classes without subclasses.
    """
    known = _by_kind(root)
    return cast("list[N]", [node for kind in kinds for node in known.get(kind, ())])


@once
def _by_kind(root: ast.AST) -> Mapping[type[ast.AST], Sequence[ast.AST]]:
    found: dict[type[ast.AST], list[ast.AST]] = {}
    for node in _below(root):
        found.setdefault(type(node), []).append(node)
    return found


def blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements directly inside a statement, in textual order."""
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        value = getattr(node, name, None)
        if not isinstance(value, list) or not value:
            continue
        if isinstance(value[0], ast.stmt):
            yield value
        else:
            for part in value:
                yield from blocks(part)


LOOPS = (ast.For, ast.While)
"""The loops that may be read."""


def is_loop(node: ast.AST) -> bool:
    """Whether a node is one of them."""
    return isinstance(node, LOOPS)


def depth(root: ast.AST, *, paired: bool = False) -> int:
    """How many levels a tree has; ``paired`` if ``a and b and c`` joins two by two."""
    deepest = 0
    left = [(root, 1)]
    while left:
        node, level = left.pop()
        deepest = max(deepest, level)
        below = level + 1
        if paired and isinstance(node, ast.BoolOp):
            below = level + len(node.values)
        left += [(child, below) for child in children(node)]
    return deepest


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


PART = "part of one"
"""What marks statements that are one in the source."""


def is_part_of_one(node: ast.AST) -> bool:
    """Whether a statement is one of several that are one in the source."""
    return PART in vars(node)


FOLLOWS = "follows"
"""What marks a loop that stands for a statement: Python that it is followed by."""


def follows(node: ast.AST) -> str:
    """What a loop is followed by that stands for a statement; empty for others."""
    found: str = vars(node).get(FOLLOWS, "")
    return found


COMPREHENSION = "comprehension"
"""What marks a statement in the place of one that makes a list by a comprehension."""
