"""The loops of a text that are no nests of ``range``, for who asks why nothing is."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looptx.errors import LooptxError, Unsupported
from looptx.source.ast_tools import walked
from looptx.source.text.parse import Parsed


def others(parsed: Parsed) -> Iterator[LooptxError]:
    """Why the loops of a text without nests are none."""
    for node in walked(parsed.tree):
        match node:
            case ast.While():
                message = "a `while` loop"
                hint = "loop over a long enough `range`, and `if not CONDITION: break`"
            case ast.For() | ast.AsyncFor():
                message = "a `for` that is not `for NAME in range(...)`"
                hint = "loop over indices: `for i in range(len(A))`"
            case _:
                continue
        place, line = parsed.place(node), parsed.line(node.lineno)
        yield Unsupported("LX305", message, place, hint=hint, source=line)
