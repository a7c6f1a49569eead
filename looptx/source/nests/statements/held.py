"""What names hold: numbers, and what holds numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from looptx.model.dtypes import PYTHON
from looptx.model.records import dataclass, replace
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
        python: whether it is a list or a tuple, which operators repeat and join.
    """

    number: Numbers | None
    cells: Numbers | None
    axes: int | None = None
    python: bool = False

    @property
    def spread(self) -> Numbers | None:
        """What meets the cells of an array: a number, or its own cells."""
        return self.number if self.axes == 0 else self.cells


def single(of: Numbers | None) -> Held:
    """A number, which has no cells."""
    return Held(of, None, 0) if of is not None else ODD


def plain(of: Numbers | None) -> Held:
    """What is a number, or holds such, for all that is known."""
    return Held(of, of)


def array(cells: Numbers | None, axes: int | None = None) -> Held:
    """What is no number, and holds some; a number where no axes are left.

    Args:
        cells: what it holds. axes: how many it has, where that is known.
    """
    return single(cells) if axes == 0 else Held(None, cells, axes)


NOTHING = plain(frozenset())
ODD = plain(None)
"""What is no number, and holds none."""

UNTOLD = plain(quiet.NUMBER)
"""What nothing is known of."""


def typed(kind: Type) -> Held:
    """What is of a type."""
    if isinstance(kind, ArrayType):
        # ``NDArray[np.float64]`` does not say how many axes there are.
        return array(frozenset((Number(kind.dtype),)), kind.ndim or None)
    return single(frozenset((quiet.typed(kind),)))


def joined(several: Iterable[Held]) -> Held:
    """What is one of several; rows of lists that are not alike are no numbers."""
    found = [one for one in several if one != NOTHING]
    if len(found) < 2:
        return found[0] if found else NOTHING
    python = all(one.python for one in found)
    axes = {one.axes for one in found if one.cells != frozenset()}
    if python and len(axes) > 1:
        return Held(None, None, None, True)
    return Held(
        one_of(one.number for one in found),
        one_of(one.cells for one in found),
        axes.pop() if len(axes) == 1 else None,
        python,
    )


def one_of(several: Iterable[Numbers | None]) -> Numbers | None:
    """A number that is one of several; None if one may be none."""
    found = [*several]
    known = [one for one in found if one is not None]
    return quiet.joined(known) if len(known) == len(found) else None


def broadcast(several: Sequence[Held]) -> int | None:
    """The axes of what is computed of each cell of several; None: not known.

    What is untold counts as a number where something else is an array.
    """
    known = [one.axes for one in several if one.axes is not None]
    rows = any(one.axes is None and one.number is None for one in several)
    most = max(known, default=0)
    return None if rows or (not most and len(known) < len(several)) else most


def each(rule: Callable[..., Numbers | None], *operands: Held) -> Held:
    """What a rule gives for what may be one of several numbers, and for their cells."""
    number = rule(*(one.number for one in operands))
    axes = broadcast(operands)
    if axes == 0:
        return single(number)
    return Held(number, rule(*(one.spread for one in operands)), axes)


def element(of: Held, axes: int) -> Held:
    """What is selected by as many subscripts."""
    if of.axes is None:
        return plain(of.cells)
    left = of.axes - axes
    if left < 0:
        return ODD
    return replace(of, axes=left) if left else single(of.cells)


def display(parts: Iterable[Held]) -> Held:
    """A list or tuple of several; of what is untold, each is a number."""
    whole = joined(parts)
    if whole == NOTHING:
        return Held(None, frozenset(), None, True)
    if whole.number is not None:
        return Held(None, whole.number, 1, True)
    axes = None if whole.axes is None else whole.axes + 1
    return Held(None, whole.cells, axes, True)


def sliced(of: Held, numbers: int, added: int, others: int) -> Held:
    """What slices and the like select.

    Args:
        of: what they select of. numbers: how many of the subscripts are numbers.
        added: how many are ``None``.
        others: how many are slices.
    """
    if of.cells is None or of.axes == 0:
        return ODD
    if of.axes is None and not added:
        return array(of.cells)
    axes = max(numbers + others, 1) if of.axes is None else of.axes
    return array(of.cells, max(axes - numbers, 0) + added)


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
    return replace(of, number=number, cells=cells)
