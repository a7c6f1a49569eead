"""Whether what a function reads has a value, of each call its own.

In the place of calls the variables of a function keep their values from one to another.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeAlias

from looptx.model.callees.structure import is_endless
from looptx.source.callees.refusals import Refused

Names: TypeAlias = frozenset[str]


def check_known(code: Sequence[ast.stmt], known: Names, own: Names) -> Names | None:
    """See to it that each variable is assigned before it is read.

    Args:
        code: statements. known: the names that have a value before.
        own: the variables of the function.

    Returns:
        The names that have a value behind the statements; None where all ways end.

    Raises:
        Refused: one may have none.
    """
    for stmt in code:
        match stmt:
            case ast.If(test, body, orelse):
                _check_read(test, known, own)
                ways = [check_known(x, known, own) for x in (body, orelse)]
                ends = [names for names in ways if names is not None]
                if not ends:
                    return None
                known = frozenset.intersection(*ends)
            case ast.For(target, over, body, orelse):
                _check_read(over, known, own)
                check_known(body, known | _stored(target), own)
                check_known(orelse, known, own)
                if is_endless(stmt):
                    return None
            case ast.While(test, body, orelse):
                _check_read(test, known, own)
                check_known(body, known, own)
                check_known(orelse, known, own)
                if is_endless(stmt):
                    return None
            case ast.Break() | ast.Continue():
                return None
            case ast.AnnAssign(value=None):
                pass
            case _:
                _check_read(stmt, known, own)
                if isinstance(stmt, ast.Return | ast.Raise):
                    return None
                known |= _stored(stmt)
    return known


def _check_read(node: ast.AST, known: Names, own: Names) -> None:
    """See to it that what a part of a function reads has a value.

    Args:
        node: the part. known, own: as of ``check_known``.
    """
    added = node.target if isinstance(node, ast.AugAssign) else None
    for one in ast.walk(node):
        if not isinstance(one, ast.Name) or one.id in known or one.id not in own:
            continue
        if isinstance(one.ctx, ast.Load) or one is added:
            raise Refused(one, f"may read `{one.id}` before it is assigned")


def _stored(node: ast.AST) -> Names:
    """The names that a node binds."""
    return frozenset(
        one.id
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    )
