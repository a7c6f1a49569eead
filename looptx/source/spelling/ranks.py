"""How many axes the arrays of a function have, as far as it says that anywhere.

That may be wrong of a call: native code looks at the arrays that it is given.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looptx.model.functions import FILLED, lookup
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.scope import Function, Scope
from looptx.source.names.subscripts import continued, subscripts


def ranks(function: Function, scope: Scope) -> dict[str, int]:
    """The axes that each array has at least, by (dotted) name.

    Args:
        function: it. scope: its names.
    """
    found: dict[str, int] = {}
    nodes = walked(function)
    inner = continued(nodes)
    for node in nodes:
        for name, axes in _said(node, scope) if node not in inner else ():
            found[name] = max(found.get(name, 0), axes)
    found.pop("", None)
    return found


def _said(node: ast.AST, scope: Scope) -> Iterator[tuple[str, int]]:
    """What a node says."""
    match node:
        case ast.Subscript(ast.Attribute(array, "shape"), ast.Constant(int(axis))):
            yield dotted(array), axis + 1 if axis >= 0 else -axis
        case ast.Subscript():
            base, indices = subscripts(node)
            axes = [x for x in indices if not _is_no_axis(x)]
            yield dotted(base), max(1, len(axes))
        case ast.Assign([ast.Tuple(targets)], ast.Attribute(array, "shape")):
            yield dotted(array), len(targets)
        case ast.Assign([ast.Name(name)], ast.Call(called, [shape, *_])):
            row = lookup(scope.resolve(called))
            if row.fill in ("", "0", "1", FILLED) and not row.like:
                yield name, len(shape.elts) if isinstance(shape, ast.Tuple) else 1


def _is_no_axis(index: ast.expr) -> bool:
    """Whether a subscript selects nothing on an axis of its own."""
    return isinstance(index, ast.Constant) and index.value in (None, ...)
