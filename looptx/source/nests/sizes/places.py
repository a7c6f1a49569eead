"""Which cells of an array subscripts mean, as far as they are affine or products."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.model.expr import Const, IntExpr, Var, add
from looptx.model.expr.polynomial import Polynomial
from looptx.model.shapes import extent
from looptx.model.trees import dotted
from looptx.source.names.calls import is_constant
from looptx.source.nests.context import Context
from looptx.source.nests.sizes.affine import Affine


def places(
    array: str, indices: Sequence[ast.expr | None], context: Context, affine: Affine
) -> tuple[tuple[IntExpr | None, ...], tuple[Polynomial | None, ...]]:
    """The subscripts of an access.

    Args:
        array: its name. indices: as they are written. context: the nest, which gets to
            know their parameters. affine: what expressions mean there.

    Returns:
        The affine ones, and None for others; the sums of products among these, () if
        there is none.
    """
    if any(_is_special(x, context, affine) for x in indices if x is not None):
        return (), ()
    loops = frozenset(affine.loops.values())
    found: list[IntExpr | None] = []
    products: list[Polynomial | None] = []
    for axis, index in enumerate(indices):
        value = None if index is None else affine.expr(index)
        if isinstance(value, Const) and value.value < 0:
            text = extent(array, axis)
            length = Var(affine.canonical.get(text, text))
            value = add(length, value)
        other = None
        if value is not None:
            context.use(value, loops)
        elif index is not None:
            other = affine.polynomial(index)
            for name in sorted(other.names - loops) if other else ():
                context.use_text(name)
        found.append(value)
        products.append(other)
    return (*found,), (*products,) if any(products) else ()


def _is_special(index: ast.expr, context: Context, affine: Affine) -> bool:
    """Whether a subscript may change which axis the others select.

    An ellipsis, ``None``, a string and a mask do.
    """
    match index:
        case ast.Constant(value):
            return type(value) is not int
        case ast.UnaryOp(op):
            return isinstance(op, ast.Not | ast.Invert)
    if isinstance(index, ast.Compare | ast.BoolOp | ast.List | ast.Tuple):
        return True
    name, kinds = dotted(index), context.kinds
    if name in affine.loops:
        # Elsewhere the same name may be an array.
        return False
    return is_constant(kinds.scope.resolve(index)) or name in kinds.arrays
