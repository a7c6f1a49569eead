"""The decorator: loop nests proven, compiled, and called in place of the Python."""

from __future__ import annotations

import functools
import inspect
import os
import types
from collections.abc import Callable, Mapping, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    NamedTuple,
    ParamSpec,
    TypeAlias,
    TypeVar,
    cast,
    overload,
)

from looptx import forks
from looptx.errors import LooptxError, Malformed, brief
from looptx.native.call.asked import Asked, Choice, given_by
from looptx.native.call.decorated import kind, mark_coroutine
from looptx.native.call.given import chosen, given
from looptx.native.compile import collector
from looptx.native.compile.fastmath import Fastmath, levels
from looptx.native.diagnostics.notices import RESUMED, Notices, outside

if TYPE_CHECKING:
    from looptx.cluster.call.remote import Remote
    from looptx.directives import Builder, Verb
    from looptx.native.analysis.signature import Signature
    from looptx.native.call.given import Given as Directives
    from looptx.native.call.prepared import Prepared
    from looptx.native.call.report import Report
    from looptx.validation import Validation

    Given: TypeAlias = str | Verb | Sequence[str | Verb]

_METHODS = (staticmethod, classmethod)
_UNREAD = ("LX306", "LX901")
"""Errors of reading a function after which it runs as it is."""

P = ParamSpec("P")
R = TypeVar("R")


class Kernel(Generic[P, R]):
    """A function with native loop nests. Made by ``kernel``.

    It is called like the function and gives bitwise the same results (unless
    ``fastmath`` says otherwise). Everything is done at the first call: for each nest
    and the types it meets, the schedule is proven, compiled and kept on disk.

    Attributes:
        py_func: the function as it was written.
    """

    # What every call looks at; the rest may have any name that the function has.
    __slots__ = ("__dict__", "__weakref__", "_notices", "_prepared")

    def __init__(
        self,
        function: Callable[P, R],
        directives: Directives,
        strict: bool,
        fastmath: tuple[str, ...] = (),
    ) -> None:
        functools.update_wrapper(self, function)
        if inspect.iscoroutinefunction(function):
            mark_coroutine(self)
        self.py_func = function
        self._function = cast("types.FunctionType", function)
        self._directives = directives
        self._strict = strict
        self._fastmath = fastmath
        self._lock = forks.Lock()
        self._notices = Notices(holding=not function.__code__.co_flags & RESUMED)
        self._prepared: Prepared | None = None
        self._choice = Choice(asking=not directives)
        self._unread: LooptxError | None = None
        self._failure: LooptxError | None = None
        self._around: tuple[str, ...] = ()

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function.

        Raises:
            LooptxError: a directive is malformed or its schedule refused; with
                ``strict``, a nest cannot run natively. Where that is known before, the
                function does not begin; what it caught itself is raised when it ends.
        """
        prepared, notices, asks = self._prepared, self._notices, True
        while True:
            if prepared is not None:
                run = prepared.run
            else:
                try:
                    run, asks = self._runnable(asks, args, kwargs), False
                except (LooptxError, Warning) as error:
                    __tracebackhide__ = True
                    raise error.with_traceback(None) from None
            try:
                # Without names no mapping of them is copied.
                result: R = run(*args, **kwargs) if kwargs else run(*args)
            except BaseException as error:
                if notices.release() is error:
                    __tracebackhide__ = True
                    raise error.with_traceback(outside(error.__traceback__)) from None
                if prepared is None or prepared.takes(error):
                    raise
            else:
                if result is not notices:
                    break
            prepared = None
        if notices.held and (held := notices.release()):
            __tracebackhide__ = True
            raise held.with_traceback(None) from None
        return result

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """Bind to an instance, as functions do."""
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<looptx kernel {self._function.__qualname__}>"

    def __reduce__(self) -> str:
        return self._function.__qualname__

    @property
    @brief
    def schedule(self) -> tuple[str, ...]:
        """The directives in force, one text per nest that has any."""
        infos = (dispatcher.info for dispatcher in self._prepare().dispatchers)
        return tuple(info.directives for info in infos if info.directives)

    @brief
    def inspect_python(self) -> str:
        """The function rewritten with its directives carried out.

        Raises:
            LooptxError: a directive is malformed or its schedule refused.
        """
        prepared = self._prepare()
        return prepared.analysis().python(prepared.known_types())

    @brief
    def inspect_cython(self) -> str:
        """The Cython text of every nest and every version made so far.

        Where there is none for certain types, it says why.

        Raises:
            LooptxError: a directive is malformed or its schedule refused.
        """
        texts: dict[str, list[str]] = {}
        for dispatcher in self._ready().dispatchers:
            for known, version in dispatcher.versions.items():
                kinds = ", ".join(map(str, known))
                head = f"# {dispatcher.info.label} for ({kinds})"
                if isinstance(version, LooptxError):
                    texts[f"{head}: {version.concise()}\n"] = []
                else:
                    texts.setdefault(version.text, []).append(f"{head}\n")
        return "\n".join("".join((*heads, text)) for text, heads in texts.items())

    @brief
    def validate(self, *sizes: Mapping[str, object], **size: object) -> Validation:
        """Compare the function with its rewritten form, both run on symbols.

        ``validate()`` chooses sizes; ``validate(n=5, m=7)`` takes these, and
        ``validate({"n": 5}, {"n": 6, "A.shape[1]": 2})`` several. A name is that of an
        argument, that which the function gives to an extent (``n, m = A.shape``), the
        extent itself, or an array's (``A=(5, 7)``). What is not named is 5.

        Returns:
            What was compared; ``print`` shows it. Loops that never ran are in
            ``idle``, as numbers of lines of ``inspect_python()``.

        Raises:
            LooptxError: LX208 where the two differ, LX209 when they cannot be run,
                LX103 and LX104 for the sizes; and what ``inspect_python`` raises.
        """
        prepared = self._prepare()
        with forks.IMPORTS:
            from looptx.native.call.validated import validated

        wanted = (*sizes, size) if size else sizes
        return validated(prepared, self._function, wanted)

    @brief
    def on(self, client: Any = None) -> Remote:
        """The function, whose nests run as tasks; ``bind i worker`` says which.

        Args:
            client: of the dask cluster; None, or a number of workers, for tasks here.
        """
        with forks.IMPORTS:
            from looptx.cluster.call.remote import Remote
        return Remote(self._function, self._ready, self, client)

    def report(self) -> Report:
        """What ran natively, what did not and why, and what was trusted."""
        from looptx.native.call.report import report

        name = self._function.__qualname__
        reasons = self._unread, self._failure
        return report(name, self._choice.made, self._fastmath, *reasons, self._around)

    @brief
    def compile(self, signature: Signature) -> None:
        """Compile every nest for these types now.

        Args:
            signature: one type per parameter, ``"float64[:, ::1], float64[:], int"``
                or a tuple of such texts; ``_`` leaves one (``self``) without.

        Raises:
            LooptxError: LX102 for the signature, LX503 when it does not say enough, and
                whatever proof and build say.
        """
        from looptx.native.call.specialise import compiled

        prepared = self._ready()
        given = prepared.dispatchers, prepared.analysis().parts
        compiled(*given, self._function, signature)

    def _runnable(
        self, asks: bool, args: tuple[Any, ...], named: Mapping[str, Any]
    ) -> Callable[..., Any]:
        """What a call runs: the original function where its source cannot be read.

        Args:
            asks: whether it is to ask first if its names mean what they meant.
            args, named: what it is called with.
        """
        if self._unread is None:
            try:
                prepared = self._ready(self._choice.asked(self._function, args, named))
                return prepared.run if asks else prepared.unasked()
            except LooptxError as error:
                self._failure = error
                if error.code not in _UNREAD or self._strict:
                    raise
                self._unread = error.with_traceback(None)
            self._notices.fallback(self._function.__qualname__, str(self._unread))
        return self._function

    def _prepare(self, call: Asked | None = None) -> Prepared:
        """Find the nests, again when a name has got another meaning.

        Args:
            call: what they are to run in; None where nothing is called.
        """
        with self._lock:
            last = self._prepared
            if call is None and last is not None and last.current():
                return last
            self._prepared = self._choice.of(call, self._new)
            return self._prepared

    def _new(self, before: Prepared | None, call: Asked | None) -> Prepared:
        """Find the nests.

        Args:
            before: what this is instead of. call: as of ``_prepare``.
        """
        with collector.paused(), forks.IMPORTS:
            from looptx.native.call.prepared import Order, Prepared

        texts, self._around = chosen(self._function, self._directives)
        how = self._strict, self._fastmath
        order = Order(self._function, texts, *how, *given_by(before, call))
        with collector.paused():
            values = call.values() if call else None
            prepared = Prepared(order, self._notices, before, values)
        self._failure = None
        return prepared

    def _ready(self, call: Asked | None = None) -> Prepared:
        """Find the nests, and see that the function may be called.

        Args:
            call: as of ``_prepare``.
        """
        prepared = self._prepare(call)
        if prepared.refusal is not None:
            raise prepared.refusal
        return prepared


@overload
def kernel(function: Callable[P, R], /) -> Kernel[P, R]: ...


@overload
def kernel(
    *directives: Given,
    signature: Signature | None = None,
    strict: bool = False,
    fastmath: Fastmath = (),
) -> Callable[[Callable[P, R]], Kernel[P, R]]: ...


def kernel(
    *directives: object,
    signature: Signature | None = None,
    strict: bool = False,
    fastmath: Fastmath = (),
) -> Any:
    """Make a function run its loop nests natively.

    ``@kernel`` takes the directives from the function's comments,
    ``@kernel("tile i=32 j=32", "parallel i")`` from its arguments.

    Args:
        directives: texts, or objects such as ``tile(i=32, j=32)``.
        signature: types to compile for at once instead of at the first call, see
            ``Kernel.compile``.
        strict: raise instead of running the loops as written when they cannot run
            natively.
        fastmath: what the C compiler may do to the arithmetic of this kernel, so that
            its results are no longer bitwise the function's. ``"contract"``: round
            a*b+c once. ``"reassociate"``: take sums in another order, and lose the sign
            of a zero. ``"functions"``: looptx's own ``exp`` and so on. Or several.

    Returns:
        A ``Kernel``; with ``LOOPTX_DISABLE=1`` in the environment the function itself.

    Raises:
        LooptxError: LX102 for a directive that is neither text nor object and for an
            unknown level; LX306 when what is decorated is no plain function.
    """
    options = _Options(signature, strict, levels(fastmath))
    if len(directives) == 1 and (
        callable(directives[0]) or isinstance(directives[0], _METHODS)
    ):
        return _make(directives[0], (), options)
    found = given(directives)

    def decorate(function: Any) -> Any:
        return _make(function, found, options)

    return decorate


def schedule(function: Callable[..., Any]) -> Builder:
    """Start a schedule: ``schedule(f).tile(i=32, j=32).parallel("i").kernel()``.

    ``kernel()`` takes the options of the decorator: ``kernel(strict=True)``.

    Args:
        function: what is to be compiled; it stays as it is.
    """
    from looptx.directives import Builder

    def compile(
        function: Callable[..., Any], verbs: tuple[Verb, ...], **options: Any
    ) -> Any:
        return kernel(*verbs, **options)(function)

    return Builder(function, (), compile)


class _Options(NamedTuple):
    """The keywords of ``kernel``, checked."""

    signature: Signature | None
    strict: bool
    fastmath: tuple[str, ...]


def _make(function: Any, directives: Directives, options: _Options) -> Any:
    if os.environ.get("LOOPTX_DISABLE", "") not in ("", "0"):
        return function
    if isinstance(function, Kernel):
        directives = directives or function._directives
        function = function.py_func
    if isinstance(function, _METHODS):
        return type(function)(_make(function.__func__, directives, options))
    if not isinstance(function, types.FunctionType):
        raise Malformed(
            "LX306",
            f"`kernel` decorates functions only, and this is {kind(function)}",
            hint="put @looptx.kernel next to the `def`, below other decorators",
        )
    made: Kernel[..., Any] = Kernel(
        function, directives, options.strict, options.fastmath
    )
    if options.signature is not None:
        made.compile(options.signature)
    return made
