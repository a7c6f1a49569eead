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
from looptx.source.names.scope import Function, Scope, annotation_text
from looptx.source.names.subscripts import index_list

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
            said = _AXES.search(annotation_text(annotation))
            if said:
                yield name, said.group().count(",") + 1
        case ast.Subscript(ast.Attribute(array, "shape"), ast.Constant(int(axis))):
            yield dotted(array), axis + 1 if axis >= 0 else -axis
        case ast.Subscript(base):
            # What is between further brackets may be of the elements of a list.
            own = [x for x in index_list(node) if not _is_no_axis(x)]
            yield dotted(base), max(1, len(own))
        case ast.Assign([ast.Tuple(targets)], ast.Attribute(array, "shape")):
            yield dotted(array), len(targets)
        case ast.Assign([ast.Name(name)], ast.Call(called, [shape, *_])):
            row = lookup(scope.resolve(called))
            if row.fill in ("", "0", "1", FILLED) and not row.like:
                yield name, len(shape.elts) if isinstance(shape, ast.Tuple) else 1


def _is_no_axis(index: ast.expr) -> bool:
    """Whether a subscript selects nothing on an axis of its own."""
    return isinstance(index, ast.Constant) and index.value in (None, ...)
