"""What names hold: numbers, and what holds numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from looptx.model.dtypes import PYTHON
from looptx.model.types import ArrayType, ScalarType, Type
from looptx.source.nests.statements import quiet
from looptx.source.nests.statements.quiet import Number, Numbers


@dataclass(frozen=True, slots=True)
class Held:
    """What a name holds.

    Attributes:
        number: what it is; None if it may be no number.
        cells: what is in it, where it is subscripted; None where that may be no number.
        axes: how often it has to be subscripted, where that is known.
    """

    number: Numbers | None
    cells: Numbers | None
    axes: int | None = None


def plain(of: Numbers | None) -> Held:
    """What is a number, or holds such, for all that is known."""
    return Held(of, of)


def array(cells: Numbers | None) -> Held:
    """What is no number, and holds some."""
    return Held(None, cells)


NOTHING = plain(frozenset())
ODD = plain(None)
"""What is no number, and holds none."""

UNTOLD = plain(quiet.NUMBER)
"""What nothing is known of."""


def typed(kind: Type) -> Held:
    """What is of a type."""
    if isinstance(kind, ArrayType):
        return array(frozenset((Number(kind.dtype),)))
    return plain(frozenset((quiet.typed(kind),)))


def joined(several: Iterable[Held]) -> Held:
    """What is one of several."""
    found = [one for one in several if one != NOTHING]
    if len(found) < 2:
        return found[0] if found else NOTHING
    axes = {one.axes for one in found}
    return Held(
        one_of(one.number for one in found),
        one_of(one.cells for one in found),
        axes.pop() if len(axes) == 1 else None,
    )


def one_of(several: Iterable[Numbers | None]) -> Numbers | None:
    """A number that is one of several; None if one may be none."""
    found = [*several]
    known = [one for one in found if one is not None]
    return quiet.joined(known) if len(known) == len(found) else None


def element(of: Held, axes: int) -> Held:
    """What is selected by as many subscripts."""
    if of.axes is None:
        return plain(of.cells)
    left = of.axes - axes
    return Held(of.cells if left == 0 else None, of.cells if left >= 0 else None, left)


def display(parts: Iterable[Held]) -> Held:
    """A list or tuple of several."""
    whole = joined(parts)
    axes = 0 if whole.number is not None else whole.axes
    return Held(None, whole.cells, None if axes is None else axes + 1)


def strong(of: Numbers | None) -> Numbers | None:
    """Numbers as cells of an array of NumPy hold them."""
    return None if of is None else frozenset(Number(one.dtype) for one in of)


def weak(of: Numbers | None) -> Numbers | None:
    """Numbers as Python's own."""
    if of is None:
        return None
    names = {"b": "bool", "u": "int", "i": "int", "f": "float", "c": "complex"}
    kinds = {names[one.row.kind] for one in of}
    return frozenset(quiet.typed(ScalarType(PYTHON[x], weak=True)) for x in kinds)


def wide(of: Numbers | None) -> Numbers | None:
    """Numbers of a type, or of a wider one of its kind."""
    if of is None:
        return None
    widest = {"b": "int64", "u": "uint64", "i": "int64", "f": "float64"}
    more = (Number(widest.get(one.row.kind, one.dtype)) for one in of)
    return quiet.joined((of, frozenset(more)))


def endless(of: Held) -> Held:
    """What is added to or multiplied for ever."""
    number, cells = (
        None if x is None else quiet.endless(x) for x in (of.number, of.cells)
    )
    return Held(number, cells, of.axes)
