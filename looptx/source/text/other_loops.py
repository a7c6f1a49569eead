"""The loops of a text that are no nests of ``range``, for who asks why nothing is."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TypeAlias

from looptx.errors import LooptxError, Unsupported
from looptx.model.trees import children
from looptx.source.ast_tools import follows, is_part_of_one, walked
from looptx.source.text.parse import Parsed

_LOOPS = (ast.While, ast.For, ast.AsyncFor)
_Loop: TypeAlias = ast.While | ast.For | ast.AsyncFor


def others(parsed: Parsed) -> Iterator[LooptxError]:
    """Why the loops of a text without nests are none."""
    for node in walked(parsed.whole):
        if isinstance(node, _LOOPS) and not _is_other(node):
            yield _none(parsed, node)


def beside(parsed: Parsed, known: Collection[int]) -> Iterator[LooptxError]:
    """Why loops are none that hold no nest and are in none.

    Args:
        parsed: the text.
        known: the lines of its nests, and of what is said of other loops already.
    """
    pending: list[ast.AST] = [parsed.whole]
    while pending:
        node = pending.pop()
        if _is_other(node):
            continue
        if isinstance(node, _LOOPS):
            if node.lineno in known:
                continue
            last = node.end_lineno or node.lineno
            if not any(node.lineno <= line <= last for line in known):
                yield _none(parsed, node)
                continue
        pending += reversed([*children(node)])


def _is_other(node: ast.AST) -> bool:
    """Whether a loop is no loop of the source."""
    return is_part_of_one(node) or bool(follows(node))


def _none(parsed: Parsed, node: _Loop) -> LooptxError:
    """Why a loop is no nest."""
    if isinstance(node, ast.While):
        message = "a `while` loop"
        hint = "loop over a long enough `range`, and `if not CONDITION: break`"
    else:
        message = "a `for` that is not `for NAME in range(...)`"
        hint = "loop over indices: `for i in range(len(A))`"
    place, line = parsed.place(node), parsed.line(node.lineno)
    return Unsupported("LX305", message, place, hint=hint, source=line)
