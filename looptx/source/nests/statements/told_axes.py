"""What calls in front of a nest say of the axes of what they give."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from looptx.model.functions import Function
from looptx.model.records import dataclass
from looptx.source.nests.statements.held import UNTOLD, Held, array, each, single
from looptx.source.nests.statements.quiet import Number, Numbers

_PLACES: Numbers = frozenset((Number("int64"),))
"""What tells places of an array."""

_COUNTING = ("argmin", "argmax", "count_nonzero")
"""Reductions that count, or tell places."""

_INDICES = {
    "argsort": None,
    "argwhere": 2,
    "argpartition": None,
    "lexsort": 1,
    "nonzero": 2,
    "flatnonzero": 1,
    "bincount": 1,
    "indices": None,
    "random.permutation": None,
}
"""Functions that give arrays of places, and the axes of these."""

_FOUND = {"searchsorted": 1, "digitize": 0}
"""Functions that tell places of what they are given, and where that stands."""

FLAT = {"ravel": 1, "flatten": 1, "cumsum": 1, "cumprod": 1, "squeeze": None}
"""Methods and functions that give arrays of other axes than they are given."""

_MATRICES = ("eye", "identity", "tri", "outer", "vstack", "column_stack")
_LINES = ("arange", "linspace", "logspace")
"""Functions that give arrays of two axes, and of one."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How the value of a definition is read.

    Attributes:
        names: the full names of what it reads. value: what an expression in it gives.
        named: the values of a name in it, and how these are read.
    """

    names: Mapping[str, str]
    value: Callable[[ast.expr], Held]
    named: Callable[[str], Sequence[tuple[ast.expr, Reading]]]


def argument(node: ast.Call, place: int, name: str) -> ast.expr | None:
    """An argument of a call, by its place or its name.

    Args:
        node: the call. place: where it stands without a name. name: its name.
    """
    named = [one.value for one in node.keywords if one.arg == name]
    return next(iter((*named, *node.args[place : place + 1])), None)


def places(own: str, node: ast.Call, first: int, by: Reading) -> Held | None:
    """What a function, or a method, gives that tells places; None for others.

    Args:
        own: its name. node: the call.
        first: the place of what comes behind the array. by: reads its arguments.
    """
    if own == "random.randint":
        sized = argument(node, 2, "size")
        return single(_PLACES) if sized is None else array(_PLACES)
    if own in _INDICES:
        return array(_PLACES, _INDICES[own])
    if own in _COUNTING:
        return reduced(_PLACES, _of(node, first, by), node, first)
    if own in _FOUND:
        wanted = argument(node, _FOUND[own] + first - 1, "v")
        return each(always(_PLACES), by.value(wanted)) if wanted else UNTOLD
    return None


def _of(node: ast.Call, first: int, by: Reading) -> Held:
    """What a function of NumPy, or a method, looks through.

    Args:
        node: the call. first: 1 for a function. by: reads its arguments.
    """
    if first:
        return by.value(node.args[0]) if node.args else UNTOLD
    assert isinstance(node.func, ast.Attribute)
    return by.value(node.func.value)


def always(of: Numbers | None) -> Callable[..., Numbers | None]:
    """The rule that gives the same for all numbers."""
    return lambda *several: None if None in several else of


def reduced(cells: Numbers | None, of: Held, node: ast.Call, first: int) -> Held:
    """What a reduction gives: of an array, or along one of its axes.

    Args:
        cells: the numbers that it gives. of: what it goes through. node: the call.
        first: where the axis stands without a name.
    """
    keeps = any(one.arg == "keepdims" for one in node.keywords)
    match argument(node, first, "axis"):
        case None | ast.Constant(None) if not keeps:
            return single(cells)
        case ast.Constant(int()) if of.axes:
            return array(cells, of.axes if keeps else of.axes - 1)
    return array(cells)


def axes_of(row: Function, node: ast.Call, by: Reading) -> int | None:
    """The axes of the array that a function makes, where the text tells them.

    Args:
        row: what is known of it. node: the call. by: reads its arguments.
    """
    if row.own in _MATRICES:
        return 2
    if row.own in _LINES:
        return 1
    if not node.args:
        return None
    first = by.value(node.args[0])
    if row.own == "stack":
        # What is untold in a list counts as a number there, but here it is an array.
        return max(first.axes or 2, 2)
    if row.own in FLAT:
        return FLAT[row.own] if argument(node, 1, "axis") is None else first.axes
    if row.is_shaped or row.own == "ndarray":
        return shape_axes(node.args[:1], by)
    if row.own.startswith("random.") and row.own != "random.uniform":
        sizes = row.own in ("random.rand", "random.randn")
        return shape_axes(node.args if sizes else node.args[:1], by)
    kept = row.like or row.own in ("array", "copy", "tril", "triu", "sort")
    return first.axes if kept and first.number is None else None


def shape_axes(sizes: Sequence[ast.expr], by: Reading) -> int | None:
    """The axes of an array of a shape: one size, several, or a tuple of them."""
    match sizes:
        case [ast.Tuple(parts) | ast.List(parts)]:
            starred = any(isinstance(one, ast.Starred) for one in parts)
            return None if starred else len(parts)
        case [one]:
            found = by.value(one)
            return 1 if found.axes == 0 else None
    return len(sizes)
