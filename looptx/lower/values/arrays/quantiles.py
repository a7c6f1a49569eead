"""NumPy's numbers that stand somewhere in the order of a row: medians and quantiles."""

from __future__ import annotations

import ast

from looptx.lower.kinds import Kind, fail, names, of
from looptx.lower.scope import Scope
from looptx.lower.tree import Expr, intrinsic
from looptx.lower.values.literals import cast, literal
from looptx.lower.values.views import Strip
from looptx.model.dtypes import DTYPES
from looptx.model.noted.quantiles import Together
from looptx.model.trees import dotted
from looptx.model.types import ArrayType, ScalarType

ORDER = "order"
"""The rules of what is found by the order of elements."""

MEDIANS = ("median", "nanmedian")

QUANTILES = {
    f"numpy.{name}"
    for name in ("percentile", "quantile", "nanpercentile", "nanquantile")
}
"""Those that are told a part of the row, by their full names."""


def part_of(node: ast.Call) -> ast.expr | None:
    """The part of a row at which a call of ``QUANTILES`` looks; None where unknown."""
    named = {one.arg: one.value for one in node.keywords}
    match named.pop("method", ast.Constant("linear")):
        case ast.Constant("linear"):
            given = [*node.args[1:], *named.values()]
            known = len(given) == 1 and named.keys() <= {"q"}
            return given[0] if known else None
    return None


def check_laid(node: ast.expr, scope: Scope) -> None:
    """See that arrays of several axes lie row by row, as NumPy goes through them.

    Which of two zeros it finds hangs on the order in which they stand.

    Raises:
        Unsupported: LX504 where one does not.
    """
    for one in ast.walk(node):
        kind = scope.types.get(dotted(one))
        if isinstance(kind, ArrayType) and kind.ndim > 1 and kind.layout == "F":
            fail(
                f"the order of elements of `{dotted(one)}`, which lies column by column"
            )


def median(name: str, given: Strip) -> Expr:
    """The number in the middle of some elements.

    Args:
        name: of ``MEDIANS``. given: the elements.

    Raises:
        Unsupported: LX504 where it is not known for their type.
    """
    row = DTYPES[given.dtype]
    if row.is_complex or row.computed:
        fail(f"numpy.{name} of {given.dtype}")
    return intrinsic(
        name,
        _kind(given.dtype),
        *given.parts,
        dtype=given.dtype,
        rules=ORDER,
        raises=f"numpy.{name} of no elements",
    )


def quantile(
    full: str, given: Strip, part: Expr, together: Together | None = None
) -> Expr:
    """The number behind a part of some elements, between its neighbours.

    Args:
        full: of ``QUANTILES``. given: the elements. part: how much is in front of it.
        together: what NumPy finds it with.

    Raises:
        Unsupported: LX504 where NumPy finds it in another way for their types.
    """
    row, members = DTYPES[given.dtype], part.kind.members
    # Of an integer NumPy takes the very place; of its own types the result may be one.
    exact = ("float64", "int64") if full.endswith("percentile") else ("float64",)
    known = all(one.dtype in exact for one in members)
    known &= row.is_integer or (row.is_inexact and not row.is_complex)
    known &= part.kind.weak or given.dtype != "float32"
    # A list of parts is an array of doubles, and no number of Python.
    known &= together is None or given.dtype != "float32"
    if not known or row.computed:
        fail(f"{full} of {given.dtype} and {names(part.kind)}")
    name, parts = full.removeprefix("numpy."), [cast(part, "float64")]
    if together is not None:
        name = f"{name}_{together.at}_of_{len(together.parts)}"
        parts = [*map(literal, together.parts)]
    return intrinsic(
        name,
        _kind(given.dtype),
        *given.parts,
        *parts,
        dtype=given.dtype,
        rules=ORDER,
        raises=f"{full} of no elements, or of a part that is none",
    )


def _kind(dtype: str) -> Kind:
    return of(ScalarType(dtype if DTYPES[dtype].is_inexact else "float64"))
