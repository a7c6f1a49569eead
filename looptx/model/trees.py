"""Pieces of Python's syntax trees that all rooms read alike."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

Tree = TypeVar("Tree", bound=ast.AST)

Form: TypeAlias = tuple[object, ...]
"""A tree as a value; see ``form``."""

_PLAIN = frozenset((str, int, float, complex, bool, bytes, type(None), type(...)))
"""What nodes hold that never changes."""


def dotted(node: ast.AST) -> str:
    """``a.b.c`` for a chain of attributes on a name, otherwise empty."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def brackets(node: ast.expr) -> tuple[ast.expr, list[list[ast.expr]]]:
    """``A[i][j, k]``: the array, and the subscripts in each pair of brackets."""
    groups: list[list[ast.expr]] = []
    while isinstance(node, ast.Subscript):
        inner = node.slice
        groups.insert(0, inner.elts if isinstance(inner, ast.Tuple) else [inner])
        node = node.value
    return node, groups


def has_slices(node: ast.expr) -> bool:
    """Whether the subscripts of an array select more than an element."""
    _, groups = brackets(node)
    return any(isinstance(part, ast.Slice) for group in groups for part in group)


def places_in(node: ast.expr) -> Iterator[ast.expr]:
    """The subscripts in an expression that are numbers."""
    for part in walk(node):
        if isinstance(part, ast.Subscript):
            _, groups = brackets(part)
            yield from (x for x in groups[-1] if not isinstance(x, ast.Slice))


def element(node: ast.expr) -> tuple[ast.expr, list[ast.expr]]:
    """``A[i][j]`` and ``A[i, j]``: the array and the subscripts."""
    base, groups = brackets(node)
    return base, [part for group in groups for part in group]


def forwards(over: ast.expr) -> ast.expr:
    """What ``reversed`` goes through backwards; any other expression itself."""
    match over:
        case ast.Call(ast.Name("reversed"), [inner], []):
            return inner
    return over


class _Inside(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each kind of node that may hold others, found out when asked."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        texts = {"id", "attr", "arg", "kind", "type_comment", "ctx"}
        if kind is ast.Constant:
            texts.add("value")
        self[kind] = tuple(name for name in kind._fields if name not in texts)
        return self[kind]


_INSIDE = _Inside()


class _Written(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each kind of node that say how it is written."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        self[kind] = tuple(name for name in kind._fields if name != "ctx")
        return self[kind]


_WRITTEN = _Written()


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly inside a node, in the order of its fields.

    Whether the node is read or written is none of them.
    """
    found: list[ast.AST] = []
    for name in _INSIDE[type(node)]:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            found.append(value)
        elif isinstance(value, list):
            found += [part for part in value if isinstance(part, ast.AST)]
    return found


def walk(root: ast.AST) -> list[ast.AST]:
    """A node and all nodes inside it, in the order of ``ast.walk``, in less time."""
    found = [root]
    for node in found:
        for name in _INSIDE[type(node)]:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                found.append(value)
            elif isinstance(value, list):
                found += [part for part in value if isinstance(part, ast.AST)]
    return found


def form(node: object) -> Form:
    """What two trees that are written alike have in common: these are equal.

    Where they stand, and whether they are read or written, is no part of it.
    """
    kind = type(node)
    if kind in _PLAIN:
        return kind, node
    if isinstance(node, ast.AST):
        return kind, *[form(getattr(node, x, None)) for x in _WRITTEN[type(node)]]
    return tuple(map(form, node)) if isinstance(node, list) else (kind, node)


def copied(node: Tree) -> Tree:
    """A tree as ``copy.deepcopy`` copies it, in a fifth of the time."""
    made: Tree = _copied(node, {})
    return made


def _copied(node: Any, known: dict[int, Any]) -> Any:
    """A part of it.

    Args:
        node: the part. known: what has been copied so far, by what it is a copy of.
    """
    kind: Any = type(node)
    if kind is list:
        return [_copied(part, known) for part in node]
    if not isinstance(node, ast.AST):
        return node if kind in _PLAIN else copy.deepcopy(node, known)
    made = known.get(id(node))
    if made is None:
        made = known[id(node)] = kind.__new__(kind)
        own = vars(made)
        for name, part in vars(node).items():
            own[name] = part if type(part) in _PLAIN else _copied(part, known)
    return made


def leaves(block: Sequence[ast.stmt]) -> bool:
    """Whether what stands behind a block is not run behind it."""
    leaving = ast.Break | ast.Continue | ast.Return | ast.Raise
    return bool(block) and isinstance(block[-1], leaving)


def identifiers(node: ast.AST) -> set[str]:
    """The names and attributes in a tree."""
    found = set()
    for part in walk(node):
        match part:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                found.add(name)
    return found


Asking = TypeVar("Asking", ast.Assert, ast.Name)


def asking(node: Asking, name: str) -> Asking:
    """A statement behind which a name has a value, or the truth that says so.

    Args:
        node: it. name: the name.
    """
    vars(node)["asks"] = name
    return node


def asks(node: ast.AST) -> str:
    """The name that has a value behind a statement, if it asks that; or nothing."""
    found: str = vars(node).get("asks", "")
    return found


def sure(name: ast.Name) -> ast.Name:
    """A name where it is read only if what stands around it has given it a value."""
    made = ast.copy_location(ast.Name(name.id, name.ctx), name)
    vars(made)["sure"] = True
    return made


def is_sure(name: ast.Name) -> bool:
    """Whether a name is one of those."""
    return "sure" in vars(name)


def numberless(loop: ast.stmt, names: frozenset[str]) -> ast.stmt:
    """A nest where whose start some names are None.

    Args:
        loop: its outermost loop. names: they.
    """
    vars(loop)["numberless"] = names
    return loop


def without_number(loop: ast.stmt) -> frozenset[str]:
    """The names that are None where a nest starts, as far as that is known."""
    found: frozenset[str] = vars(loop).get("numberless", frozenset())
    return found
