"""The outermost loops of a function: each is a nest, if it can be read."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from looptx.model.noted.slices import is_elementwise
from looptx.model.records import dataclass
from looptx.source.ast_tools import blocks, is_part_of_one
from looptx.source.names.imports import FUNCTIONS, own_nodes
from looptx.source.names.scope import Scope
from looptx.source.nests.returns import Ending
from looptx.source.spelling.edits import made
from looptx.source.text.directives import Placed
from looptx.source.text.parse import end_line


@dataclass(frozen=True, slots=True)
class Root:
    """The outermost loop of a nest, or the ``if`` that holds joined nests.

    Attributes:
        loop: the loop; a ``while`` is one statement.
        lowest: the first line that comments of the loop may be on.
        applied: whether it was rewritten before.
        whole: the nest, where it is one statement.
    """

    loop: ast.For | ast.While | ast.If
    lowest: int
    applied: bool = False
    whole: Ending | None = None


def outermost(
    scope: Scope,
    body: Sequence[ast.stmt],
    applied: bool,
    placed: Placed,
    *,
    plain: bool = False,
) -> Iterator[Root]:
    """The outermost loops over ``range`` in a block.

    A loop in which other code runs meanwhile is none, if there are others in it and no
    directive is about it.

    Args:
        scope: of the function. body: the block.
        applied: whether the block is the result of a transformation.
        placed: the directives of the module.
        plain: whether a ``while`` is a root, too.

    Yields:
        The loops, in source order.
    """
    before = 0
    for stmt in body:
        marked = applied or stmt in placed.applied
        inner: list[Root] = []
        if made(stmt) is not None or is_part_of_one(stmt):
            # Python makes an array there.
            pass
        elif scope.is_range_loop(stmt):
            assert isinstance(stmt, ast.For)
            if _hands_over(stmt) and not placed.of(stmt):
                inner = list(outermost(scope, stmt.body, marked, placed, plain=plain))
            yield from inner or [Root(stmt, before + 1, marked)]
        elif _is_root(stmt, plain=plain):
            assert isinstance(stmt, ast.If | ast.While)
            yield Root(stmt, before + 1, marked)
        elif not isinstance(stmt, FUNCTIONS | ast.ClassDef):
            yield from within(scope, stmt, marked, placed, plain=plain)
        before = end_line(stmt)


def within(
    scope: Scope,
    stmt: ast.stmt,
    applied: bool,
    placed: Placed,
    *,
    plain: bool = False,
) -> Iterator[Root]:
    """The outermost loops over ``range`` inside a statement.

    Args:
        scope, applied, placed, plain: as of ``outermost``. stmt: the statement.
    """
    for block in blocks(stmt):
        yield from outermost(scope, block, applied, placed, plain=plain)


def _is_root(stmt: ast.stmt, *, plain: bool) -> bool:
    """Whether a statement is an outermost loop that data end, or stands for several.

    Args:
        stmt: the statement. plain: as of ``outermost``.
    """
    if isinstance(stmt, ast.If):
        return is_elementwise(stmt)
    return plain and isinstance(stmt, ast.While)


def _hands_over(stmt: ast.stmt) -> bool:
    """Whether a statement awaits or yields."""
    handing = (ast.Await, ast.Yield, ast.YieldFrom, ast.AsyncFor, ast.AsyncWith)
    return any(isinstance(node, handing) for node in own_nodes(stmt))
