"""``kernel.on(client)``: the kernel, with its nests run as tasks."""

from __future__ import annotations

import ast
import builtins
import functools
import pkgutil
import types
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from looptx.cluster.call.clients import check_receiver, checked
from looptx.cluster.call.given import Given, are_lazy, changes, layout, placed
from looptx.cluster.call.lazily import LazySession
from looptx.cluster.call.looks import LOCALS, LOOK, Look, Looking
from looptx.cluster.call.making import Making
from looptx.cluster.call.nests import NestCall
from looptx.cluster.call.session import Runner, Session
from looptx.cluster.graph.nodes import Layout, TaskFailed
from looptx.cluster.lazy.standins import Refused
from looptx.cluster.programs.program import Tasks, check, tasks_of
from looptx.cluster.runners.here import Here
from looptx.cluster.runners.planning import Plan, Planning, Unknown
from looptx.errors import LooptxError
from looptx.native.call.asked import Asked
from looptx.native.call.rebuild import rebuild
from looptx.native.diagnostics.notices import RESUMED, WOVEN
from looptx.native.runtime import Site
from looptx.parsers.deep import deeply

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

    Raises:
        LooptxError: LX102 for a client that is none.
    """

    def __init__(
        self,
        function: types.FunctionType,
        ready: Callable[[Asked], Prepared],
        plainly: Callable[..., Any],
        client: Any = None,
    ) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._ready = ready
        self._plainly = plainly
        self._client = checked(client)
        # Other clients' calls of the kernel have the same tasks.
        kept: _Kept = vars(plainly).setdefault("_tasks", ({}, []))
        self._made, self._prepared = kept
        self.last: Session | None = None

    @property
    def failed(self) -> BaseException | None:
        """What a task of the last call raised, or what its schedule is refused with."""
        return None if self.last is None else self.last.failed

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function; its nests run as tasks."""
        self.last = None
        check_receiver(self._plainly, self._function, args, kwargs)
        prepared = self._ready(Asked(self._function, args, kwargs))
        if are_lazy(args, kwargs):
            return self._lazily(prepared, args, kwargs)
        if self._function.__code__.co_flags & RESUMED:
            return self._plainly(*args, **kwargs)
        session = self.last = Session(self._function.__qualname__, self._runner())
        try:
            return self._called(prepared, session, args, kwargs)
        except Refused as error:
            raise error.error from None
        except TaskFailed as error:
            session.failed = error.__cause__ or error
            if session.begun:
                # Its arrays are not those that it was given any more.
                raise session.failed from None
        finally:
            session.close()
        # As nothing was written yet, the loops as written raise what there is to raise.
        return self._plainly(*args, **kwargs)

    def _lazily(
        self, prepared: Prepared, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        """What a call with arrays of dask's gives, of which nothing is computed.

        Args:
            prepared: its nests. args, kwargs: what it is given.

        Raises:
            LooptxError: LX604, it cannot be.
        """
        given = Given(self._function, args, kwargs)
        placed(self._client)
        own = self._function.__qualname__, given, changes(self._function, prepared)
        session = self.last = LazySession(*own, layout(self._client))
        try:
            result = self._called(prepared, session, given.args, given.kwargs)
            return session.results(result)
        except Refused as error:
            raise error.error from None
        except TaskFailed as error:
            raise (error.__cause__ or error) from None
        finally:
            session.close()

    def plan(self, *args: Any, **kwargs: Any) -> Plan:
        """The tasks of a call, of which none is run.

        Args:
            args, kwargs: of the call.

        Raises:
            LooptxError: a schedule is refused.
        """
        prepared = self._ready(Asked(self._function, args, kwargs))
        own = self._runner()
        session: Session
        if are_lazy(args, kwargs):
            given = Given(self._function, args, kwargs)
            args, kwargs = given.args, given.kwargs
            written = changes(self._function, prepared)
            name = self._function.__qualname__
            session = LazySession(name, given, written, Layout(own.workers))
            runner = session.planning
        else:
            runner = Planning(own.workers, own.ordered)
            session = Session(self._function.__qualname__, runner)
        ends = "the function is resumed" * bool(
            self._function.__code__.co_flags & RESUMED
        )
        try:
            if not ends:
                self._woven(prepared, session)(*args, **kwargs)
        except Unknown as unknown:
            ends = str(session.settled or unknown).partition("\n")[0]
        except Refused as error:
            raise error.error from None
        except TaskFailed as error:
            raise (error.__cause__ or error) from None
        session.flush()
        name = self._function.__qualname__
        return runner.plan(name, session.graph, session.stores, ends)

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
            return f"{name}: not called yet, or a function that is resumed"
        traffic = last.graph.traffic
        ran = ", ".join(f"{nest} ({_times(many)})" for nest, many in last.nests.items())
        lines = [
            f"{name}: {traffic.tasks} tasks {last.runs}",
            f"  as tasks: {ran or 'no nest'}",
            f"  {traffic.moved} bytes between workers, {traffic.sent} sent to them",
        ]
        lines += (f"  here, {_times(n)}: {why}" for why, n in last.reasons.items())
        lines += (f"  {note}" for note in last.notes)
        if last.settled is not None:
            lines.append(f"  nest by nest: {last.settled}")
        lines += _plainly(last)
        if isinstance(last.failed, LooptxError):
            lines.append(f"  as written: {last.failed.concise()}")
        elif last.failed is not None:
            what = f"{type(last.failed).__name__}: {last.failed}"
            lines.append(f"  as written, since a task raised {what}")
        return "\n".join(lines)

    def _called(
        self,
        prepared: Prepared,
        session: Session,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> Any:
        """Call the function, and bring its arrays home.

        Args:
            prepared: its nests. session: the call. args, kwargs: what it is given.

        Raises:
            TaskFailed: a task raised.
        """
        notices = prepared.notices
        try:
            result = self._woven(prepared, session)(*args, **kwargs)
        except LooptxError:
            notices.release()
            raise
        except Exception:
            notices.release()
            session.home()
            raise
        if (held := notices.release()) is not None:
            raise held.with_traceback(None) from None
        session.home()
        return result

    def _woven(self, prepared: Prepared, session: Session) -> Callable[..., Any]:
        """The function with its nests run as tasks, and looks in front of others."""
        if prepared not in self._prepared:
            self._prepared.append(prepared)
        which = self._prepared.index(prepared)
        sites: list[Site] = []
        calls: dict[str, Any] = {}
        for number, one in enumerate(prepared.dispatchers):
            site = one.info.site(f"{WOVEN}{number}")._replace(bare=())
            tasks = functools.partial(self._tasks, prepared, which, number)
            calls[site.call] = NestCall(session, one.info, tasks, one)
            sites.append(site)
        looking = Looking(prepared.source.text, prepared.imports, sites)
        making = Making(prepared.imports, session, calls)
        calls[LOCALS] = locals
        calls[LOOK] = functools.partial(self._look, session, looking.looks)

        def change(function: ast.FunctionDef) -> None:
            looking.change(function)
            making.visit(function)

        def woven() -> Callable[..., Any]:
            own = self._function, prepared.source, sites, calls
            found: Callable[..., Any] = rebuild(*own, change=change)
            return found

        return deeply(woven)

    def _look(
        self, session: Session, looks: Sequence[Look], number: int, known: Any
    ) -> None:
        """Bring arrays home where Python may look at them.

        Args:
            session: the call. looks: of the function. number: of the look.
            known: the values of the function's variables.
        """
        if session.settled is not None:
            return
        code, needs = self._function.__code__, looks[number].needs
        own = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}

        def meaning(name: str) -> Any:
            if name in own:
                return known[name]
            return self._outside({}, [name]).get(name, getattr(builtins, name, None))

        try:
            blind = needs is not None and needs.met(meaning, session.again)
        except LookupError:
            blind = False
        if not blind:
            session.look(looks[number].reason(code.co_filename))

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
                kernel, nest, _ = analysis.parts[number]
                check(nest, types)
                planned = analysis.plan(number, types)
                outside = functools.partial(self._outside, kernel.imports)
                given = analysis.module, kernel, planned, types
                known = tasks_of(*given, outside, order.fastmath)
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
