"""How a function is called, and which of its arguments its text takes as a whole.

Its code says how it is called: what it says that it wraps is another.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Iterator

from looptx.model.trees import walk


def signature_of(function: types.FunctionType) -> inspect.Signature:
    """The arguments of a function itself.

    Args:
        function: it; ``functools.wraps`` may have given it the looks of another.
    """
    code, held = function.__code__, function.__closure__
    bare = types.FunctionType(code, {}, None, function.__defaults__, held)
    bare.__kwdefaults__ = function.__kwdefaults__
    return inspect.signature(bare)


def whole_names(tree: ast.AST) -> set[str]:
    """The names of which a text may use all elements at once.

    Args:
        tree: of the text.
    """
    return {
        node.id
        for stmt in walk(tree)
        for whole in _may_be_whole(stmt)
        for node in walk(whole)
        if isinstance(node, ast.Name)
    }


def _may_be_whole(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of statements that may be about all elements of an array."""
    match node:
        case ast.Assign([*_, ast.Subscript() | ast.Name() | ast.Tuple()]):
            yield node
        case ast.Return():
            yield node
        case ast.AugAssign(ast.Subscript() | ast.Name()) | ast.Expr(ast.Call()):
            yield node
        case ast.For():
            yield node.iter
        case ast.If() | ast.While():
            yield node.test
