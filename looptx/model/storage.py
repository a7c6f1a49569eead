"""Where temporaries are kept: as the source allocates them, and as a schedule needs it.

A *temporary* is a local array that one nest alone uses, or a scalar with one life per
iteration. Its *buffer* holds exactly the cells that are live at a time.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from math import prod

from looptx.model.expr import Const, IntExpr
from looptx.model.records import dataclass, field
from looptx.model.types import ArrayType, Type

PLACES = ("local", "shared", "global")
"""Where a buffer may have to be: of one thread, of one block of threads, of all."""

LARGEST_LOCAL = 1 << 16
"""How many bytes of the stack a buffer takes at most where that is asked for."""

LIKE = "like:"
"""Before the name of the array whose elements an allocation takes over."""


def rounding(array: str) -> str:
    """What stands in code for the type that rounds a value to the elements of an array.

    It is no identifier, so none of the source's names is it.
    """
    return f"{array}.dtype.type"


@dataclass(frozen=True, slots=True)
class Allocation:
    """The statement ``T = np.zeros((n, m))``, which stands alone on its lines.

    That of a cache is no statement of the source, and has no lines; nor has an array
    that is an argument, but is kept like a temporary.

    Attributes:
        array: the name.
        shape: the extents.
        fill: the text of what every cell holds at first; empty for ``np.empty``.
        element: the dtype, ``like:A`` for that of an array, or empty when unknown.
        like: whether the call says an array and no shape, as ``zeros_like`` does.
        module: the name of NumPy in the call, empty when it is not written.
        reads: the names that are needed to know the shape, the element and the fill.
        first_line, last_line: where it stands.
        equal: what is known of the names in ``reads`` where the nest starts, as in
            ``Nest.equal``.
        of: the array whose elements it holds, where looptx makes it; or empty.
    """

    array: str
    shape: tuple[IntExpr, ...]
    fill: str
    element: str
    like: bool
    module: str
    reads: tuple[str, ...]
    first_line: int
    last_line: int
    equal: Mapping[str, str] = field(default_factory=dict)
    of: str = ""

    @property
    def made(self) -> bool:
        """Whether looptx makes it, and no statement of the source."""
        return self.first_line == 0

    @property
    def given(self) -> bool:
        """Whether the array is an argument, and its elements are of that type."""
        return self.element == f"{LIKE}{self.array}"

    def dtype(self, types: Mapping[str, Type]) -> str:
        """The element type, or empty when nothing says it."""
        if not self.element.startswith(LIKE):
            return self.element
        kind = types.get(self.element.removeprefix(LIKE))
        return kind.dtype if isinstance(kind, ArrayType) else ""


@dataclass(frozen=True, slots=True)
class Filled:
    """An array that is filled in front of a nest, and seen by nobody until it begins.

    Attributes:
        array: the name. value: the text of the number that fills it.
        intact: whether each cell still holds that.
        made: its allocation, where looptx can read its size.
        owners: what it has sizes of, which may be lists: these change theirs.
    """

    array: str
    call: str
    value: str
    intact: bool
    made: Allocation | None
    owners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Store:
    """What a statement of the storage does: it gives cells of a buffer one value.

    Attributes:
        name: of the statement, which is none of the source's.
        array: the buffer.
        places: for each axis the name that stands for the one coordinate that is meant,
            or None for all of them, as for the axes that are left out.
    """

    name: str
    array: str
    places: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Copy:
    """What a statement does that copies a cell of an array to a buffer, or back.

    Attributes:
        array: the array. buffer: the buffer.
        load: whether it copies into the buffer.
    """

    array: str
    buffer: str
    load: bool


@dataclass(frozen=True, slots=True)
class Start:
    """What a statement does that gives a part of a reduction its first value.

    Attributes:
        op: the operation, whose identity that is.
        target: the array or scalar that is reduced into.
        operand: what is combined.
        compares: whether it keeps one of two values, as Python compares them.
    """

    op: str
    target: str
    operand: ast.expr
    compares: bool


@dataclass(frozen=True, slots=True)
class Buffer:
    """The storage of one temporary.

    Attributes:
        name: the array or scalar.
        extents: its shape, over parameters; none for a single cell.
        whole: whether its one life is the whole nest.
        private: whether it lives inside a parallel loop, so each thread needs one.
        shared: whether a parallel loop runs during its life.
        allocation: how the source makes it; None for a scalar.
        places: ``{(statement, subscripts of an access): names}``: what stands for the
            coordinates of a cell in the statement; a scalar has no subscripts. The
            names are no identifiers, so none of the source's is among them.
        stores: the statements that give it the source's initial value: at the beginning
            of each life, and for a row of it when that is due.
        where: one of ``PLACES``, or empty where none is asked for.
    """

    name: str
    extents: tuple[IntExpr, ...]
    whole: bool
    private: bool
    shared: bool
    allocation: Allocation | None
    places: Mapping[tuple[str, tuple[IntExpr | None, ...]], tuple[str, ...]]
    stores: tuple[Store, ...] = ()
    where: str = ""

    def misplaced(self, size: int) -> str:
        """Why it cannot be where it has to be; empty where it can.

        Args:
            size: of an element, in bytes.
        """
        if self.where == "local":
            if self.shared:
                return "a parallel loop runs during its life, so several threads use it"
            known = [one.value for one in self.extents if isinstance(one, Const)]
            if len(known) < len(self.extents):
                return "its extents are no constants"
            bytes_ = size * prod(known)
            if bytes_ > LARGEST_LOCAL:
                return f"it takes {bytes_} bytes, and there are {LARGEST_LOCAL}"
        elif self.where == "shared" and not self.private:
            return "its life is longer than an iteration of a parallel loop"
        return ""

    def names(
        self, statement: str
    ) -> dict[tuple[IntExpr | None, ...], tuple[str, ...]]:
        """The coordinates of each access of a statement."""
        return {
            subscripts: names
            for (user, subscripts), names in self.places.items()
            if user == statement
        }


def alike(buffer: str, array: str, known: Mapping[str, Allocation]) -> Allocation:
    """The memory of a buffer that holds elements of an array, made by looptx.

    Args:
        buffer: its name. array: that of the array.
        known: how arrays are made that may be temporaries.
    """
    own = known.get(array)
    element = own.element if own is not None else ""
    return Allocation(
        array=buffer,
        shape=(),
        fill="",
        element=element or f"{LIKE}{array}",
        like=False,
        module=own.module if own is not None else "",
        reads=(),
        first_line=0,
        last_line=0,
        of=array,
    )


def allocated(
    allocations: Mapping[str, Allocation], types: Mapping[str, Type]
) -> dict[str, ArrayType]:
    """The types of the arrays that may be temporaries, as far as they are plain."""
    return {
        name: ArrayType(dtype, len(own.shape))
        for name, own in allocations.items()
        if not own.given and (dtype := own.dtype(types))
    }
