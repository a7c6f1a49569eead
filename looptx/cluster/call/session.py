"""One call of a kernel whose nests run as tasks."""

from __future__ import annotations

import uuid
import weakref
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from looptx.cluster.call.arrays import TaskArray, replaced
from looptx.cluster.call.kinds import in_file, is_zarr, order, writeable
from looptx.cluster.graph.bases import Base, Filled, Held, Outside
from looptx.cluster.graph.graph import Graph
from looptx.cluster.graph.nodes import Layout, Node
from looptx.cluster.graph.stores import Piece, Store
from looptx.cluster.work.boxes import Box, slices, whole
from looptx.cluster.work.cells import Missing


class Runner(Protocol):
    """What runs tasks.

    Attributes:
        workers: how many workers there are.
        ordered: whether tasks run one after the other, as they are made.
        ahead: how many tasks are made before some are handed over.
    """

    workers: int
    ordered: bool
    ahead: int

    def take(self, nodes: Sequence[Node], stores: Sequence[Store]) -> None:
        """Run tasks, or begin to; later only what ``stores`` hold is asked for."""

    def fetch(self, asked: Sequence[tuple[Piece, Sequence[Box]]]) -> list[list[Any]]:
        """Cells of pieces, an array for each box; a number where there are none."""

    def close(self) -> None:
        """Let go of all tasks."""

    def plainly(self, digests: Collection[str]) -> Mapping[str, Mapping[str, str]]:
        """Which functions ran as Python on which workers, with the reasons.

        Args:
            digests: of the functions that are asked for.
        """


class Session:
    """The arrays of a call, and the tasks that were made of its nests.

    Args:
        name: of the kernel. runner: that runs the tasks.
    """

    def __init__(self, name: str, runner: Runner) -> None:
        self.runner = runner
        self.graph = Graph(name, uuid.uuid4().hex[:8], Layout(runner.workers))
        self.reasons: Counter[str] = Counter()
        self.nests: Counter[str] = Counter()
        self.digests: set[str] = set()
        self._arrays: dict[int, tuple[Any, TaskArray]] = {}
        self._own: list[TaskArray] = []
        self._stores: list[Store] = []
        self._new: list[weakref.ref[TaskArray]] = []

    def given(self, label: str, array: Any) -> TaskArray:
        """An argument; whoever has the array sees nothing of it until the end.

        Args:
            label: what it is called. array: the array.
        """
        known = self._arrays.get(id(array))
        if known is None:
            made = self._made(label, array.shape, array.dtype.name, self._base(array))
            made.store.order = order(array)
            made.store.fixed = not writeable(array)
            self._own.append(made)
            self.added(made.store)
            known = self._arrays[id(array)] = array, made
        return known[1]

    def _base(self, array: Any) -> Base:
        """What an argument is at first."""
        ordered = self.runner.ordered
        if is_zarr(array) or (ordered and in_file(array)):
            return Outside(array, through=ordered)
        return Held(array)

    @property
    def begun(self) -> bool:
        """Whether arrays of the caller may have been written already."""
        bases = (store.base for store in self._stores)
        return any(isinstance(one, Outside) and one.through for one in bases)

    def met(self, label: str, array: Any) -> TaskArray:
        """An array of this process that a nest reads; others may see it any time.

        Args:
            label: what it is called. array: the array.
        """
        known = self._arrays.get(id(array))
        if known is None:
            base = Held(array, open=True)
            made = self._made(label, array.shape, array.dtype.name, base)
            made.store.order = order(array)
            self.added(made.store)
            known = self._arrays[id(array)] = array, made
        return known[1]

    def filled(
        self, shape: Sequence[int], dtype: str, value: Any, order: str = "C"
    ) -> TaskArray:
        """A new array with one value everywhere; None for any values.

        Args:
            shape: of it. dtype: of its elements. value: of all of them.
            order: how it lies in memory.
        """
        made = self._made("new", shape, dtype, Filled(value))
        made.store.order = order
        return self.new(made)

    def new(self, array: TaskArray) -> TaskArray:
        """Note an array that the function made."""
        self._new.append(weakref.ref(array))
        self.added(array.store)
        return array

    def _made(
        self, label: str, shape: Sequence[int], dtype: str, base: Any
    ) -> TaskArray:
        label = "".join(c if c.isalnum() else "_" for c in label)
        store = Store(label, shape, dtype, base)
        return TaskArray(store, self)

    def added(self, store: Store) -> None:
        """Note an array or scalar whose pieces are asked for later."""
        self._stores.append(store)

    def flush(self) -> None:
        """Hand over the tasks that were made."""
        nodes = self.graph.taken()
        if nodes:
            self.runner.take(nodes, self._stores)

    def fetch(self, store: Store, boxes: Sequence[Box]) -> list[Any]:
        """The values of some cells, computed now: an array for each box."""
        found = [np.empty(_shape(box), store.dtype) for box in boxes]
        for box, array in zip(boxes, found, strict=True):
            self._into(store, [box], array, tuple(x[0] for x in box))
        return found

    def _into(
        self, store: Store, boxes: Sequence[Box], array: Any, origin: Sequence[int]
    ) -> None:
        """Put the values of cells into an array.

        Args:
            store: which. boxes: the cells. array: where they go.
            origin: its first cell.
        """
        self.flush()
        pieces, left = store.find(boxes)
        for box in left:
            base = store.base
            if isinstance(base, Held | Outside):
                zeros = (0,) * len(store.shape)
                array[slices(box, origin)] = base.array[slices(box, zeros)]
            elif isinstance(base, Filled):
                array[slices(box, origin)] = 0 if base.value is None else base.value
        for (_, own), found in zip(pieces, self.runner.fetch(pieces), strict=True):
            for box, values in zip(own, found, strict=True):
                array[slices(box, origin)] = values

    def number(self, store: Store) -> Any:
        """The value of a scalar, computed now; ``...`` where it has none."""
        if not store.pieces:
            return store.value
        self.flush()
        ((found,),) = self.runner.fetch([(store.pieces[0], [])])
        return ... if isinstance(found, Missing) else found

    def opened(self, array: TaskArray) -> Any:
        """The array as one of this process, from now on."""
        store = array.store
        base = store.base
        if isinstance(base, Held) and base.open:
            return base.array
        owner = self._owner(store)
        held = np.empty(store.shape, store.dtype, "F" if store.order == "F" else "C")
        if owner is not None and store.order == "A":
            held = _lying_like(owner)
        self._into(store, whole(store.shape), held, (0,) * len(store.shape))
        held.flags.writeable = not store.fixed
        store.base, store.pieces = Held(held, open=True), []
        return held

    def _owner(self, store: Store) -> Any:
        """The array of the caller that a store is, if it is one."""
        known = self._arrays.values()
        return next((array for array, made in known if made.store is store), None)

    def brought(self, stores: Sequence[Store]) -> None:
        """Let arrays of this process have what tasks wrote into them."""
        for store in stores:
            base = store.base
            if isinstance(base, Held) and base.open and store.pieces:
                boxes = [piece.box for piece in store.pieces]
                self._into(store, boxes, base.array, (0,) * len(store.shape))
                store.pieces = []
                base.forget()

    def finish(self, result: Any) -> Any:
        """Put the results into the caller's arrays.

        Args:
            result: what the function returns.

        Returns:
            The same, with arrays in the place of those of tasks.
        """
        self.flush()
        owners = {id(made.store): array for array, made in self._arrays.values()}
        new: dict[int, Any] = {}

        def array(one: TaskArray) -> Any:
            store = one.store
            if id(store) in owners:
                return owners[id(store)]
            if id(store) not in new:
                new[id(store)] = self.opened(one)
            return new[id(store)]

        result = replaced(result, array)
        for left in self._new:
            # Somebody else has it, and may look at it any time.
            if (one := left()) is not None:
                self.opened(one)
        writing: list[tuple[Any, Any, Any]] = []
        late: list[tuple[Any, Store, Piece]] = []
        for made in self._own:
            store, owner = made.store, owners[id(made.store)]
            origin = (0,) * len(store.shape)
            if isinstance(store.base, Held) and store.base.open:
                writing.append((owner, slice(None), store.base.array))
                continue
            pieces = [(piece, [piece.box]) for piece in store.pieces]
            if in_file(owner):
                late += ((owner, store, piece) for piece in store.pieces)
                continue
            found = self.runner.fetch(pieces)
            for (piece, _), (values,) in zip(pieces, found, strict=True):
                writing.append((owner, slices(piece.box, origin), values))
        # Nothing may fail any more, but for arrays that need not fit into memory.
        for owner, place, values in writing:
            if writeable(owner):
                owner[place] = values
        for owner, store, piece in late:
            ((values,),) = self.runner.fetch([(piece, [piece.box])])
            owner[slices(piece.box, (0,) * len(store.shape))] = values
        return result

    def close(self) -> None:
        """Let go of all tasks and what they gave."""
        self.runner.close()
        for store in self._stores:
            store.pieces = []
            if isinstance(store.base, Held):
                store.base.forget()


def _lying_like(array: Any) -> Any:
    """A new array with the strides of another one."""
    ends = [
        step * (size - 1) for step, size in zip(array.strides, array.shape, strict=True)
    ]
    low, high = sum(min(x, 0) for x in ends), sum(max(x, 0) for x in ends)
    memory = np.empty(high - low + array.itemsize, np.uint8)
    return np.ndarray(array.shape, array.dtype, memory, -low, array.strides)


def _shape(box: Box) -> tuple[int, ...]:
    return tuple((stop - start + step - 1) // step for start, stop, step in box)
