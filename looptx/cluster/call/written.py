"""The tasks of a nest that is only a text: planned at some sizes, without a call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from looptx.cluster.graph.bases import Filled, Held
from looptx.cluster.graph.building import Building
from looptx.cluster.graph.graph import Graph
from looptx.cluster.graph.nodes import Layout
from looptx.cluster.graph.stores import Store
from looptx.cluster.programs.parts import Kind, unsupported
from looptx.cluster.programs.program import Tasks, check, tasks_of
from looptx.cluster.runners.planning import Plan, Planning
from looptx.cluster.work.boxes import hull
from looptx.directives import Verb
from looptx.looptree.planned import Planned
from looptx.lower.types import annotated
from looptx.model.expr.evaluate import value
from looptx.model.program import Kernel, Nest
from looptx.model.types import ArrayType, Type
from looptx.native.analysis.signature import live_types
from looptx.plan import plan_nest
from looptx.show.picture_sizes import checked, telling
from looptx.source import Module

ELEMENTS = "float64"
"""What arrays are of where nothing is known of them."""

UNKNOWN = 8
"""The length of an axis of which nothing is known."""


def drawn(
    module: Module,
    kernel: Kernel,
    nest: Nest,
    verbs: Sequence[Verb],
    given: Mapping[str, int],
    workers: int,
) -> tuple[str, dict[str, int]]:
    """The tasks of a nest as a text, and the sizes that it is of.

    Args:
        module: the text. kernel: the function. nest: of it. verbs: what schedules it.
        given: sizes; the others are chosen.
        workers: how many there are.

    Raises:
        LooptxError: the schedule is refused, or the nest is not bound to workers.
    """
    own = checked(nest, given)
    known = live_types(kernel, nest, annotated(kernel), ELEMENTS)
    types = dict(zip(nest.given, known, strict=True))
    check(nest, types)
    planned = plan_nest(nest, verbs, kernel.names, types)
    tasks = tasks_of(module, kernel, planned, types, lambda names: {})
    if not any(part.team for part in tasks.parted.parts):
        hint = "`bind LOOP worker` makes tasks of the iterations of a loop"
        raise unsupported(nest, "no loop is bound to workers", hint)
    sizes = telling(nest, planned.schedule, own)
    plan = planned_tasks(tasks, kernel.qualname, types, sizes, workers)
    at = ", ".join(f"{name}={number}" for name, number in sizes.items())
    return f"{kernel.qualname}, nest {nest.name}, at {at}\n\n{plan.drawing()}", sizes


def planned_tasks(
    tasks: Tasks,
    name: str,
    types: Mapping[str, Type],
    given: Mapping[str, int],
    workers: int,
) -> Plan:
    """The tasks of a nest, none of which runs.

    Args:
        tasks: the nest. name: of the function.
        types: of what it reads. given: its sizes, by its names.
        workers: how many there are.
    """
    sizes = _Sizes(tasks.planned, given)
    stores = _stores(tasks, types, sizes)
    graph, runner = Graph(name, "plan", Layout(workers)), Planning(workers, False)
    numbers = {one: 0 for program in tasks.programs for one in program.text.values}
    for _ in Building(graph, tasks, {**numbers, **sizes}, sizes, stores).run():
        pass
    runner.take(graph.taken(), ())
    return runner.plan(name, graph, stores.values())


class _Sizes(dict[str, int]):
    """The integers of a nest, by their texts.

    Args:
        planned: the nest. given: its sizes.
    """

    def __init__(self, planned: Planned, given: Mapping[str, int]) -> None:
        super().__init__(given)
        self._equal = planned.nest.entry.equal

    def __missing__(self, text: str) -> int:
        return self.known(text, UNKNOWN)

    def known(self, text: str, otherwise: int) -> int:
        """An integer, or something else where nothing is known of it."""
        return self.get(self._equal.get(text, text), otherwise)


def _stores(tasks: Tasks, types: Mapping[str, Type], sizes: _Sizes) -> dict[str, Store]:
    """The arrays and scalars of a nest.

    Args:
        tasks: the nest. types: of what it reads. sizes: its integers.
    """
    stores: dict[str, Store] = {}
    shapes = _shapes(tasks, types, sizes)
    for name, kind in types.items():
        if isinstance(kind, ArrayType):
            # Nobody looks at a cell, so one is enough memory for all.
            array: Any = np.broadcast_to(np.zeros((), kind.dtype), shapes[name])
            stores[name] = Store(name, array.shape, kind.dtype, Held(array))
    for name in tasks.scalars:
        stores[name] = Store(name, (), "")
        stores[name].value = 0
    for one in tasks.shared:
        shape = [max(0, value(extent, sizes)) for extent in one.extents]
        stores[one.name] = Store(one.name, shape, one.dtype, Filled())
    return stores


def _shapes(
    tasks: Tasks, types: Mapping[str, Type], sizes: _Sizes
) -> dict[str, tuple[int, ...]]:
    """The least shapes of arrays that have all cells that tasks touch.

    Args:
        tasks, types, sizes: as of ``_stores``.
    """
    shapes = {
        name: [sizes.known(f"{name}.shape[{at}]", 0) for at in range(kind.ndim)]
        for name, kind in types.items()
        if isinstance(kind, ArrayType)
    }
    for name, box in _touched(tasks, sizes):
        if name in shapes:
            ends = (end for _, end, _ in box)
            shapes[name] = [*map(max, shapes[name], ends)]
    return {name: tuple(shape) for name, shape in shapes.items()}


def _touched(tasks: Tasks, sizes: _Sizes) -> Iterator[tuple[str, Any]]:
    """The cells that tasks touch, by arrays."""
    parted = tasks.parted
    for kind, *more in parted.walk(*(sizes[text] for text in parted.sizes)):
        if kind == Kind.TASK:
            number, values, _ = more
            program = tasks.programs[number]
            own = dict(zip(program.part.outer, values, strict=True))
            asked = [own[x] if x in own else sizes[x] for x in program.asks]
            found = program.cells(*asked)
            for use, read, written in zip(
                program.uses, found[::2], found[1::2], strict=True
            ):
                boxes = [*read, *written]
                if boxes:
                    yield use.name, hull(boxes)
