"""Rewritten loops whose iterations run together, as runs in another order show them.

In rewritten Python a loop that is parallel, has lanes or is bound to a grid is a plain
one. Here its text says what it is, so that it can run backwards: whatever one iteration
needs of another one is wrong then.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias
from unittest import mock

from fuzz.tiers.case import Answer
from looptx.looptree.nodes import For
from looptx.model.execution.grid import BLOCK
from looptx.model.schedule import Band, Leaf, Sequence, Tree
from looptx.syntax.body import Body
from looptx.syntax.loops import Writer

THREADS, LANES = "threads_", "lanes_"
"""What stands for ``range`` in loops that threads share, and in others of this kind."""


@contextmanager
def told() -> Iterator[None]:
    """Let rewritten text say which loops run together."""
    plain_loop, plain_compound = Writer.loop, Body.compound
    waiting: list[tuple[Body, str]] = []

    def loop(self: Writer, node: For, body: Body) -> None:
        marks = node.marks
        shared = marks.parallel is not None or marks.bind.startswith(BLOCK)
        if shared or marks.bind or marks.vectorize is not None:
            waiting.append((body, THREADS if shared else LANES))
        plain_loop(self, node, body)

    def compound(
        self: Body, head: str, inside: Body, behind: str = "", *, elif_: bool = False
    ) -> None:
        if waiting and waiting[-1][0] is self and head.startswith("for "):
            head = head.replace(" in range(", f" in {waiting.pop()[1]}(", 1)
        plain_compound(self, head, inside, behind, elif_=elif_)

    with (
        mock.patch.object(Writer, "loop", loop),
        mock.patch.object(Body, "compound", compound),
    ):
        yield


def plain(text: str) -> str:
    """A text that says it, as looptx writes it."""
    for name in (THREADS, LANES):
        text = text.replace(f" in {name}(", " in range(")
    return text


def runs_together(text: str) -> bool:
    """Whether a text has such a loop."""
    return plain(text) != text


def misplaced(answer: Answer, buffer: str, where: str) -> str:
    """Why a buffer cannot be in a place, or ``""``.

    Args:
        answer: what looptx made of a text. buffer: the name. where: the place.
    """
    for _, planned in answer.plans:
        if buffer not in {one.name for one in planned.buffers}:
            continue
        known = planned.schedule.nest.statements
        around = {
            loop
            for name, loop in _shared(planned.schedule.tree, ())
            if buffer in {access.array for access in known[name].accesses}
        }
        if where == "shared" and (len(around) > 1 or () in around):
            return "it lives longer than an iteration of threads"
        if where == "local" and len(around) > 1:
            return "several threads use it"
        if where == "local" and not _constant(answer.text, buffer):
            return "its extents are no constants"
    return ""


def elsewhere(answer: Answer, buffer: str, where: str) -> str:
    """Why a buffer is not where it has to be, or ``""``; arguments of ``misplaced``."""
    for _, planned in answer.plans:
        for one in planned.buffers:
            if one.name == buffer and one.where != where:
                return f"it is {one.where or 'anywhere'}"
    return misplaced(answer, buffer, where)


Place: TypeAlias = tuple[int, ...]


def _shared(tree: Tree, place: Place, loop: Place = ()) -> Iterator[tuple[str, Place]]:
    """Each statement with the outermost loop around it that threads share, or ``()``.

    A loop is known by the way to it: of one dimension there may be several.
    """
    match tree:
        case Leaf(name):
            yield name, loop
        case Band(dim, body):
            marks = dim.marks
            shared = marks.parallel is not None or marks.bind.startswith(BLOCK)
            around = loop or ((*place, 0) if shared else ())
            yield from _shared(body, (*place, 0), around)
        case Sequence(children):
            for at, child in enumerate(children, 1):
                yield from _shared(child, (*place, at), loop)


def _constant(text: str, name: str) -> bool:
    """Whether all extents of a buffer are numbers."""
    axes: list[ast.expr] = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Assign(
                [ast.Name(found)], ast.Call(ast.Attribute(_, maker), [shape, *_])
            ):
                if found == name and maker in ("empty", "zeros", "ones"):
                    axes += shape.elts if isinstance(shape, ast.Tuple) else [shape]
    return all(isinstance(axis, ast.Constant) for axis in axes)
