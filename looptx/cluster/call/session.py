"""One call of a kernel whose nests run as tasks.

The function sees its own arrays, always. What tasks give them is *brought home*,
written into them, when the call ends, or before Python may look at arrays. Then the
call is settled, and from there on each nest is brought home when its tasks are made.
"""

from __future__ import annotations

import uuid
import weakref
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

from looptx.cluster.call.kinds import in_file, is_zarr, order, overlapping
from looptx.cluster.graph.bases import Base, Filled, Held, Outside
from looptx.cluster.graph.building import Building
from looptx.cluster.graph.graph import Graph
from looptx.cluster.graph.nodes import Layout, Node
from looptx.cluster.graph.pieces import Piece
from looptx.cluster.graph.stores import Store
from looptx.cluster.work.boxes import Box, slices
from looptx.cluster.work.cells import Missing
from looptx.errors import LooptxError


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

    def take(self, nodes: list[Node], stores: Sequence[Store]) -> None:
        """Run tasks, or begin to.

        Args:
            nodes: the tasks; it may empty the list.
            stores: what they hold is all that is asked for later.
        """

    def fetch(self, asked: Sequence[tuple[Piece, Sequence[Box]]]) -> list[list[Any]]:
        """Cells of pieces, an array for each box; a number where there are none."""

    def finish(
        self, nodes: list[Node], asked: Sequence[tuple[Piece, Sequence[Box]]]
    ) -> list[list[Any]]:
        """Run the last tasks, and fetch cells; nothing else will be asked for.

        Args:
            nodes: the tasks. asked: as for ``fetch``.
        """

    def close(self) -> None:
        """Let go of all tasks so far."""

    def plainly(self, digests: Collection[str]) -> Mapping[str, Mapping[str, str]]:
        """Which functions ran as Python on which workers, with the reasons.

        Args:
            digests: of the functions that are asked for.
        """


class Session:
    """The arrays of a call, and the tasks that were made of its nests.

    Args:
        name: of the kernel. runner: that runs the tasks.

    Attributes:
        settled: why each nest is brought home at once, if so.
        again: whether the function may have to run as written after all.
        runs: where its tasks run. notes: what else is told of it.
        failed: what a task raised, or a schedule was refused with.
        raises: whether tasks may raise.
    """

    def __init__(self, name: str, runner: Runner) -> None:
        self.runner = runner
        self.graph = Graph(name, uuid.uuid4().hex[:8], Layout(runner.workers))
        self.reasons: Counter[str] = Counter()
        self.nests: Counter[str] = Counter()
        self.digests: set[str] = set()
        self.settled: object = None
        self.again = True
        self.notes: list[str] = []
        self.runs = f"on {runner.workers} workers"
        self.failed: BaseException | None = None
        self.raises = False
        # An array that the function made may be gone when it is brought home.
        self._arrays: dict[int, tuple[Callable[[], Any], Store]] = {}
        self._others: list[Store] = []

    @property
    def begun(self) -> bool:
        """Whether arrays of the caller may have been written already."""
        stores = (store for _, store in self._arrays.values() if store.written)
        return any(getattr(store.base, "through", False) for store in stores)

    @property
    def stores(self) -> list[Store]:
        """What tasks gave that may be asked for."""
        return [*(store for _, store in self._arrays.values()), *self._others]

    def store(self, label: str, array: Any) -> Store:
        """An array as tasks have it.

        Args:
            label: what it is called. array: the array.
        """
        known = self._known(array)
        if known is not None:
            return known
        return self._noted(label, array, self._base(array), lambda: array)

    def new(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A new array.

        Args:
            function: that makes it. args, kwargs: what it is given.
        """
        return function(*args, **kwargs)

    def filled(self, array: Any, value: Any) -> None:
        """Note a new array with one value everywhere; None for any values."""
        if self.settled is None:
            self._noted("new", array, Filled(value), weakref.ref(array))

    def copied(self, array: Any) -> Any:
        """A copy of an array, with what tasks gave that."""
        copy, known = array.copy(), self._known(array)
        if known is not None:
            base = Held(copy) if isinstance(known.base, Held) else known.base
            store = self._noted(known.label, copy, base, weakref.ref(copy))
            store.pieces = known.pieces.copy()
        return copy

    def shares(self, array: Any) -> bool:
        """Whether an array shares memory with another one that tasks have."""
        known = (owner() for owner, _ in self._arrays.values())
        return any(one is not None and overlapping(array, one) for one in known)

    def _known(self, array: Any) -> Store | None:
        owner, store = self._arrays.get(id(array), (lambda: None, None))
        return store if owner() is array else None

    def _noted(
        self, label: str, array: Any, base: Base, owner: Callable[[], Any]
    ) -> Store:
        """Begin to keep what tasks give an array.

        Args:
            label: what it is called. array: the array. base: what it begins with.
            owner: gives the array, as long as there is somebody who has it.
        """
        label = "".join(c if c.isalnum() else "_" for c in label)
        store = Store(label, array.shape, array.dtype.name, base)
        store.order = order(array)
        self._arrays[id(array)] = owner, store
        return store

    def _base(self, array: Any) -> Base:
        """What an array of the caller is at first."""
        ordered = self.runner.ordered
        if is_zarr(array) or (ordered and in_file(array)):
            return Outside(array, through=ordered)
        return Held(array)

    def ready(self, building: Building) -> None:
        """See to arrays before the tasks of a nest are made.

        Args:
            building: of the nest.
        """

    def added(self, store: Store) -> None:
        """Note a scalar or temporary whose pieces are asked for later."""
        self._others.append(store)

    def flush(self) -> None:
        """Hand over the tasks that were made."""
        self._arrays = {
            key: (owner, store)
            for key, (owner, store) in self._arrays.items()
            if owner() is not None
        }
        nodes = self.graph.taken()
        if nodes:
            self.runner.take(nodes, self.stores)

    def number(self, store: Store) -> Any:
        """The value of a scalar, computed now; ``...`` where it has none."""
        if not len(store.pieces):
            return store.value
        self.flush()
        ((found,),) = self.runner.fetch([(store.pieces[0], [])])
        return ... if isinstance(found, Missing) else found

    def look(self, reason: LooptxError) -> None:
        """Bring arrays home before a statement.

        Args:
            reason: why that may look at them.
        """
        self.settle(reason.concise() + f"\n    hint: {reason.hint}")

    def settle(self, reason: object) -> None:
        """Bring arrays home before Python may look at them.

        Args:
            reason: why it may.
        """
        if self.settled is None:
            self.settled = reason
            self.home()

    def home(self) -> None:
        """Put what tasks gave into the function's arrays, and begin anew from these."""
        late: list[tuple[Any, Piece]] = []
        now: list[tuple[Any, Piece]] = []
        for owner, store in self._arrays.values():
            array = owner()
            if array is not None:
                some = late if in_file(array) else now
                some += ((array, piece) for piece in store.pieces)
        if late:
            self.flush()
        nodes = self.graph.taken()
        found = self.runner.finish(nodes, [(piece, [piece.box]) for _, piece in now])
        # Nothing may fail any more, but for arrays that need not fit into memory.
        for (array, piece), (values,) in zip(now, found, strict=True):
            array[slices(piece.box, (0,) * array.ndim)] = values
        for array, piece in late:
            ((values,),) = self.runner.fetch([(piece, [piece.box])])
            array[slices(piece.box, (0,) * array.ndim)] = values
        self.close()

    def close(self) -> None:
        """Let go of all tasks and what they gave."""
        self.graph.taken()
        self.runner.close()
        for store in self.stores:
            store.pieces.clear()
        self._arrays, self._others = {}, []
