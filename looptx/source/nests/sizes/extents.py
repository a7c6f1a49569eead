"""The texts of sizes: ``n``, ``self.n``, ``A.shape[0]``; ``len(A)`` is the last."""

from __future__ import annotations

import ast

from looptx.model.shapes import extent
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.kinds.integers import Kinds
from looptx.source.names.scope import Scope
from looptx.source.spelling.whole.reading.axes import literal


def size_text(node: ast.expr, kinds: Kinds) -> str:
    """The text of a plain size (``n``, ``self.n``, ``A.shape[0]``), or empty."""
    match node:
        case ast.Name() | ast.Attribute():
            return dotted(node) if kinds.is_integer(node) else ""
        case ast.Subscript(ast.Attribute(base, "shape"), index):
            axis = literal(index)
            if axis is None:
                return ""
            return extent(dotted(base), axis) if dotted(base) else ""
        case ast.Call(function, [argument], []):
            if kinds.scope.resolve(function) == "builtins.len" and dotted(argument):
                return extent(dotted(argument), 0)
    return ""


def spelled(scope: Scope) -> dict[str, str]:
    """``{"x.shape[0]": "len(x)"}`` for what a function only takes the length of.

    It may be a list, which has no shape.
    """
    nodes = list(walked(scope.function))
    shaped = {
        dotted(node.value)
        for node in nodes
        if isinstance(node, ast.Attribute) and node.attr == "shape"
    }
    measured = {
        dotted(node.args[0])
        for node in nodes
        if isinstance(node, ast.Call)
        and len(node.args) == 1
        and scope.resolve(node.func) == "builtins.len"
    }
    return {
        extent(name, 0): f"len({name})" for name in sorted(measured - shaped) if name
    }
