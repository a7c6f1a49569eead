"""Whether statements in front of another one change what that has read by then."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from looptx.model.functions import Kind, lookup, lookup_method

_READING = (Kind.SCALAR, Kind.ELEMENTWISE, Kind.REDUCTION, Kind.ARRAY)
"""What functions do that change nothing."""

_FRESH = ast.Constant | ast.BinOp | ast.UnaryOp | ast.Compare
"""What has a value of its own, which no array shares."""


def writes(lines: Sequence[ast.stmt], full: Callable[[ast.expr], str]) -> bool:
    """Whether statements may change an array, or do anything else that is seen.

    Args:
        lines: they. full: the full name of what is called.
    """
    inside = [x for stmt in lines for x in ast.walk(stmt)]
    shared = {
        one.id
        for node in inside
        if not (isinstance(node, ast.Assign) and isinstance(node.value, _FRESH))
        if not isinstance(node, ast.AugAssign)
        for one in ast.iter_child_nodes(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    return any(_may_write(node, shared, full) for node in inside)


def _may_write(
    node: ast.AST, shared: set[str], full: Callable[[ast.expr], str]
) -> bool:
    """Whether a part of a statement may change an array.

    Args:
        node: the part. shared: the names of what may be an array that others have.
        full: as of ``writes``.
    """
    match node:
        case ast.Subscript() | ast.Attribute():
            return not isinstance(node.ctx, ast.Load)
        case ast.AugAssign(ast.Name(name)):
            return name in shared
        case ast.Call(function, args, named):
            row = lookup(full(function))
            if not row.name and isinstance(function, ast.Attribute):
                row = lookup_method(function.attr)
            known = row.kind in _READING or row.name == "builtins.len"
            told = not any(one.arg is None or one.arg == "out" for one in named)
            return not (known and row.pure and row.reads(len(args)) and told)
    return False
