"""A nest of a function where it is called: its tasks for the values it meets."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from looptx.cluster.call.arrays import TaskArray
from looptx.cluster.call.session import Session
from looptx.cluster.graph.bases import Filled, Held
from looptx.cluster.graph.building import Building
from looptx.cluster.graph.nodes import TaskFailed
from looptx.cluster.graph.stores import Store
from looptx.cluster.programs.program import CODE, Tasks
from looptx.errors import LooptxError
from looptx.model.expr.evaluate import holds, value
from looptx.model.noted.exchanges import turned
from looptx.model.trees import dotted
from looptx.model.types import ArrayType, Type
from looptx.native.call.arguments import Foreign, classify
from looptx.native.call.dispatch import SOFT

if TYPE_CHECKING:
    from looptx.native.analysis.nest_info import NestInfo


class NestCall:
    """Runs one nest of a function as tasks; it stands where its native code would.

    Args:
        session: the call. info: the nest.
        tasks: gives its tasks for certain types.
        native: runs it in this process.
    """

    def __init__(
        self,
        session: Session,
        info: NestInfo,
        tasks: Callable[[Mapping[str, Type]], Tasks | LooptxError],
        native: Callable[..., tuple[Any, ...] | None],
    ) -> None:
        self.session = session
        self.info = info
        self.tasks = tasks
        self.native = native

    def __call__(self, *values: Any) -> tuple[Any, ...] | None:
        """Run the nest with its values.

        Args:
            values: of the names that it reads.

        Returns:
            What it leaves in variables; None where the loops as written have to run.
        """
        given = dict(zip(self.info.live_in, values, strict=True))
        try:
            types = self._types(given)
            tasks, sizes = self._tasks(given, types)
        except Foreign as reason:
            return self._here(given, reason)
        self.session.nests[self.info.label] += 1
        return self._run(tasks, given, sizes)

    def unready(self) -> None:
        """A value is missing: the loops as written show when it matters."""

    def _types(self, given: dict[str, Any]) -> dict[str, Type]:
        """The types of values; arrays of this process become arrays of tasks.

        Raises:
            Foreign: for a value that no task can have.
        """
        types: dict[str, Type] = {}
        for name, one in given.items():
            if isinstance(one, TaskArray):
                if one.store.fixed and name in self.info.written:
                    raise Foreign(f"{name} is a read-only array that is written", name)
                types[name] = ArrayType(one.store.dtype, one.ndim)
                continue
            try:
                kind = classify(one, name in self.info.written)
            except Foreign as foreign:
                raise Foreign(f"{name} is {foreign}", name) from None
            if isinstance(kind, ArrayType):
                given[name] = self.session.met(name, one)
                kind = replace(kind, layout="C")
            types[name] = kind
        return types

    def _tasks(
        self, given: Mapping[str, Any], types: Mapping[str, Type]
    ) -> tuple[Tasks, Mapping[str, int]]:
        """The tasks for some values, and the nest's integers.

        Args:
            given: the values. types: of them.

        Raises:
            Foreign: they do not run as tasks.
            TaskFailed: the schedule is refused for them.
        """
        tasks = self.tasks(types)
        if isinstance(tasks, LooptxError):
            if tasks.code not in (CODE, *SOFT):
                raise TaskFailed from tasks
            raise Foreign(tasks.concise(), tasks.hint)
        sizes = Sizes(given)
        planned = tasks.planned
        conditions = (*planned.schedule.assumes, planned.inside())
        try:
            inside = all(holds(one, sizes) for one in conditions)
            meant = inside and all(sizes.evaluated(test) for test in tasks.tests)
            for text in tasks.sizes:
                sizes[text]
        except Exception:
            # Whatever it is, the loops as written show it when it matters.
            raise Foreign("a size is no integer") from None
        if not inside:
            raise Foreign("a condition on its sizes does not hold")
        if not meant:
            raise Foreign("its statements on arrays mean something else for these")
        self._check_apart(given, planned.nest.written)
        for use in (use for one in tasks.programs for use in one.uses):
            array = given.get(use.name)
            rows = use.given is not None and use.given.rows
            if rows and array is not None and array.store.order == "A":
                raise Foreign(f"{use.name} is no contiguous array")
        return tasks, sizes

    def _check_apart(self, given: Mapping[str, Any], written: frozenset[str]) -> None:
        """See that no array that is written has two names.

        Raises:
            Foreign: one has.
        """
        names: dict[int, list[str]] = {}
        for name, one in given.items():
            if isinstance(one, TaskArray):
                names.setdefault(id(one.store), []).append(name)
        for same in names.values():
            if len(same) > 1 and not written.isdisjoint(same):
                raise Foreign(f"{' and '.join(same)} are one array")

    def _here(self, given: dict[str, Any], reason: Foreign) -> tuple[Any, ...] | None:
        """Run the nest in this process.

        Args:
            given: its values. reason: why; an error of looptx has a hint.
        """
        told = f"{reason}\n    hint: {reason.name}" if " LX" in str(reason) else reason
        self.session.reasons[f"{self.info.label}: {told}"] += 1
        opened = self.session.opened
        values = (
            opened(one) if isinstance(one, TaskArray) else one for one in given.values()
        )
        return self.native(*values)

    def _run(
        self, tasks: Tasks, given: Mapping[str, Any], sizes: Mapping[str, int]
    ) -> tuple[Any, ...]:
        """Make the tasks.

        Args:
            tasks: the nest. given: its values. sizes: its integers.
        """
        session = self.session
        session.digests |= {one.code.digest for one in tasks.programs}
        stores = {
            name: one.store for name, one in given.items() if isinstance(one, TaskArray)
        }
        first = dict(stores)
        for store in stores.values():
            if isinstance(store.base, Held) and store.base.open:
                store.base.forget()
        for name in tasks.scalars:
            scalar = stores[name] = Store(name, (), "")
            scalar.value = given.get(name, ...)
            session.added(scalar)
        for buffer in tasks.shared:
            shape = tuple(max(0, value(one, sizes)) for one in buffer.extents)
            fill = ast.literal_eval(buffer.fill) if buffer.fill else None
            stores[buffer.name] = Store(buffer.name, shape, buffer.dtype, Filled(fill))
            session.added(stores[buffer.name])
        building = Building(session.graph, tasks, given, sizes, stores)
        for _ in building.run():
            if len(session.graph.nodes) >= session.runner.ahead:
                session.flush()
        session.brought([*first.values()])
        return tuple(
            self._left(name, tasks, given, stores, first, sizes)
            for name in self.info.live_out
        )

    def _left(
        self,
        name: str,
        tasks: Tasks,
        given: Mapping[str, Any],
        stores: Mapping[str, Store],
        first: Mapping[str, Store],
        sizes: Mapping[str, int],
    ) -> Any:
        """What the nest leaves in a variable.

        Args:
            name: the variable. tasks, given, sizes: as of ``_run``.
            stores: the arrays and scalars behind the nest. first: before it.
        """
        for final in tasks.planned.finals:
            if final.var == name:
                for cond, expr in final.cases:
                    if holds(cond, sizes):
                        return value(expr, sizes)
                return given.get(name, ...)
        if name in tasks.scalars:
            return self.session.number(stores[name])
        for one, store in first.items():
            for other in first:
                if turned(one, other) == name:
                    return stores[one] is not store
        return given.get(name, ...)


class Sizes(dict[str, int]):
    """The integers of a nest, by their texts.

    Args:
        given: the values that it reads, by how they are written.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__()
        self._given = given

    def __missing__(self, text: str) -> int:
        found = self[text] = operator.index(self.evaluated(text))
        return found

    def evaluated(self, text: str) -> Any:
        """An expression over these values."""
        tree = _Given(self._given).visit(ast.parse(text, mode="eval"))
        code = compile(ast.fix_missing_locations(tree), "<size>", "eval")
        names = {f"v{at}": one for at, one in enumerate(self._given.values())}
        return eval(code, {"__builtins__": _CALLED}, names)


_CALLED = {"len": len, "isinstance": isinstance, "int": int, "float": float}


class _Given(ast.NodeTransformer):
    """Puts names in the place of expressions whose values are known."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.names = {text: f"v{at}" for at, text in enumerate(given)}

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Name | ast.Attribute) and dotted(node) in self.names:
            return ast.Name(self.names[dotted(node)], ast.Load())
        return self.generic_visit(node)
