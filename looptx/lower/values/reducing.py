"""NumPy's reductions and products of rows and slices: one number made of many.

Integers are combined in any order. Of floats NumPy's own inner loop makes the number,
by a step of 0 where it writes: that is how NumPy reduces, so the order is its own. (For
sums it is pairwise: Higham, SIAM J. Sci. Comput. 14, 1993.)
"""

from __future__ import annotations

import ast

from looptx.lower.kinds import Kind, fail, names, of
from looptx.lower.limits import SIZES
from looptx.lower.scope import Scope
from looptx.lower.tree import Expr, intrinsic, number
from looptx.lower.values.arrays.quantiles import MEDIANS, QUANTILES, check_laid, median
from looptx.lower.values.literals import cast
from looptx.lower.values.operators import binary
from looptx.lower.values.views import Part, Strip
from looptx.model.dtypes import DTYPES, promoted
from looptx.model.records import dataclass
from looptx.model.types import ScalarType

LOOPS = {
    **{"sum": "add", "prod": "multiply", "min": "minimum", "max": "maximum"},
    **{"nanprod": "multiply", "nanmin": "fmin", "nanmax": "fmax"},
}
"""NumPy's function of two numbers that reduces many, by what it makes of them."""

SPREADS = ("var", "std", "nanvar", "nanstd")
"""Those of which NumPy makes an array first: squared distances from the mean."""

ABSENT = ("nansum", "nanprod", "nanmean", "nanmin", "nanmax", "nanvar", "nanstd")
"""Those for which NaN counts for nothing."""

COUNTED = "count_nonzero"
"""What counts; numbers of NumPy only some NumPys make of that."""

RANGE = "ptp"
"""How far the greatest is from the least."""

NORM = "norm"
"""The length of a vector, which ``numpy.linalg`` has."""

NAMES = {
    **{name: name for name in (*LOOPS, "any", "all", "argmin", "argmax", "mean")},
    **{name: name for name in (*SPREADS, *ABSENT, *MEDIANS, COUNTED, RANGE, NORM)},
    **{"amin": "min", "amax": "max", "average": "mean"},
}
"""The reductions that are known, by the names that NumPy has for them."""

METHODS = NAMES.keys() - {
    *("amin", "amax", "average"),
    *(*ABSENT, *MEDIANS, COUNTED, RANGE, NORM),
}

_OF_COMPLEX = frozenset(("sum", "mean", "any", "all", COUNTED))
"""Those of complex numbers that are known."""

_OF_NONE = frozenset(("min", "max", "argmin", "argmax", "mean", *SPREADS, *ABSENT))
"""Those for which an empty array, or one of NaN, is an error, or a warning."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """A call that makes one number of many.

    Attributes:
        of: the many. name: what NumPy calls it, without the module.
        freedom: by how much a spread divides less than by their count.
    """

    of: ast.expr
    name: str
    freedom: int = 0


def reduction(node: ast.Call, full: str) -> Reduction | None:
    """The reduction that a call is, if it is one that is known.

    Args:
        node: the call. full: the full name of what is called.
    """
    module, _, name = full.rpartition(".")
    match node:
        case ast.Call(_, [of], [] as named) if full == f"numpy.linalg.{NORM}":
            pass
        case ast.Call(_, [of], named) if module == "numpy" and name in NAMES:
            pass
        case ast.Call(ast.Attribute(of, name), [], named) if name in METHODS:
            pass
        case _:
            return None
    match named:
        case []:
            return Reduction(of, name)
        case [ast.keyword("ddof", ast.Constant(int(less)))] if name in SPREADS:
            return Reduction(of, name, int(less)) if less <= SIZES else None
    return None


def reduced(scope: Scope, one: Reduction, given: Strip) -> Expr:
    """The number that a reduction makes of some elements.

    Args:
        scope: the nest. one: the reduction. given: the elements.

    Raises:
        Unsupported: LX504 where it is not known for their type.
    """
    name = one.name
    operation, row = NAMES[name], DTYPES[given.dtype]
    if operation in MEDIANS:
        check_laid(one.of, scope)
        return median(operation, given)
    if operation == RANGE:
        return binary("-", *(reduced(scope, x, given) for x in _ends(one)))
    if operation == NORM and given.dtype not in ("float32", "float64"):
        fail(f"numpy.linalg.{NORM} of {given.dtype}")
    if operation in ABSENT and not (row.is_inexact or row.is_complex):
        operation = operation.removeprefix("nan")
    if row.computed or (row.is_complex and operation not in _OF_COMPLEX):
        fail(f"numpy.{name} of {given.dtype}")
    if row.kind == "b" and operation in ("min", "max", "argmin", "argmax", "prod"):
        fail(f"numpy.{name} of bool values")
    _note_counted(scope, operation)
    many = given.count.number
    some = isinstance(many, int) and many > 0 and operation not in ABSENT
    fails = operation in _OF_NONE and not some
    raises = f"numpy.{name} of no elements" if fails else ""
    less = (number(one.freedom),) if operation in SPREADS else ()
    return intrinsic(
        operation,
        _kind(operation, given.dtype),
        *given.parts,
        *less,
        dtype=given.dtype,
        rules="reduce",
        raises=raises,
    )


AXES = "axes"
"""The rules of reductions of parts of arrays with several axes."""

MOST_AXES = 4

_OF_AXES = frozenset(("sum", "prod", "min", "max", "mean", "any", "all", COUNTED))


def reduced_axes(scope: Scope, one: Reduction, given: Part) -> Expr:
    """The number that a reduction makes of a part of an array with several axes.

    Args:
        scope: the nest. one: the reduction. given: the part.

    Raises:
        Unsupported: LX504 where it is not known for its type.
    """
    operation, row = NAMES[one.name], DTYPES[given.dtype]
    if operation == RANGE:
        return binary("-", *(reduced_axes(scope, x, given) for x in _ends(one)))
    known = operation in _OF_AXES and len(given.axes) <= MOST_AXES
    averaged = operation == "mean" and not row.is_inexact
    known &= not row.is_complex or operation in _OF_COMPLEX
    if not known or averaged or row.computed:
        name = f"linalg.{NORM}" if operation == NORM else one.name
        fail(f"numpy.{name} of a part of an array of {given.dtype}")
    if row.kind == "b" and operation in ("min", "max", "prod"):
        fail(f"numpy.{one.name} of bool values")
    if row.is_inexact and operation not in ("any", "all", COUNTED):
        scope.checks.alike.add((AXES, given.dtype))
    _note_counted(scope, operation)
    missing = MOST_AXES - len(given.axes)
    axes = [x for axis in given.axes for x in axis]
    axes += [number(1), number(0)] * missing
    raises = f"numpy.{one.name} of no elements" if operation in _OF_NONE else ""
    return intrinsic(
        operation,
        _kind(operation, given.dtype),
        given.array,
        given.first,
        *axes,
        dtype=given.dtype,
        rules=AXES,
        raises=raises,
    )


def _ends(one: Reduction) -> tuple[Reduction, ...]:
    """The greatest and the least of what a range is of."""
    return tuple(Reduction(one.of, name) for name in ("max", "min"))


def _note_counted(scope: Scope, operation: str) -> None:
    """Note that what counts has to make numbers of NumPy.

    Args:
        scope: the nest. operation: a value of ``NAMES``.
    """
    if operation == COUNTED:
        scope.checks.alike.add((COUNTED, "int64"))


PRODUCTS = {"numpy.dot": "dot", "numpy.matmul": "matmul"}
"""Products of two rows, by the functions of NumPy."""


def product(operation: str, left: Strip, right: Strip) -> Expr:
    """The number that NumPy's own loop makes of two rows, which is that of its BLAS.

    Args:
        operation: of ``PRODUCTS``. left, right: the rows.

    Raises:
        Unsupported: LX504 where NumPy makes other rows of them first.
    """
    if left.dtype != right.dtype or left.dtype not in ("float32", "float64"):
        fail(f"numpy.{operation} of {left.dtype} and {right.dtype}")
    return intrinsic(
        operation,
        of(ScalarType(left.dtype)),
        *left.parts,
        *right.parts,
        dtype=left.dtype,
        rules="reduce",
        raises=f"numpy.{operation} of rows that differ in size",
    )


SEARCHED = "numpy.searchsorted"

SIDES = ("left", "right")
"""Where what is looked for would stand among what is equal to it."""


OF_ROWS = {*PRODUCTS, *QUANTILES, SEARCHED}
"""Functions of NumPy of rows and other things."""


def side_of(node: ast.Call) -> str:
    """Where a call of ``SEARCHED`` looks; empty where that is not known."""
    options = [*node.args[2:], *(one.value for one in node.keywords)]
    named = all(one.arg == "side" for one in node.keywords)
    match options:
        case []:
            return SIDES[0]
        case [ast.Constant(str(side))] if named and side in SIDES:
            return side
    return ""


def searched(given: Strip, value: Expr, side: str) -> Expr:
    """How many elements of a row stand in front of a number, by halves.

    NumPy compares in the type that both have in common, and takes a number of Python
    for one of 64 bits.

    Args:
        given: the row. value: the number. side: of ``SIDES``.

    Raises:
        Unsupported: LX504 where it is not known for their types.
    """
    found = {promoted(given.dtype, one.dtype) for one in value.kind.members}
    rows = [DTYPES[one] for one in (given.dtype, *found, value.kind.dtype)]
    plain = all(row.is_integer or row.is_inexact for row in rows)
    if len(found) > 1 or not plain or any(x.is_complex or x.computed for x in rows):
        fail(f"{SEARCHED} of {given.dtype} and {names(value.kind)}")
    (dtype,) = found
    return intrinsic(
        f"{side}_{DTYPES[dtype].short}",
        of(ScalarType("int64")),
        *given.parts,
        cast(value, dtype),
        dtype=given.dtype,
        rules="search",
    )


def _kind(operation: str, dtype: str) -> Kind:
    """The type of what a reduction makes."""
    row = DTYPES[dtype]
    match operation:
        case "any" | "all":
            return of(ScalarType("bool"))
        case "argmin" | "argmax" | "count_nonzero":
            return of(ScalarType("int64"))
        case "sum" | "prod" if not row.is_inexact:
            return of(ScalarType("uint64" if row.kind == "u" else "int64"))
        case "mean" | "var" | "std" if not row.is_inexact:
            return of(ScalarType("float64"))
    return of(ScalarType(dtype))
