"""Conditions on all elements of a row: ``any(v > c)`` is ``np.any(v > c)`` in them.

Python's own functions go through any elements, and give truths of Python. Where only
the truth counts, and the elements lie along one axis, NumPy's give the same.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping

from looptx.source.ast_tools import walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Changes, spelling
from looptx.source.spelling.whole.maker import Known
from looptx.source.spelling.whole.reading.axes import Unlike
from looptx.source.spelling.whole.reading.extents import Extents

_OWN = ("any", "all")


def _asked(node: ast.AST) -> ast.expr | None:
    """What a call of a function named so is given."""
    match node:
        case ast.Call(ast.Name(name), [of], []) if name in _OWN:
            return of
    return None


@spelling(_asked)
def with_truths(function: Function, scope: Scope, axes: Mapping[str, int]) -> Changes:
    """Conditions ask NumPy about all elements of a row.

    Args:
        function: it. scope: its names.
        axes: how many arguments have, where no text says so.
    """
    known = Known.of(function, scope, axes)
    numpy = known.numpy if scope.resolve(ast.Name(known.numpy)) == "numpy" else ""
    extents = Extents(scope, known.ranks, numpy)
    tests = [x.test for x in own_nodes(function) if isinstance(x, _DECIDING)]
    for node in (part for test in tests for part in _truths(test)):
        of = _asked(node)
        if of is None or not numpy or not isinstance(node, ast.Call):
            continue
        if scope.resolve(node.func).startswith("builtins.") and _is_row(of, extents):
            yield node, functools.partial(_numpys, numpy)


_DECIDING = (ast.If, ast.While, ast.IfExp, ast.Assert)


def _truths(test: ast.expr) -> Iterator[ast.expr]:
    """The parts of a condition of which only the truth counts."""
    match test:
        case ast.UnaryOp(ast.Not(), operand):
            yield from _truths(operand)
        case ast.BoolOp(_, values):
            for one in values:
                yield from _truths(one)
        case _:
            yield test


def _is_row(node: ast.expr, extents: Extents) -> bool:
    """Whether elements along one axis are computed, or are those of an array."""
    computed = isinstance(node, ast.Compare | ast.BinOp | ast.UnaryOp | ast.Call)
    named = isinstance(node, ast.Name | ast.Subscript)
    if any(isinstance(x, ast.NamedExpr) for x in walked(node)):
        return False
    try:
        return (computed or named) and len(extents.of(node)) == 1
    except Unlike:
        return False


def _numpys(numpy: str, node: ast.AST) -> ast.AST:
    """A call of NumPy's function.

    Args:
        numpy: what the function calls NumPy. node: the call.
    """
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    function = ast.Attribute(ast.Name(numpy, ast.Load()), node.func.id, ast.Load())
    made = ast.copy_location(ast.Call(function, node.args, []), node)
    return ast.fix_missing_locations(made)
