"""Rows taken apart and put together: ``x, y = A[i]`` is ``x, y = A[i, 0], A[i, 1]``.

That is so for arrays whose rows are as long as the tuple, which native code sees where
the nest begins; of all others Python runs what is written. ``A[i] = x, y`` is
``A[i, 0], A[i, 1] = x, y`` where NumPy, which makes an array of the tuple first, stores
the same: the types of values tell.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from looptx.model.noted.rows import stored_as_row
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.names.subscripts import index_list, may_be_number
from looptx.source.spelling.arrays import is_array
from looptx.source.spelling.cells import sourced
from looptx.source.spelling.edits import Change, Changes, needing, spelling
from looptx.source.spelling.stretches import PURE


def _row(node: ast.AST) -> ast.expr | None:
    """The row that a statement takes apart or puts together, if it may be one."""
    match node:
        case ast.Assign([ast.Tuple(parts)], ast.Subscript() as row):
            pass
        case ast.Assign([ast.Tuple(parts)], ast.Attribute(ast.Name(), "shape") as row):
            pass
        case ast.Assign([ast.Subscript() as row], ast.Tuple(parts) | ast.List(parts)):
            pass
        case _:
            return None
    starred = any(isinstance(part, ast.Starred) for part in parts)
    return row if parts and not starred else None


@spelling(_row)
def with_unpacked(function: Function, scope: Scope) -> Changes:
    """Rows are taken apart element by element."""
    nodes = own_nodes(function)
    loops = [node for node in nodes if isinstance(node, ast.For | ast.While)]
    inside = {part for loop in loops for part in walked(loop)}
    for node in nodes:
        row = _row(node) if node in inside else None
        if row is not None and _may_be_one(row, scope, nodes):
            assert isinstance(node, ast.Assign)
            yield node, _change(node, row)


def _may_be_one(row: ast.expr, scope: Scope, nodes: Sequence[ast.AST]) -> bool:
    """Whether an expression may be a row of an array, as often as it is evaluated."""
    if isinstance(row, ast.Attribute):
        return True
    if not isinstance(row, ast.Subscript) or not dotted(row.value):
        return False
    indices = index_list(row)
    pure = all(isinstance(part, PURE) for x in indices for part in walked(x))
    array = is_array(dotted(row.value), scope, nodes)
    return pure and all(map(may_be_number, indices)) and array is not False


def _change(stmt: ast.Assign, row: ast.expr) -> Change:
    """What a statement becomes."""
    assert isinstance(row, ast.Subscript | ast.Attribute)
    (target,) = stmt.targets
    parts = target if isinstance(target, ast.Tuple) else stmt.value
    assert isinstance(parts, ast.Tuple | ast.List)
    count = len(parts.elts)
    length = f"{ast.unparse(row.value)}.ndim"
    if isinstance(row, ast.Subscript):
        length = f"{ast.unparse(row.value)}.shape[{len(index_list(row))}]"
    need = sourced(f"{length} == {count}", row)

    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.Assign)
        whole = node.value if row is stmt.value else node.targets[0]
        assert isinstance(whole, ast.Subscript | ast.Attribute)
        context = whole.ctx
        elements = ast.Tuple([*_elements(whole, count)], context)
        ast.copy_location(elements, whole)
        if row is stmt.value:
            made = ast.Assign(node.targets, elements)
        else:
            stored_as_row(elements)
            value = ast.copy_location(ast.Tuple(_parts(node.value), ast.Load()), whole)
            made = ast.Assign([elements], value)
        return needing(ast.copy_location(made, node), [need])

    return change


def _parts(node: ast.expr) -> list[ast.expr]:
    assert isinstance(node, ast.Tuple | ast.List)
    return node.elts


def _elements(row: ast.Subscript | ast.Attribute, count: int) -> Iterator[ast.expr]:
    """The elements of a row, or of a shape."""
    for number in range(count):
        last = ast.Constant(number)
        if isinstance(row, ast.Subscript):
            index: ast.expr = ast.Tuple([*index_list(row), last], ast.Load())
            made = ast.Subscript(row.value, index, row.ctx)
        else:
            made = ast.Subscript(row, last, ast.Load())
        for part in (made, made.slice, last):
            ast.copy_location(part, row)
        yield made
