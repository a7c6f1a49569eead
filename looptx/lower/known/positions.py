"""Innermost loops without conditions on where they are: in pieces, each without them.

Of ``if j != i`` in a sum over ``j`` C makes a mask, which takes as long as the sum, or
a branch; the pieces in front of ``i`` and behind it have neither.
"""

from __future__ import annotations

from looptx.lower.known.pieces import in_pieces
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    KEPT,
    Assign,
    Block,
    For,
    Function,
    If,
    Run,
    Stmt,
    While,
    parts,
    statements,
    used,
)
from looptx.lower.vectors.strips import rewritten
from looptx.model.records import replace

_LARGEST = 96
"""How many parts the statements have that are written several times."""


def without_positions(scope: Scope, one: Function) -> Function:
    """A function whose innermost loops are cut where conditions on positions change.

    Args:
        scope: the nest.
        one: the function; its loops of vectors are cut already.
    """
    declared = {**one.variables}

    def change(node: Stmt) -> list[Stmt]:
        match node:
            case For(var, _, _, body, None, ()) if _plain(body):
                before, pieces = in_pieces(scope, node, declared)
                left = [x for x, _ in pieces if x.body != (KEPT,)]
                lost = len(left) < len(pieces) and _is_seen(var, one.body)
                if before and not lost:
                    return [*before, *left]
        return [node]

    body = rewritten(one.body, change)
    return replace(one, body=body, variables=declared) if body != one.body else one


def _plain(body: Block) -> bool:
    """Whether a loop is small, runs to its end and has no other in it, nor vectors."""
    if not all(isinstance(node, Assign | If) for node in statements(body)):
        return False
    found = [part.lanes for part in parts(body)]
    return len(found) <= _LARGEST and max(found, default=0) <= 1


def _is_seen(var: str, block: Block) -> bool:
    """Whether a variable is read outside of the loops over it."""
    for node in block:
        match node:
            case For(name, start, stop, body, step, orelse):
                ends = (Run(end) for end in (start, stop, step) if end is not None)
                inner = orelse if name == var else (*body, *orelse)
                found = var in used([*ends]) or _is_seen(var, inner)
            case While(cond, body, orelse) | If(cond, body, orelse):
                found = var in used([Run(cond)]) or _is_seen(var, (*body, *orelse))
            case _:
                found = var in used([node])
        if found:
            return True
    return False
