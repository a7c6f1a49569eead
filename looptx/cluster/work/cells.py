"""What tasks do: put cells together in windows, run a part on them, cut cells out.

Tasks are pure: given the same cells they give the same cells, wherever and however
often they run. The one thing that is written twice are the margins of a window: its
first reader may put cells of others there, always the same, and nobody else reads them.
"""

from __future__ import annotations

import sys
from collections import UserDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from looptx.cluster.work.boxes import Box, slices
from looptx.model.records import dataclass, field

if TYPE_CHECKING:
    from looptx.cluster.work.code import Code

    Array: TypeAlias = np.ndarray[Any, Any]

Pick: TypeAlias = "tuple[str | int, Box | None, tuple[Box, ...]]"
"""Item and frame as of a ``Source``, and boxes of it; none of a scalar."""


class Cells(UserDict[str, Any]):
    """What a task gives: windows of arrays, and scalars, by name.

    A window is a pair: its first cell, and the array. That it is no ``dict`` lets dask
    ask it for its size instead of looking through it.
    """

    def __sizeof__(self) -> int:
        windows = (one for one in self.data.values() if isinstance(one, tuple))
        return sys.getsizeof(self.data) + sum(int(x.nbytes) for _, x in windows)

    def __reduce__(self) -> tuple[Any, ...]:
        return Cells, (self.data,)


class Missing:
    """Stands for a variable that has no value: nothing can be computed of it."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise NameError("a variable has no value")

    def __bool__(self) -> bool:
        raise NameError("a variable has no value")


@dataclass(slots=True)
class Source:
    """Where cells of a window come from.

    Attributes:
        number: of the input of the task.
        item: a name, if that is ``Cells``, or which of several arrays; "" where it is
            the array itself.
        frame: the cells that the array holds, where it does not say so.
        boxes: those that are taken.
    """

    number: int
    item: str | int
    frame: Box | None
    boxes: Sequence[Box]


@dataclass(slots=True)
class Window:
    """A window of an array, of which a task computes.

    Attributes:
        box: the cells that it has room for.
        dtype: of its elements. order: how it lies in memory, ``C`` or ``F``.
        sources: where the cells are that it begins with.
        home: the source whose own window serves, if there is one.
        fill: what the other cells are; None where that does not matter.
    """

    box: Box
    dtype: str
    order: str = "C"
    sources: list[Source] = field(default_factory=list)
    home: Source | None = None
    fill: Any = None


@dataclass(slots=True)
class Work:
    """What a task runs.

    Attributes:
        code: the function.
        values: arguments that are numbers and the like.
        scalars: arguments that other tasks give, with where they are.
        windows: of arrays, by the names of their arguments.
        origins: the arguments that say where windows begin, by window.
        written: the windows that are given back. results: the scalars.
    """

    code: Code
    values: dict[str, Any]
    scalars: dict[str, list[Source]]
    windows: dict[str, Window]
    origins: dict[str, Sequence[str]]
    written: list[str]
    results: Sequence[str]


def run(work: Work, *inputs: Any) -> Cells:
    """Run a part on its windows.

    Args:
        work: what to run.
        inputs: what other tasks gave.
    """
    given = dict(work.values)
    for name, sources in work.scalars.items():
        given[name] = found(sources, inputs)
    held: dict[str, tuple[tuple[int, ...], Array]] = {}
    for name, window in work.windows.items():
        lower, array = held[name] = opened(window, inputs)
        given[name] = array
        for origin, start in zip(work.origins[name], lower, strict=True):
            if origin:
                given[origin] = start
    results = work.code.function(**given)
    given_back = Cells((name, held[name]) for name in work.written)
    if work.results:
        given_back.update(zip(work.results, results, strict=True))
    return given_back


def found(sources: Sequence[Source], inputs: Sequence[Any]) -> Any:
    """A number that another task gave."""
    (source,) = sources
    return inputs[source.number][source.item]


def opened(window: Window, inputs: Sequence[Any]) -> tuple[tuple[int, ...], Array]:
    """A window with the cells that it begins with.

    Args:
        window: what it is.
        inputs: what other tasks gave.

    Returns:
        Its first cell, and the array.
    """
    if window.home is not None:
        lower, array = inputs[window.home.number][window.home.item]
        if not (array.flags.aligned and array.flags.writeable):
            # It came in a message: the task runs elsewhere than where it belongs.
            array = array.copy("K")
    else:
        lower = tuple(start for start, _, _ in window.box)
        shape = tuple(stop - start for start, stop, _ in window.box)
        array = np.empty(shape, window.dtype, "F" if window.order == "F" else "C")
        if window.fill is not None:
            array[...] = window.fill
    for source in window.sources:
        origin, frame, given = framed(inputs[source.number], source.item, source.frame)
        for box in source.boxes:
            array[slices(box, lower)] = given[inside(box, origin, frame)]
    return lower, array


def framed(
    given: Any, item: str | int, frame: Box | None
) -> tuple[tuple[int, ...], tuple[int, ...], Array]:
    """The first cell of an array, its steps, and the array.

    Args:
        given: the input. item, frame: as of a ``Source``.
    """
    if frame is None:
        lower, array = given[item]
        return lower, (1,) * len(lower), array
    array = given if item == "" else given[item]
    return tuple(x[0] for x in frame), tuple(x[2] for x in frame), array


def inside(box: Box, origin: Sequence[int], steps: Sequence[int]) -> tuple[slice, ...]:
    """The place of a box in an array.

    Args:
        box: the box.
        origin: the first cell of the array. steps: from one of its cells to the next.
    """
    return tuple(
        slice((start - low) // every, (stop - 1 - low) // every + 1, step // every or 1)
        for (start, stop, step), low, every in zip(box, origin, steps, strict=True)
    )


def cut(picks: Sequence[Pick], given: Any) -> list[Any]:
    """Some of the cells that a task gave, by themselves: an array for each box.

    Args:
        picks: which. given: the cells.
    """
    found: list[Any] = []
    for item, frame, boxes in picks:
        if not boxes:
            found.append(given[item])
            continue
        origin, steps, array = framed(given, item, frame)
        found += (array[inside(box, origin, steps)].copy() for box in boxes)
    return found


def cut_all(picks: Sequence[tuple[int, Pick]], *inputs: Any) -> list[list[Any]]:
    """Some of the cells that tasks gave.

    Args:
        picks: the number of the task, and which of its cells. inputs: what they gave.
    """
    return [cut([pick], inputs[number]) for number, pick in picks]


def read(array: Any, boxes: Sequence[Box]) -> list[Any]:
    """Cells of an array in a file: an array for each box.

    Args:
        array: the array. boxes: the cells.
    """
    return [array[slices(box, (0,) * len(box))] for box in boxes]


def here(value: Any) -> Any:
    """What the caller gives."""
    return value
