"""A call with arrays of dask's: its tasks are made, and none is run.

The function is called with what stands for its arrays, and its nests make tasks as
always. Arrays of dask's never change, so what it writes comes back as new ones. Nobody
can look at elements: where Python may, the call is refused.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from looptx.cluster.call.given import Given
from looptx.cluster.call.kinds import in_file, is_array, is_zarr
from looptx.cluster.call.session import Session
from looptx.cluster.graph.bases import Base, Held, Outside
from looptx.cluster.graph.building import Building
from looptx.cluster.graph.nodes import Layout
from looptx.cluster.graph.stores import Store
from looptx.cluster.lazy.chunked import Chunked
from looptx.cluster.lazy.standins import Chunks, Later, Refused, Standin, refused
from looptx.cluster.runners.planning import Planning
from looptx.cluster.work.boxes import Box, hull
from looptx.errors import LooptxError
from looptx.model.records import dataclass
from looptx.native.diagnostics.notices import tell

if TYPE_CHECKING:
    from looptx.cluster.lazy.results import Results
    from looptx.cluster.lazy.verdicts import Verdict

RECHUNKED = "LX605"
"""The code of the warning that chunks do not fit."""

FIRST = 10_000
"""So many regions of a nest say what its blocks are."""


class LazySession(Session):
    """The arrays of a call that is not run.

    Args:
        name: of the kernel. given: its arguments.
        changes: the parameters that it may write.
        layout: of the workers that its tasks are for.
    """

    def __init__(
        self, name: str, given: Given, changes: Sequence[str], layout: Layout
    ) -> None:
        self.planning = Planning(layout.workers, ordered=False)
        # All tasks are made before any is handed over.
        self.planning.ahead = sys.maxsize
        super().__init__(name, self.planning)
        self.graph.layout = layout
        self.runs = "made for dask to run"
        self.again = False
        self.given = given
        self.changes = changes
        self._bases = {
            id(one): _base(one.source) if one.chunks is None else Chunked(one.source)
            for one in given.arrays
        }
        for one in given.arrays:
            if one.name in changes and one.chunks is None:
                raise refused(
                    f"`{one.name}` is written, and is no array of dask's: nothing that "
                    "such a call is given changes",
                    f"give it `dask.array.from_array({one.name})`; the call returns "
                    "the new one",
                    given.place,
                )

    def _base(self, array: Any) -> Base:
        return self._bases.get(id(array)) or _base(array)

    def new(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What stands for a new array: nobody asks for its memory.

        Args:
            function: NumPy's, that makes it. args, kwargs: what it is given.
        """
        like = function.__name__.endswith("_like")
        if not like and not args and "shape" in kwargs:
            args = (kwargs.pop("shape"),)
        first: Any = args[0] if args else None
        others = [*args[1:], *kwargs.values()]
        if first is None or any(map(_is_array, others)) or "shape" in kwargs:
            self.settle("an array is made in a way that looptx does not know")
        if like and not isinstance(first, Standin | np.ndarray):
            first = np.asarray(first)
        shape = first.shape if like else _shape(first)
        if not shape or min(shape) < 0:
            # NumPy says what is wrong, if anything is.
            return function(*args, **kwargs)
        small: Any = (0,) * len(shape)
        if like:
            small = np.empty(small, first.dtype)
        made = function(small, *args[1:], **kwargs)
        found = Standin(shape, made.dtype, chunks=self._alike(shape))
        return found if is_array(found) else function(*args, **kwargs)

    def _alike(self, shape: tuple[int, ...]) -> Chunks | None:
        """The chunks of an argument that has such a shape."""
        found = (one.chunks for one in self.given.arrays if one.shape == shape)
        return next((one for one in found if one is not None), None)

    def copied(self, array: Any) -> Any:
        """What stands for a copy of an array."""
        known = self.store(getattr(array, "name", "") or "new", array)
        chunks = getattr(array, "chunks", None)
        copy = Standin(array.shape, array.dtype, chunks=chunks)
        own = self._noted(known.label, copy, known.base, lambda: copy)
        own.pieces = known.pieces.copy()
        return copy

    def shares(self, array: Any) -> bool:
        """Whether an array shares memory with another that may change: none does."""
        return False

    def ready(self, building: Building) -> None:
        """Rechunk arrays of which blocks of a nest would need too many chunks.

        Args:
            building: of the nest.

        Raises:
            Refused: it writes what is no argument, and no array of the function's.
        """
        nest = building.tasks.planned.nest
        written = [building.stores.get(name) for name in nest.written]
        for owner, store in self._arrays.values():
            if store in written and not isinstance(owner(), Standin):
                self.settle(f"`{store.label}` is written, and is no argument")
        new = {
            id(store.base): store.base
            for store in building.stores.values()
            if isinstance(store.base, Chunked) and not store.base.fitted
        }
        if not new:
            return
        touched: dict[int, list[Box]] = {}
        for store, boxes in islice(building.touches(), FIRST):
            if id(store.base) in new and boxes:
                touched.setdefault(id(store.base), []).append(hull(boxes))
        for number, boxes in touched.items():
            told = new[number].fit(boxes)
            for one in self.given.arrays if told else ():
                if self._bases[id(one)] is new[number]:
                    one.chunks = new[number].sizes
                    self._rechunked(f"`{one.name}` is rechunked {told}", building)

    def _rechunked(self, what: str, building: Building) -> None:
        """Say that an array is rechunked.

        Args:
            what: it is. building: of the nest.
        """
        nest = building.tasks.planned.nest
        text = f"{what}, to the blocks of {nest.name}"
        hint = (
            "`rechunk` it once, where it is made, or let blocks be as large as chunks"
        )
        error = LooptxError(RECHUNKED, text, nest.place, hint=hint)
        self.notes.append(f"{error.concise()}\n    hint: {hint}")
        tell(self.notes[-1])

    def number(self, store: Store) -> Any:
        """What stands for a number that tasks compute."""
        return Later(store.pieces[0]) if store.pieces else store.value

    def look(self, reason: LooptxError) -> None:
        """Refuse a call in which Python may look at arrays.

        Args:
            reason: where.
        """
        raise Refused(
            refused(
                f"{reason.message}, and arrays of dask's are not computed yet",
                "call the kernel with NumPy's arrays, or let it end before that line",
                reason.place,
            )
        )

    def settle(self, reason: object) -> None:
        """Refuse a call whose arrays would have to be brought home.

        Args:
            reason: why they would.
        """
        why = next(iter(self.reasons), str(reason)).partition("\n")[0]
        raise Refused(
            refused(
                f"{why}: it cannot wait until arrays of dask's are computed",
                "call the kernel with NumPy's arrays: `A.compute()`",
                self.given.place,
            )
        )

    def home(self) -> None:
        """Nothing is brought home."""

    def results(self, value: Any) -> Any:
        """What the call gives: arrays that it may have written, and what it returns.

        Args:
            value: that the function returned.
        """
        from looptx.cluster.lazy.results import Results

        made = Results(self.graph)
        known: dict[int, Any] = {}
        given = [one for one in self.given.arrays if one.name in self.changes]
        wanted = (*given, *(() if value is None else (value,)))
        for one in _flat(wanted):
            if id(one) not in known:
                known[id(one)] = self._result(made, one)
        self.flush()
        used = [
            one.array
            for one in self._bases.values()
            if isinstance(one, Chunked) and one.used
        ]
        verdict = self._verdict() if self.raises else None
        arrays = made.all(self.planning.nodes, used, verdict)

        def final(one: Any) -> Any:
            if type(one) is tuple:
                return tuple(map(final, one))
            found = known[id(one)]
            return arrays[found.number] if isinstance(found, _Slot) else found

        found = final(wanted)
        return found if len(found) > 1 else next(iter(found), None)

    def _verdict(self) -> Verdict:
        """What raises the exception of the function as written."""
        from looptx.cluster.lazy.verdicts import Verdict, Whole

        def own(value: Any) -> Any:
            if not isinstance(value, Standin):
                return value
            array: Any = self._bases[id(value)]
            if value.chunks is None:
                return array.array
            return Whole(value.shape, value.dtype.name, [], array.array)

        given = self.given
        args, kwargs = (
            map(own, given.args),
            {k: own(x) for k, x in given.kwargs.items()},
        )
        name = f"{self.graph.name}-{self.graph.token}"
        return Verdict(name, given.function, [*args], kwargs)

    def _result(self, made: Results, one: Any) -> Any:
        """What a value of the function becomes, or where that will be.

        Args:
            made: makes results. one: the value.
        """
        if isinstance(one, Later):
            return _Slot(made.number(one))
        if not isinstance(one, Standin):
            return one
        store = self.store(one.name or "new", one)
        if one.source is not None and not store.written and not self.raises:
            return one.source
        return _Slot(made.array(store, one.chunks))


@dataclass(frozen=True, slots=True)
class _Slot:
    """The number of a result."""

    number: int


def _flat(value: Any) -> Iterator[Any]:
    """The values in tuples of values."""
    if type(value) is tuple:
        for one in value:
            yield from _flat(one)
    else:
        yield value


def _base(array: Any) -> Base:
    """What an array begins with that may change when the call has returned."""
    if is_zarr(array):
        return Outside(array, through=False)
    return Held(array if in_file(array) else array.copy())


def _is_array(value: object) -> bool:
    return isinstance(value, Standin | Later | np.ndarray)


def _shape(given: Any) -> tuple[int, ...]:
    """The shape that a new array is asked for; () where that is none."""
    try:
        extents = given if isinstance(given, tuple | list) else (given,)
        return tuple(operator.index(one) for one in extents)
    except TypeError:
        return ()
