"""Differences of neighbours as those of parts: ``np.diff(v)`` is ``v[1:] - v[:-1]``.

One of them is that of two elements: ``np.diff(v)[i]`` is ``v[1:][i] - v[:-1][i]``. Of
truths it is not; native code has no difference of these, and Python runs what is
written.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping

from looptx.source.ast_tools import walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Changes, spelling
from looptx.source.spelling.whole.reading.axes import Unlike
from looptx.source.spelling.whole.reading.extents import Extents
from looptx.source.spelling.whole.reading.ranks import known_ranks

_PARTS = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple, ast.Constant),
    *(ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context),
)
"""What may be written twice."""


def _row(node: ast.AST) -> ast.expr | None:
    """What a call of a function named ``diff`` is given, if it names it."""
    match node:
        case ast.Call(ast.Attribute(attr="diff") | ast.Name("diff"), [of], []):
            named = isinstance(of, ast.Name | ast.Attribute | ast.Subscript)
            return (
                of if named and all(isinstance(x, _PARTS) for x in walked(of)) else None
            )
    return None


@spelling(_row)
def with_differences(
    function: Function, scope: Scope, axes: Mapping[str, int]
) -> Changes:
    """Rows have no differences of neighbours by a function.

    Args:
        function: it. scope: its names.
        axes: how many arguments have, where no text says so.
    """
    extents = Extents(scope, known_ranks(function, scope, axes), "")
    nodes = [*own_nodes(function)]
    selected = {x.value: x for x in nodes if isinstance(x, ast.Subscript)}
    for node in nodes:
        row = _row(node)
        if row is None or not isinstance(node, ast.Call):
            continue
        if scope.resolve(node.func) == "numpy.diff" and _is_row(row, extents):
            if node not in selected:
                yield node, _difference
            elif _is_plain(selected[node].slice):
                yield selected[node], _selected


def _is_plain(index: ast.expr) -> bool:
    """Whether a subscript is of one axis, and may be written twice."""
    one = not isinstance(index, ast.Tuple)
    return one and all(isinstance(x, _PARTS) for x in walked(index))


def _is_row(node: ast.expr, extents: Extents) -> bool:
    """Whether an expression names an array of one axis, or a part of one."""
    try:
        return len(extents.of(node)) == 1
    except Unlike:
        return False


def _difference(node: ast.AST) -> ast.AST:
    """The difference of two parts that a call stands for."""
    assert isinstance(node, ast.Call)
    right, left = _parts(node)
    made = ast.copy_location(ast.BinOp(right, ast.Sub(), left), node)
    return ast.fix_missing_locations(made)


def _selected(node: ast.AST) -> ast.AST:
    """The difference of two elements or slices that a subscript stands for."""
    assert isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call)
    right, left = (
        ast.Subscript(part, copy.deepcopy(node.slice), ast.Load())
        for part in _parts(node.value)
    )
    made = ast.copy_location(ast.BinOp(right, ast.Sub(), left), node)
    return ast.fix_missing_locations(made)


def _parts(node: ast.Call) -> Iterator[ast.expr]:
    """All elements but the first of what a call is given, and all but the last."""
    last = ast.UnaryOp(ast.USub(), ast.Constant(1))
    for ends in (ast.Slice(ast.Constant(1)), ast.Slice(None, last)):
        yield ast.Subscript(copy.deepcopy(node.args[0]), ends, ast.Load())
