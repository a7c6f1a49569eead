"""``kernel.on(client)``: the kernel, with its nests run as tasks."""

from __future__ import annotations

import functools
import itertools
import pkgutil
import types
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from looptx.cluster.call.kinds import is_array, overlap
from looptx.cluster.call.making import making
from looptx.cluster.call.nests import NestCall
from looptx.cluster.call.session import Runner, Session
from looptx.cluster.graph.nodes import TaskFailed
from looptx.cluster.programs.program import Tasks, tasks_of
from looptx.cluster.runners.here import Here
from looptx.cluster.runners.planning import Plan, Planning, Unknown
from looptx.deep import deeply
from looptx.errors import LooptxError
from looptx.native.analysis.function_text import FunctionText
from looptx.native.call.asked import asked
from looptx.native.call.rebuild import rebuild
from looptx.native.diagnostics.notices import WOVEN

if TYPE_CHECKING:
    from looptx.model.types import Type
    from looptx.native.call.prepared import Prepared


_Kept: TypeAlias = (
    "tuple[dict[tuple[int, int, tuple[Any, ...]], Tasks | LooptxError], list[Prepared]]"
)


class Remote:
    """A kernel whose nests run as tasks.

    Args:
        function: as it was written.
        ready: finds its nests, given the arguments that it may call.
        plainly: the kernel itself.
        client: of the cluster that runs tasks; None for this process, or a number of
            workers that it stands for.
    """

    def __init__(
        self,
        function: types.FunctionType,
        ready: Callable[[Mapping[str, object] | None], Prepared],
        plainly: Callable[..., Any],
        client: Any = None,
    ) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._ready = ready
        self._plainly = plainly
        self._client = client
        # Other clients' calls of the kernel have the same tasks.
        kept: _Kept = vars(plainly).setdefault("_tasks", ({}, []))
        self._made, self._prepared = kept
        self.last: Session | None = None
        self.failed: BaseException | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function; its nests run as tasks."""
        prepared = self._ready(asked(self._function, args, kwargs))
        arrays = [one for one in (*args, *kwargs.values()) if is_array(one)]
        if overlap(arrays):
            return self._plainly(*args, **kwargs)
        session = self.last = Session(self._function.__qualname__, self._runner())
        try:
            return self._called(prepared, session, args, kwargs)
        except TaskFailed as error:
            self.failed = error.__cause__ or error
            if session.begun:
                # Its arrays are not those that it was given any more.
                raise self.failed from None
        finally:
            session.close()
        # As nothing was written yet, the loops as written raise what there is to raise.
        return self._plainly(*args, **kwargs)

    def plan(self, *args: Any, **kwargs: Any) -> Plan:
        """The tasks of a call, of which none is run; the function's Python is.

        Args:
            args, kwargs: of the call.
        """
        prepared = self._ready(asked(self._function, args, kwargs))
        own = self._runner()
        runner = Planning(own.workers, own.ordered)
        session = Session(self._function.__qualname__, runner)
        try:
            self._bound(prepared, session, args, kwargs)()
            whole = True
        except Unknown:
            whole = False
        session.flush()
        return runner.plan(self._function.__qualname__, session.graph.traffic, whole)

    def _runner(self) -> Runner:
        """What runs the tasks of a call."""
        if self._client is None or isinstance(self._client, int):
            return Here(self._client or 1)
        try:
            from looptx.cluster.runners.futures import Futures
        except ModuleNotFoundError as error:
            raise LooptxError(
                "LX602",
                f"the cluster does not run the tasks: {error}",
                hint="install what it needs with `pip install looptx[cluster]`",
            ) from None
        return Futures(self._client)

    def report(self) -> str:
        """What ran as tasks in the last call, what did not, and why."""
        name, last = self._function.__qualname__, self.last
        if last is None:
            return f"{name}: not called yet, or not with arrays that tasks can have"
        traffic = last.graph.traffic
        ran = ", ".join(f"{nest} ({_times(many)})" for nest, many in last.nests.items())
        lines = [
            f"{name}: {traffic.tasks} tasks on {last.graph.layout.workers} workers",
            f"  as tasks: {ran or 'no nest'}",
            f"  {traffic.moved} bytes between workers, {traffic.sent} sent to them",
        ]
        lines += (f"  here, {_times(n)}: {why}" for why, n in last.reasons.items())
        lines += _plainly(last)
        if self.failed is not None:
            what = f"{type(self.failed).__name__}: {self.failed}"
            lines.append(f"  as written, since a task raised {what}")
        return "\n".join(lines)

    def _called(
        self,
        prepared: Prepared,
        session: Session,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> Any:
        """Call the function for arrays of tasks.

        Args:
            prepared: its nests. session: the call. args, kwargs: what it is given.

        Raises:
            TaskFailed: a task raised.
        """
        run = self._bound(prepared, session, args, kwargs)
        try:
            result = run()
        except Exception:
            session.finish(None)
            raise
        return session.finish(result)

    def _bound(
        self,
        prepared: Prepared,
        session: Session,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> Callable[[], Any]:
        """The call of the function for arrays of tasks.

        Args:
            prepared: its nests. session: the call. args, kwargs: what it is given.
        """
        names = self._function.__code__.co_varnames
        positional = itertools.zip_longest(names[: len(args)], args)
        given = [_given(session, name or "", one) for name, one in positional]
        named = {name: _given(session, name, one) for name, one in kwargs.items()}
        return functools.partial(self._woven(prepared, session), *given, **named)

    def _woven(self, prepared: Prepared, session: Session) -> Callable[..., Any]:
        """The function with its nests run as tasks, and arrays made for them."""
        if prepared not in self._prepared:
            self._prepared.append(prepared)
        which = self._prepared.index(prepared)
        sites, calls = [], {}
        for number, one in enumerate(prepared.dispatchers):
            site = one.info.site(f"{WOVEN}{number}")
            tasks = functools.partial(self._tasks, prepared, which, number)
            calls[site.call] = NestCall(session, one.info, tasks, one)
            sites.append(site)
        text, made = making(prepared.source.text, prepared.imports, session)
        source = FunctionText(text, prepared.source.filename)
        given: Any = self._function, source, sites, {**calls, **made}
        return deeply(lambda: rebuild(*given))

    def _tasks(
        self, prepared: Prepared, which: int, number: int, types: Mapping[str, Type]
    ) -> Tasks | LooptxError:
        """The tasks of a nest for certain types, or why there are none."""
        key = which, number, tuple(types.items())
        known = self._made.get(key)
        if known is None:
            try:
                order = prepared.order
                analysis = prepared.analysis()
                imports = analysis.parts[number][0].imports
                outside = functools.partial(self._outside, imports)
                known = tasks_of(analysis, number, types, outside, order.fastmath)
            except LooptxError as error:
                known = error
            self._made[key] = known
        return known

    def _outside(
        self, imports: Mapping[str, str], names: Sequence[str]
    ) -> dict[str, Any]:
        """What names of the function's module and closure mean, builtins aside.

        Args:
            imports: what the function itself imports. names: the names.

        Raises:
            LookupError: a name is one that the function itself defines.
        """
        function = self._function
        cells = dict(
            zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        )
        found: dict[str, Any] = {}
        builtins = function.__globals__.get("__builtins__", {})
        known = builtins if isinstance(builtins, dict) else vars(builtins)
        for name in names:
            if name in cells:
                found[name] = cells[name].cell_contents
            elif name in function.__globals__:
                found[name] = function.__globals__[name]
            elif name in imports:
                found[name] = pkgutil.resolve_name(imports[name])
            elif name not in known:
                raise LookupError(name)
        return found


def _plainly(session: Session) -> list[str]:
    """What ran as Python where, and why, as lines of a report."""
    try:
        found = session.runner.plainly(session.digests)
    except LooptxError as error:
        return [f"  not known what ran natively: {error.message}"]
    many: Counter[tuple[str, str]] = Counter()
    for reasons in found.values():
        many.update(reasons.items())
    total = len(found)
    return [
        f"  as Python, on {count} of {total} workers: {name}: {why}"
        for (name, why), count in many.items()
    ]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _given(session: Session, name: str, value: Any) -> Any:
    """An argument as the function gets it.

    Args:
        session: the call. name: of the argument. value: of it.
    """
    return session.given(name, value) if is_array(value) else value
