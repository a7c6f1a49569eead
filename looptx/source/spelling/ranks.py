"""How many axes the arrays of a function have, as far as it says that anywhere.

That may be wrong of a call: native code looks at the arrays that it is given.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from looptx.model.functions import FILLED, lookup
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.axes import said
from looptx.source.names.scope import Function, Scope, annotation_text

_AXES = re.compile(r"\[[\s:,1]*:[\s:,1]*\]$")
"""The axes in ``float64[:, ::1]``."""


def ranks(function: Function, scope: Scope) -> dict[str, int]:
    """The axes that each array has at least, by (dotted) name.

    Args:
        function: it. scope: its names.
    """
    found: dict[str, int] = {}
    for node in walked(function):
        for name, axes in _said(node, scope):
            found[name] = max(found.get(name, 0), axes)
    found.pop("", None)
    return found


def _said(node: ast.AST, scope: Scope) -> Iterator[tuple[str, int]]:
    """What a node says."""
    match node:
        case ast.arg(name, annotation) if annotation is not None:
            found = _AXES.search(annotation_text(annotation))
            if found:
                yield name, found.group().count(",") + 1
        case ast.Assign([ast.Name(name)], ast.Call(called, [shape, *_])):
            row = lookup(scope.resolve(called))
            if row.fill in ("", "0", "1", FILLED) and not row.like:
                yield name, len(shape.elts) if isinstance(shape, ast.Tuple) else 1
        case _:
            # What is between further brackets may be of the elements of a list.
            yield from ((dotted(array), axes) for array, axes in said(node))
