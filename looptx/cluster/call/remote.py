"""``kernel.on(client)``: the kernel, with its nests run as tasks."""

from __future__ import annotations

import ast
import functools
import itertools
import pkgutil
import types
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from looptx.cluster.call.arrays import TaskArray
from looptx.cluster.call.nests import NestCall
from looptx.cluster.call.session import Runner, Session
from looptx.cluster.graph.nodes import TaskFailed
from looptx.cluster.programs.program import Tasks, tasks_of
from looptx.cluster.runners.here import Here
from looptx.deep import deeply
from looptx.errors import LooptxError
from looptx.model.dtypes import DTYPES
from looptx.model.trees import dotted
from looptx.native.analysis.function_text import FunctionText
from looptx.native.call.asked import asked
from looptx.native.call.rebuild import rebuild
from looptx.native.diagnostics.notices import WOVEN

if TYPE_CHECKING:
    from looptx.model.types import Type
    from looptx.native.call.prepared import Prepared

_count = itertools.count()

_MAKES = {
    f"numpy.{stem}{like}": (stem, bool(like))
    for stem in ("zeros", "ones", "empty", "full")
    for like in ("", "_like")
}
_VALUES: Mapping[str, Any] = {"zeros": 0, "ones": 1, "empty": None}


class Remote:
    """A kernel whose nests run as tasks.

    Args:
        function: as it was written.
        ready: finds its nests, given the arguments that it may call.
        plainly: the kernel itself.
        runner: makes what runs the tasks of a call.
    """

    def __init__(
        self,
        function: types.FunctionType,
        ready: Callable[[Mapping[str, object] | None], Prepared],
        plainly: Callable[..., Any],
        runner: Callable[[], Runner] = Here,
    ) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._ready = ready
        self._plainly = plainly
        self._runner = runner
        self._made: dict[tuple[int, int, tuple[Any, ...]], Tasks | LooptxError] = {}
        self._prepared: list[Prepared] = []
        self.last: Session | None = None
        self.failed: BaseException | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function; its nests run as tasks."""
        prepared = self._ready(asked(self._function, args, kwargs))
        arrays = [one for one in (*args, *kwargs.values()) if _is_array(one)]
        if _overlap(arrays):
            return self._plainly(*args, **kwargs)
        name = f"{self._function.__name__}-{next(_count)}"
        session = self.last = Session(name, self._runner())
        try:
            return self._called(prepared, session, args, kwargs)
        except TaskFailed as error:
            self.failed = error.__cause__ or error
        finally:
            session.runner.close()
        # As nothing was written yet, the loops as written raise what there is to raise.
        return self._plainly(*args, **kwargs)

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
        names = self._function.__code__.co_varnames
        positional = itertools.zip_longest(names[: len(args)], args)
        given = [_given(session, name or "", one) for name, one in positional]
        named = {name: _given(session, name, one) for name, one in kwargs.items()}
        try:
            result = self._woven(prepared, session)(*given, **named)
        except Exception:
            session.finish(None)
            raise
        return session.finish(result)

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
        text, made = _making(prepared.source.text, prepared.imports, session)
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


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _given(session: Session, name: str, value: Any) -> Any:
    """An argument as the function gets it.

    Args:
        session: the call. name: of the argument. value: of it.
    """
    return session.given(name, value) if _is_array(value) else value


def _is_array(value: object) -> bool:
    """Whether a value is an array whose cells tasks can have."""
    return (
        type(value) is np.ndarray
        and value.ndim > 0
        and value.dtype.name in DTYPES
        and value.dtype.isnative
    )


def _overlap(arrays: Sequence[Any]) -> bool:
    """Whether different arrays share memory, as far as that is easily told."""
    different = {id(one): one for one in arrays}
    pairs = itertools.combinations(different.values(), 2)
    return any(np.may_share_memory(one, other) for one, other in pairs)


def _making(
    text: str, imports: Mapping[str, str], session: Session
) -> tuple[str, dict[str, Any]]:
    """A function's text in which arrays are made for tasks, and what that calls.

    Args:
        text: of the function. imports: what its names mean.
        session: the call.
    """
    lines = text.split("\n")
    found: dict[str, Any] = {}
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    for node in sorted(calls, key=lambda one: (-one.lineno, -one.col_offset)):
        name = dotted(node.func)
        first, dot, rest = name.partition(".")
        full = f"{imports.get(first, '')}{dot}{rest}"
        if full not in _MAKES or node.func.end_lineno != node.func.lineno:
            continue
        stem, like = _MAKES[full]
        own = f"{WOVEN}{full.rpartition('.')[2]}"
        found[own] = functools.partial(_made, session, stem, like)
        line = lines[node.func.lineno - 1].encode()
        line = b"".join(
            (
                line[: node.func.col_offset],
                own.encode(),
                line[node.func.end_col_offset :],
            )
        )
        lines[node.func.lineno - 1] = line.decode()
    return "\n".join(lines), found


def _made(session: Session, stem: str, like: bool, *args: Any, **kwargs: Any) -> Any:
    """What a function of NumPy's makes, for tasks where that is possible.

    Args:
        session: the call. stem: the function. like: whether it is given an array.
        args, kwargs: what it is given.
    """
    given = list(args)
    known = dict(kwargs)
    names = ["a" if like else "shape", *(["fill_value"] if stem == "full" else [])]
    names += ["dtype"]
    known.update(zip(names, given, strict=False))
    first = known.get(names[0])
    plain = len(given) <= len(names) and known.keys() <= {*names, "order"}
    if like and not isinstance(first, TaskArray):
        plain = False
    if plain:
        shape = first.shape if like and first is not None else first
        shape = (shape,) if isinstance(shape, int | np.integer) else shape
        value = known["fill_value"] if stem == "full" else _VALUES[stem]
        order = known.get("order", "K" if like else "C")
        if like and order in ("K", "A"):
            order = first.store.order if first is not None else "C"
        plain = order in ("C", "F")
        default = first.dtype if like and first is not None else None
        if default is None:
            default = np.asarray(value).dtype if stem == "full" else np.dtype(float)
        try:
            dtype = np.dtype(known.get("dtype") or default)
            extents = tuple(int(one) for one in shape)  # type: ignore[union-attr]
        except (TypeError, ValueError):
            plain = False
        else:
            number = value is None or isinstance(
                value, int | float | complex | np.generic
            )
            plain = (
                plain
                and bool(extents)
                and dtype.name in DTYPES
                and dtype.isnative
                and number
            )
            plain = plain and min(extents) >= 0
    if not plain:
        return getattr(np, f"{stem}{'_like' if like else ''}")(*args, **kwargs)
    return session.filled(extents, dtype.name, value, order)
