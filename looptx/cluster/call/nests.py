"""A nest of a function where it is called: its tasks for the values it meets."""

from __future__ import annotations

import ast
import itertools
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from looptx.cluster.call.kinds import is_array, order, overlapping, writeable
from looptx.cluster.call.session import Session
from looptx.cluster.graph.bases import Filled
from looptx.cluster.graph.building import Building
from looptx.cluster.graph.nodes import TaskFailed
from looptx.cluster.graph.stores import Store
from looptx.cluster.lazy.checks import is_dask
from looptx.cluster.lazy.standins import Later, Refused, refused
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
        native: Callable[..., Any],
    ) -> None:
        self.session = session
        self.info = info
        self.tasks = tasks
        self.native = native

    def __call__(self, *values: Any) -> Any:
        """Run the nest with its values.

        Args:
            values: of the names that it reads.

        Returns:
            What it leaves in variables; None where the loops as written have to run.
        """
        session = self.session
        given = dict(zip(self.info.live_in, values, strict=True))
        why: Foreign | None = None
        try:
            tasks, sizes = self._tasks(given, self._types(given))
        except Foreign as reason:
            why = reason
        if why is not None:
            # What the loops raise has no other exception around it.
            return self._here(given, why)
        if session.settled is None:
            return self._run(tasks, given, sizes)
        try:
            results = self._run(tasks, given, sizes)
            session.home()
        except TaskFailed as error:
            session.failed = error.__cause__ or error
            if session.begun:
                raise session.failed from None
            session.close()
            # The loops as written raise what there is to raise.
            return self.native(*values)
        return results

    def unready(self) -> None:
        """A value is missing: the loops as written show when it matters."""
        self.session.settle(f"{self.info.label} lacks a value")

    def _types(self, given: Mapping[str, Any]) -> dict[str, Type]:
        """The types of values.

        Raises:
            Foreign: for a value that no task can have.
        """
        types: dict[str, Type] = {}
        for name, one in given.items():
            written = name in self.info.written
            if is_array(one):
                if written and not writeable(one):
                    raise Foreign(f"{name} is a read-only array that is written", name)
                types[name] = ArrayType(one.dtype.name, one.ndim)
                continue
            if is_dask(one):
                hint = f"give it as an argument of the function, `{name}` alone"
                raise Refused(refused(f"`{name}` is an array of dask's", hint))
            if isinstance(one, Later):
                raise Foreign(f"{name} is a number that tasks compute", name)
            try:
                types[name] = classify(one, written)
            except Foreign as foreign:
                raise Foreign(f"{name} is {foreign}", name) from None
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
            if tasks.code not in (CODE, *SOFT) and self.session.settled is None:
                raise TaskFailed from tasks
            raise Foreign(tasks.concise(), tasks.hint)
        arrays = {name: one for name, one in given.items() if is_array(one)}
        self._check_apart(arrays, tasks.planned.nest.written)
        sizes = Sizes(given, self.session)
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
        for use in (use for one in tasks.programs for use in one.uses):
            rows = use.given is not None and use.given.rows
            if rows and use.name in arrays and order(arrays[use.name]) == "A":
                raise Foreign(f"{use.name} is no contiguous array")
        return tasks, sizes

    def _check_apart(self, arrays: Mapping[str, Any], written: frozenset[str]) -> None:
        """See that nothing that is written has two names.

        Args:
            arrays: of the nest. written: those that it writes.

        Raises:
            Foreign: something has.
        """
        for (name, one), (other, another) in itertools.combinations(arrays.items(), 2):
            if written.isdisjoint((name, other)):
                continue
            if one is another:
                raise Foreign(f"{name} and {other} are one array")
            if overlapping(one, another):
                raise Foreign(f"{name} and {other} share memory")
        for name, one in arrays.items():
            if self.session.shares(one):
                self.session.settle(f"{name} shares memory with another array")

    def _here(self, given: Mapping[str, Any], reason: Foreign) -> Any:
        """Run the nest in this process.

        Args:
            given: its values. reason: why; an error of looptx has a hint.
        """
        told = f"{reason}\n    hint: {reason.name}" if " LX" in str(reason) else reason
        self.session.reasons[f"{self.info.label}: {told}"] += 1
        self.session.settle(f"{self.info.label} does not run as tasks")
        return self.native(*given.values())

    def _run(
        self, tasks: Tasks, given: Mapping[str, Any], sizes: Mapping[str, int]
    ) -> tuple[Any, ...]:
        """Make the tasks.

        Args:
            tasks: the nest. given: its values. sizes: its integers.
        """
        session = self.session
        session.nests[self.info.label] += 1
        session.digests |= {one.code.digest for one in tasks.programs}
        statements = tasks.planned.nest.statements.values()
        session.raises |= any(one.raises for one in statements)
        stores = {
            name: session.store(name, one)
            for name, one in given.items()
            if is_array(one)
        }
        first = dict(stores)
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
        session.ready(building)
        for _ in building.run():
            if len(session.graph.nodes) >= session.runner.ahead:
                session.flush()
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
        given: the values that it reads, by how they are written. session: the call.
    """

    def __init__(self, given: Mapping[str, Any], session: Session) -> None:
        super().__init__()
        self._given = given
        self._session = session

    def __missing__(self, text: str) -> int:
        size = self.evaluated(text)
        if isinstance(size, bool):
            # It counts in a range, but no array has such an extent.
            raise TypeError(text)
        found = self[text] = operator.index(size)
        return found

    def evaluated(self, text: str) -> Any:
        """An expression over these values."""
        tree = _Given(self._given).visit(ast.parse(text, mode="eval"))
        names = {f"v{at}": one for at, one in enumerate(self._given.values())}
        for node in ast.walk(tree):
            match node:
                case ast.Subscript(ast.Name(name)) if is_array(names.get(name)):
                    self._session.settle(f"`{text}` is an element of an array")
        code = compile(ast.fix_missing_locations(tree), "<size>", "eval")
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
