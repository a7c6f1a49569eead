"""Statements that NumPy's own loops run: products of matrices, operations on rows.

``T[:m, :p] = A[i, :, :] @ B[:, :]`` is one call of the loop that NumPy's ``matmul`` is
of, and by that its BLAS; ``T[:n] = np.multiply(x[i, :], y[:])`` is one of ``multiply``,
and ``T[:n] = np.absolute(x[i, :])`` of ``absolute``, whose numbers may be rounded in
another way than those of single elements.
"""

from __future__ import annotations

import ast

from looptx.lower.kinds import INT, fail, of
from looptx.lower.scope import Scope
from looptx.lower.tree import Expr, Run, Stmt, intrinsic, number
from looptx.lower.values.arrays.rows import PLANES
from looptx.lower.values.expressions import Expressions
from looptx.lower.values.views import Part, is_array, part
from looptx.model.dtypes import DTYPES
from looptx.model.functions.complexes import OF_COMPLEX, REAL, hangs_on_direction
from looptx.model.trees import brackets, dotted, has_slices

_BINARY = frozenset(("numpy.multiply", "numpy.divide"))
_UNARY = frozenset(f"numpy.{name}" for name in OF_COMPLEX)
_REAL = frozenset(f"numpy.{name}" for name in REAL)
_PRODUCT = "numpy.matmul"


def by_numpy(e: Expressions, target: ast.expr, value: ast.expr) -> list[Stmt] | None:
    """What NumPy's own loop does of a statement; None for others.

    Args:
        e: the statement it is in. target: what it assigns. value: what to.

    Raises:
        Unsupported: LX504 where it is of other types than that loop.
    """
    if not has_slices(target) or not isinstance(value, ast.Call) or value.keywords:
        return None
    name = e.scope.full(dotted(value.func))
    known = {1: _UNARY, 2: {_PRODUCT, *_BINARY}}.get(len(value.args), ())
    if name not in known:
        return None
    parts = [_part(e, one) for one in (*value.args, target)]
    dtype = parts[0].dtype
    made = DTYPES[dtype].part if name in _REAL else dtype
    alone = name in _UNARY and not DTYPES[dtype].is_complex
    if alone or [one.dtype for one in parts] != [dtype] * len(value.args) + [made]:
        types = sorted({one.dtype for one in parts})
        fail(f"{name} of {' and '.join(types)}")
    axes = 2 if name == _PRODUCT else 1
    operation = name.removeprefix("numpy.")
    if hangs_on_direction(operation, dtype):
        e.scope.checks.straight |= {dotted(brackets(one)[0]) for one in value.args}
    # A row times a matrix is a row.
    sides = True, *[False] * (len(parts) - 2), len(parts[0].axes) < axes
    pairs = zip(parts, sides, strict=True)
    given = [x for one, left in pairs for x in _given(one, axes, left=left)]
    raises = f"{name} of matrices that do not fit" if axes == 2 else ""
    rules = {"dtype": dtype, "rules": PLANES, "raises": raises}
    return [Run(intrinsic(operation, of(INT), *given, **rules))]


def _part(e: Expressions, node: ast.expr) -> Part:
    """An operand: a part of an array, or an element of one."""
    base, groups = brackets(node)
    if not is_array(node, e.scope) and not (groups and _is_known(base, e.scope)):
        fail(f"`{ast.unparse(node)}`, which is no part of an array")
    return part(node, e.scope, e.value, e.place)


def _is_known(base: ast.expr, scope: Scope) -> bool:
    return dotted(base) in scope.types


def _given(one: Part, axes: int, *, left: bool) -> list[Expr]:
    """What NumPy's loop is given of an operand.

    Args:
        one: the operand. axes: how many the loop goes through.
        left: whether the only axis of a row is its last, as of the first operand.
    """
    found = [*one.axes]
    if len(found) > axes:
        fail("a product of arrays of more than two axes")
    only = (number(1), number(0))
    while len(found) < axes:
        found = [only, *found] if left else [*found, only]
    return [one.array, one.first, *(x for axis in found for x in axis)]
