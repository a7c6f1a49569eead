"""Arrays that functions make and lose again, without their statements."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.model.callees.callee import Written
from looptx.model.trees import dotted
from looptx.source.names.imports import resolve

_LIKE = ("numpy.empty_like", "numpy.zeros_like", "numpy.ones_like", "numpy.copy")


def live(lines: Sequence[ast.stmt], written: Written) -> list[ast.stmt]:
    """Statements without arrays that have lost their name before anything sees them.

    ``new = np.empty_like(x)`` in front of ``new = x.copy()``, as it is often written,
    makes nothing that is used.
    """
    found = []
    for at, stmt in enumerate(lines):
        match stmt:
            case ast.Assign([ast.Name(name)], value):
                rest = lines[at + 1 :]
                used = {
                    dotted(x.value)
                    for x in ast.walk(written.node)
                    if isinstance(x, ast.Subscript)
                }
                alike = _alike(value, written)
                if alike in used and _is_lost(name, rest):
                    continue
        found.append(stmt)
    return found


def _alike(value: ast.expr, written: Written) -> str:
    """The array that another one is made like, which cannot raise."""
    match value:
        case ast.Call(ast.Attribute(ast.Name(array), "copy"), [], []):
            return array
        case ast.Call(function, [ast.Name(array)], []):
            if resolve(function, written.imports) in _LIKE:
                return array
    return ""


def _is_lost(name: str, rest: Sequence[ast.stmt]) -> bool:
    """Whether a name gets another value before it is used, if it is at all.

    Args:
        name: the name. rest: what follows, and nothing behind that.
    """
    for at, stmt in enumerate(rest):
        parts = [x for x in ast.walk(stmt) if isinstance(x, ast.Name) and x.id == name]
        if not parts:
            continue
        match stmt:
            case ast.Assign([ast.Name(own)]) if own == name:
                return len(parts) == 1
            case ast.For(body=body) if not stmt.orelse:
                # It may have no iterations; each begins with a value of its own.
                later = (x for one in rest[at + 1 :] for x in ast.walk(one))
                unused = not any(
                    isinstance(x, ast.Name) and x.id == name for x in later
                )
                return unused and _is_own(name, body, len(parts))
        return False
    return False


def _is_own(name: str, body: Sequence[ast.stmt], count: int) -> bool:
    """Whether the body of a loop gives a name a value first of all.

    Args:
        name: the name. body: of the loop. count: how often it stands in the loop.
    """
    own = [x for stmt in body for x in ast.walk(stmt) if isinstance(x, ast.Name)]
    return sum(x.id == name for x in own) == count and _is_lost(name, body)
