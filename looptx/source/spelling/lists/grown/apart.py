"""That a list which a loop only appends to is no other one that the loop looks at.

Its elements are not known to the loop: what is appended is not seen in another list, or
in a row of one, even where that is the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.liveness import binds
from looptx.source.names.scope import Scope
from looptx.source.spelling.lists.regions import Region

_LISTS = "([].__class__, ().__class__)"
_ROWS = (
    f"not any({{name}} is row for row in ({{other}} if {{other}}.__class__ in {_LISTS}"
    f" and {{other}} and {{other}}[0].__class__ in {_LISTS} else ()))"
)
_PLAIN = "not isinstance(getattr({owner}.__class__, {attribute!r}, None), property)"

_ASKED = ("any", "isinstance", "getattr", "property")
"""The builtins of these tests."""

_NUMBERS = frozenset(f"builtins.{name}" for name in ("range", "abs", "int", "float"))
"""What is given numbers, as functions of ``math`` are."""


def apart(region: Region, scope: Scope) -> list[str]:
    """The tests that tell it, in Python.

    Args:
        region: the list, and the loop. scope: of the function.
    """
    nodes, own = walked(region.loop), binds([region.loop])
    numbers = {part for node in nodes for part in _numbers(node, scope)}
    owners = {node.value for node in nodes if isinstance(node, ast.Attribute)}
    called = {node.func for node in nodes if isinstance(node, ast.Call)}
    rows = _has_rows(nodes, own, scope)
    found: list[str] = []
    for node in nodes:
        text = "" if node in numbers | owners | called else dotted(node)
        if not text or {text, text.partition(".")[0]} & {region.name, *own}:
            continue
        if isinstance(getattr(node, "ctx", None), ast.Load) and not scope.resolve(node):
            found += _tests(region.name, text, rows=rows)
    if found and any(map(scope.hides, _ASKED)):
        return ["False"]
    return [*dict.fromkeys(found)]


def _numbers(node: ast.AST, scope: Scope) -> Sequence[ast.AST]:
    """The parts of a node that are numbers where it is native."""
    match node:
        case ast.BinOp(left, _, right):
            return [left, right]
        case ast.UnaryOp(_, of) | ast.Subscript(slice=of):
            return [of]
        case ast.Compare(left, signs, others):
            searched = any(isinstance(sign, ast.In | ast.NotIn) for sign in signs)
            return [] if searched else [left, *others]
        case ast.Call(function, given):
            full = scope.resolve(function)
            return given if full in _NUMBERS or full.startswith("math.") else []
    return []


def _tests(name: str, other: str, *, rows: bool) -> Iterator[str]:
    """The tests for another list.

    Args:
        name: of the list. other: what the other one is called.
        rows: whether the rows of the other one are asked, too.
    """
    owner, _, attribute = other.rpartition(".")
    if owner:
        yield _PLAIN.format(owner=owner, attribute=attribute)
    yield f"{name} is not {other}"
    if rows:
        yield _ROWS.format(name=name, other=other)


def _has_rows(nodes: Sequence[ast.AST], own: frozenset[str], scope: Scope) -> bool:
    """Whether what is in a list may be looked at as a list itself.

    Args:
        nodes: of the loop. own: the names that it binds. scope: of the function.
    """
    parts = (part for node in nodes for part in _gone_through(node, scope))
    return any(isinstance(part, ast.Subscript) or dotted(part) in own for part in parts)


def _gone_through(node: ast.AST, scope: Scope) -> Sequence[ast.AST]:
    """What a node may take for a list."""
    match node:
        case ast.Subscript(of) | ast.For(iter=of) | ast.comprehension(iter=of):
            return [of]
        case ast.Compare(_, _, others):
            return others
        case ast.Call(_, given) if not _numbers(node, scope):
            return given
    return []
