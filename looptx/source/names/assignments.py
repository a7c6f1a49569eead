"""How names, attributes and elements get their values: every form Python has for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looptx.model.records import dataclass, replace
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.imports import (
    FUNCTIONS,
    assigned_names,
    imported,
)

_STATEMENTS_TEXT = """
FunctionDef AsyncFunctionDef ClassDef Return Delete Assign AugAssign AnnAssign For
AsyncFor While If With AsyncWith Match Raise Try TryStar Assert Import ImportFrom Global
Nonlocal Expr Pass Break Continue
"""
_STATEMENTS = frozenset(_STATEMENTS_TEXT.split())
"""Those of Python 3.11: what later ones bind may be anything."""

ASSIGNING = ast.stmt, ast.NamedExpr, ast.comprehension, ast.withitem, ast.ExceptHandler
"""The nodes that assign, as few do of all that are looked at."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """One way a value gets somewhere.

    Attributes:
        target: a name; or an attribute or a subscript.
        value: what it is, or is taken from: an expression, or the definition of a
            function or class; a text is what is imported; None is anything.
        part: whether it is one of several parts of the value.
        rest: whether it is several such parts, or may be: ``*rest, last = value``.
        swap: whether names are permuted: ``A, B = B, A``.
    """

    target: str | ast.Attribute | ast.Subscript
    value: ast.AST | str | None
    part: bool = False
    swap: bool = False
    rest: bool = False

    @property
    def name(self) -> str:
        """The (dotted) name of the target; empty for others."""
        return self.target if isinstance(self.target, str) else dotted(self.target)


def assignments(node: ast.AST) -> Iterator[Assignment]:
    """What a node itself assigns, without the nodes inside it."""
    if not isinstance(node, ASSIGNING):
        return
    match node:
        case ast.Assign(targets, value):
            for target in targets:
                yield from _assigned(target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(
            target, value
        ):
            yield from _assigned(target, value)
        case ast.AugAssign(target, op, value):
            whole = ast.copy_location(ast.BinOp(_read(target), op, value), node)
            yield from _assigned(target, whole)
        case ast.For() | ast.AsyncFor() | ast.comprehension():
            yield from _assigned(node.target, node.iter, True)
        case ast.withitem(context, ast.expr() as target):
            yield from _assigned(target, context, True)
        case ast.Match(subject, cases):
            parts = (part for case in cases for part in walked(case.pattern))
            for name in assigned_names(parts):
                yield Assignment(name, subject, part=True, rest=True)
        case ast.Import() | ast.ImportFrom():
            for name, meaning in imported(node):
                yield Assignment(name, meaning)
        case ast.ExceptHandler(name=str(name)):
            yield Assignment(name, None)
        case _ if isinstance(node, FUNCTIONS | ast.ClassDef):
            yield Assignment(node.name, node)
        case ast.stmt() if type(node).__name__ not in _STATEMENTS:
            for name in assigned_names(walked(node)):
                yield Assignment(name, None)


def _assigned(
    target: ast.expr, value: ast.expr, part: bool = False
) -> Iterator[Assignment]:
    """A target gets a value, or a part of it."""
    match target:
        case ast.Name(name):
            yield Assignment(name, value, part)
        case ast.Attribute() | ast.Subscript():
            yield Assignment(target, value, part)
        case ast.Starred(inside):
            for one in _assigned(inside, value, True):
                yield replace(one, rest=True)
        case ast.Tuple() | ast.List():
            swap = not part and _is_swap(target, value)
            for element, own in unpacked(target, value):
                if own is None or part:
                    yield from _assigned(element, value, True)
                elif swap and isinstance(element, ast.Name | ast.Attribute):
                    into = element.id if isinstance(element, ast.Name) else element
                    yield Assignment(into, own, swap=True)
                else:
                    yield from _assigned(element, own)


def unpacked(
    target: ast.Tuple | ast.List, value: ast.expr
) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """The elements of a tuple target, each with the expression it gets, if known.

    ``n, m = A.shape`` gives ``A.shape[0]`` and ``A.shape[1]``.
    """
    given = value.elts if isinstance(value, ast.Tuple | ast.List) else []
    starred = any(isinstance(each, ast.Starred) for each in (*target.elts, *given))
    for number, element in enumerate(target.elts):
        part: ast.expr | None = None
        if given and not starred:
            if len(given) == len(target.elts):
                part = given[number]
        elif isinstance(value, ast.Attribute) and value.attr == "shape" and not starred:
            part = ast.copy_location(
                ast.Subscript(value, ast.Constant(number), ast.Load()), value
            )
            ast.fix_missing_locations(part)
        yield element, part


def _is_swap(target: ast.expr, value: ast.expr) -> bool:
    """Whether ``target = value`` only permutes names."""
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return False
    ours = sorted(dotted(element) for element in target.elts)
    return "" not in ours and ours == sorted(dotted(part) for part in value.elts)


def _read(target: ast.expr) -> ast.expr:
    """The target of an augmented assignment as the expression that reads it."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target
