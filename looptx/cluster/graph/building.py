"""The tasks of a nest at certain values, with exactly what each needs of others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from looptx.cluster.graph.graph import Graph
from looptx.cluster.graph.inputs import Inputs
from looptx.cluster.graph.nodes import Node, Place, TaskFailed
from looptx.cluster.graph.pieces import Piece
from looptx.cluster.graph.steps import Step, Traffic, loops
from looptx.cluster.graph.stores import Store
from looptx.cluster.programs.parts import Kind
from looptx.cluster.programs.program import Program, Tasks, Use
from looptx.cluster.work import reductions
from looptx.cluster.work.boxes import Box, apart, hull, volume
from looptx.cluster.work.cells import Missing, Source, Window, Work, run
from looptx.model.records import dataclass, field

Regions: TypeAlias = "list[tuple[list[Box], list[Box]]]"
"""What a task reads and writes of each use of its program."""


@dataclass(slots=True)
class Partial:
    """Parts of a reduction that the tasks of a team collect.

    Attributes:
        use: the target. parts: where the parts are, with the cells that they hold.
    """

    use: Use
    parts: list[tuple[Piece, list[Box]]] = field(default_factory=list)


class Building:
    """Makes the tasks of one nest.

    Args:
        graph: where they are added.
        tasks: the nest.
        values: of what it reads, other than arrays, by name.
        sizes: of its integers, by their texts.
        stores: its arrays and scalars, by name; what it exchanges is exchanged here.
    """

    def __init__(
        self,
        graph: Graph,
        tasks: Tasks,
        values: Mapping[str, Any],
        sizes: Mapping[str, int],
        stores: dict[str, Store],
    ) -> None:
        self.graph = graph
        self.tasks = tasks
        self.values = values
        self.sizes = sizes
        self.stores = stores
        self._partial: dict[str, Partial] = {}
        self._asked: list[dict[tuple[int, ...], Regions]] = [{} for _ in tasks.programs]
        self._fixed = [self._arguments(one) for one in tasks.programs]
        self._begun = self._now()
        self._first: tuple[int, tuple[int, ...]] | None = None

    def run(self) -> Iterator[None]:
        """Make all tasks, in order; it stops after each."""
        parted = self.tasks.parted
        for event in parted.walk(*(self.sizes[text] for text in parted.sizes)):
            kind = event[0]
            if kind == Kind.TASK:
                number, values, place = event[1:]
                if not place:
                    self._begun = self._now()
                self._first = self._first or (number, values)
                self._task(number, values, place)
                if not place:
                    self._step()
                yield
            elif kind == Kind.EXCHANGE:
                first, second = event[1]
                stores = self.stores
                stores[first], stores[second] = stores[second], stores[first]
            elif kind == Kind.BEGIN:
                self._begun = self._now()
            else:
                self._collect()
                self._step()

    def _now(self) -> tuple[int, Traffic]:
        """How many names and what traffic there is by now."""
        return self.graph.count, self.graph.traffic.copy()

    def _step(self) -> None:
        """Note the step that has ended, unless it has no tasks."""
        if self._first is None:
            return
        number, values = self._first
        self._first = None
        program, (begin, before) = self.tasks.programs[number], self._begun
        found = loops(program.part, values)
        more = self.graph.count, self.graph.traffic.since(before)
        self.graph.steps.append(Step(program.label, *found, begin, *more))

    def touches(self) -> Iterator[tuple[Store, list[Box]]]:
        """The cells of arrays that blocks touch, block by block; no task is made."""
        parted, stores = self.tasks.parted, dict(self.stores)
        for event in parted.walk(*(self.sizes[text] for text in parted.sizes)):
            if event[0] == Kind.EXCHANGE:
                first, second = event[1]
                stores[first], stores[second] = stores[second], stores[first]
            elif event[0] == Kind.TASK and event[3]:
                regions = self._regions(*event[1:3])
                uses = self.tasks.programs[event[1]].uses
                for use, (read, written) in zip(uses, regions, strict=True):
                    if use.given is not None:
                        yield stores[use.name], [*read, *written]

    def _arguments(self, program: Program) -> list[tuple[int, int]]:
        """The integers that a program's cells ask for.

        Returns:
            Values, or numbers among the variables of loops around it; -1 for none.
        """
        outer = program.part.outer
        return [
            (0, outer.index(text)) if text in outer else (self.sizes[text], -1)
            for text in program.asks
        ]

    def _regions(self, number: int, values: tuple[int, ...]) -> Regions:
        """What a task reads and writes.

        Args:
            number: of the program. values: of the loops around it.
        """
        given = tuple(
            known if at < 0 else values[at] for known, at in self._fixed[number]
        )
        known = self._asked[number].get(given)
        if known is None:
            found = self.tasks.programs[number].cells(*given)
            pairs = zip(found[::2], found[1::2], strict=True)
            known = [(apart(read), apart(written)) for read, written in pairs]
            self._asked[number][given] = known
        return known

    def _task(self, number: int, values: tuple[int, ...], place: Place) -> None:
        """Make the task of a part.

        Args:
            number: of the part. values: of the loops around it.
            place: in the bound loops.
        """
        program = self.tasks.programs[number]
        regions = self._regions(number, values)
        graph, cyclic = self.graph, self.tasks.parted.cyclic
        if place:
            worker = graph.layout.worker(place, cyclic)
        else:
            worker = self._nearest(program, regions)
        graph.traffic.tasks += 1
        text = program.text
        given = dict(zip(program.part.outer, values, strict=True))
        known = {
            own: given[name] if name in given else self.values[name]
            for name, own in text.values.items()
        }
        work = Work(program.code, known, {}, {}, {}, [], text.results)
        node = Node(self._key(program, values), worker, run, (work,))
        inputs = Inputs(graph, node)
        for use, (read, written) in zip(program.uses, regions, strict=True):
            if use.given is None:
                self._scalar(use, work, inputs, program)
            else:
                self._array(use, read, written, work, inputs)
        inputs.close()
        for name, window in work.windows.items():
            if name not in work.written:
                inputs.settle(window)
        graph.add(node)
        for use, (_, written) in zip(program.uses, regions, strict=True):
            self._keep(use, written, node)

    def _key(self, program: Program, values: tuple[int, ...]) -> tuple[Any, ...]:
        return self.graph.key(program.label, values)

    def _nearest(self, program: Program, regions: Regions) -> int:
        """The worker with most of what a task reads.

        Args:
            program: of the task. regions: what it reads and writes.
        """
        if self.graph.layout.workers == 1:
            return 0
        sizes: dict[int, int] = {}
        for use, (read, _) in zip(program.uses, regions, strict=True):
            store = self.stores[use.name]
            for piece, boxes in store.find(read)[0]:
                worker = piece.node.worker
                size = volume(boxes) * store.itemsize
                sizes[worker] = sizes.get(worker, 0) + size
        sizes.pop(-1, 0)
        return min(sizes, key=lambda one: (-sizes[one], one)) if sizes else 0

    def _scalar(self, use: Use, work: Work, inputs: Inputs, program: Program) -> None:
        """Give a task a number that others may have assigned.

        Args:
            use: what.
            work: of the task. inputs: its inputs. program: what it runs.
        """
        name = program.text.starts.get(use.name)
        if name is None:
            return
        if use.target is not None:
            work.values[name] = use.target.neutral
            return
        store = self.stores[use.name]
        if store.pieces:
            sources: list[Source] = []
            inputs.take(sources, store.pieces[0], [], store.itemsize)
            work.scalars[name] = sources
        else:
            value = store.value
            work.values[name] = Missing() if value is ... else value

    def _array(
        self,
        use: Use,
        read: list[Box],
        written: list[Box],
        work: Work,
        inputs: Inputs,
    ) -> None:
        """Give a task a window of an array.

        Args:
            use: which. read, written: its cells there.
            work: of the task. inputs: its inputs.
        """
        store, given = self.stores[use.name], use.given
        assert given is not None
        work.values.update(
            (name, store.shape[axis]) for axis, name in given.extents.items()
        )
        touched = [*read, *written]
        box = hull(touched) if touched else ((0, 0, 1),) * len(store.shape)
        box = tuple(
            one if origin else (0, size, 1)
            for one, origin, size in zip(box, given.origin, store.shape, strict=True)
        )
        window = work.windows[given.name] = Window(box, store.dtype, store.order)
        work.origins[given.name] = given.origin
        if written:
            work.written.append(given.name)
        if use.target is not None:
            window.fill = use.target.neutral
        else:
            inputs.window(window, store, read)

    def _keep(self, use: Use, written: list[Box], node: Node) -> None:
        """Note what a task writes.

        Args:
            use: of what. written: its cells. node: the task.
        """
        if not written:
            return
        name = use.given.name if use.given is not None else use.name
        store = self.stores[use.name]
        node.size += volume(written) * store.itemsize
        if use.given is not None:
            node.written[name] = written
        pieces = [Piece(box, node, name) for box in written]
        if use.target is None:
            store.write(written, pieces)
        else:
            own = self._partial.setdefault(use.name, Partial(use))
            own.parts.append((pieces[0], written))

    def _collect(self) -> None:
        """Combine the parts that the tasks of a team collected."""
        partial, self._partial = self._partial, {}
        for name, own in partial.items():
            groups: dict[tuple[Box, ...], list[tuple[Piece, list[Box]]]] = {}
            for piece, boxes in own.parts:
                groups.setdefault(tuple(boxes), []).append((piece, boxes))
            every = [box for cells in groups for box in cells]
            if volume(apart(every)) < volume(every):
                groups = {tuple(apart(every)): own.parts}
            for number, (cells, parts) in enumerate(groups.items()):
                self._combined(own.use, name, number, list(cells), parts)

    def _combined(
        self,
        use: Use,
        name: str,
        number: int,
        boxes: list[Box],
        parts: list[tuple[Piece, list[Box]]],
    ) -> None:
        """Make the task that combines parts.

        Args:
            use: of the target. name: of it. number: of the task.
            boxes: the cells. parts: of them, in order.
        """
        how, store, graph = use.target, self.stores[name], self.graph
        assert how is not None
        key = graph.key(f"{self.tasks.planned.nest.name}.sum", (number,))
        node = Node(key, parts[0][0].node.worker, reductions.combine)
        inputs = Inputs(graph, node)
        before: Any = store.value
        window = Window(hull(boxes), store.dtype, store.order)
        if use.given is not None:
            inputs.window(window, store, boxes)
            before = window
        elif store.pieces:
            inputs.take(window.sources, store.pieces[0], [], store.itemsize)
            before = window.sources
        elif before is ...:
            raise TaskFailed(f"{name} has no value")
        found: list[list[Source]] = []
        for piece, own in parts:
            sources: list[Source] = []
            asked = own if use.given is not None else []
            inputs.take(sources, piece, asked, volume(own) * store.itemsize)
            found.append(sources)
        inputs.close()
        node.given = how, name, before, found
        node.size = volume(boxes) * store.itemsize
        graph.add(node)
        store.write(boxes, [Piece(box, node, name) for box in boxes])
