"""The decorator: loop nests proven, compiled, and called in place of the Python."""

from __future__ import annotations

import functools
import inspect
import os
import sys
import threading
import types
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    ParamSpec,
    TypeAlias,
    TypeVar,
    cast,
    overload,
)

from looptx.errors import LooptxError, Malformed
from looptx.model.types import Type

if TYPE_CHECKING:
    from looptx.directives import Builder, Verb
    from looptx.native.dispatch import Dispatcher, Version
    from looptx.native.host import FunctionText
    from looptx.native.reading import NestInfo, Reading
    from looptx.native.report import Report
    from looptx.native.signature import Signature

    Given: TypeAlias = str | Verb | Sequence[str | Verb]

P = ParamSpec("P")
R = TypeVar("R")

_PREFIX = "_looptx_"
_told_no_compiler = False


class Kernel(Generic[P, R]):
    """A function with native loop nests. Made by ``kernel``.

    It is called like the function and gives bitwise the same results. Everything is
    done at the first call: for each nest and the types it meets, the schedule is
    proven, compiled and kept on disk.

    Attributes:
        py_func: the function as it was written.
    """

    def __init__(
        self, function: Callable[P, R], directives: tuple[str, ...], strict: bool
    ) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self._function = cast("types.FunctionType", function)
        self._directives = directives
        self._strict = strict
        self._lock = threading.RLock()
        self._dispatchers: tuple[Dispatcher, ...] = ()
        self._source: FunctionText | None = None
        self._reading: Reading | None = None
        self._key = ""
        self._run: Callable[P, R] = self._first

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function.

        Raises:
            LooptxError: a directive is malformed or its schedule refused.
        """
        return self._run(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """Bind to an instance, as functions do."""
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<looptx kernel {self._function.__qualname__}>"

    def __reduce__(self) -> str:
        return self._function.__qualname__

    @property
    def schedule(self) -> tuple[str, ...]:
        """The directives in force, one text per nest that has any."""
        self._prepare()
        infos = (dispatcher.info for dispatcher in self._dispatchers)
        return tuple(info.directives for info in infos if info.directives)

    def inspect_python(self) -> str:
        """The function rewritten with its directives carried out.

        Raises:
            LooptxError: a directive is malformed or its schedule refused.
        """
        self._prepare()
        return self._read().python(self._known_types())

    def inspect_cython(self) -> str:
        """The Cython text of every nest and every version made so far."""
        from looptx.native.dispatch import Version

        texts = []
        for dispatcher in self._dispatchers:
            for version in dispatcher.versions.values():
                if isinstance(version, Version):
                    kinds = ", ".join(map(str, version.types))
                    head = f"# {dispatcher.info.label} for ({kinds})\n"
                    texts.append(head + version.text.read_text("utf-8"))
        return "\n".join(texts)

    def report(self) -> Report:
        """What ran natively, what did not and why, and what was trusted."""
        from looptx.native.report import report

        shift = self._source.shift if self._source else 0
        return report(self._function.__qualname__, self._dispatchers, shift)

    def compile(self, signature: Signature) -> None:
        """Compile every nest for these types now.

        Args:
            signature: one type per parameter, ``"float64[:, ::1], float64[:], int"``
                or a tuple of such texts; ``_`` leaves one (``self``) without.

        Raises:
            LooptxError: LX102 for the signature, LX503 when it does not say enough, and
                whatever proof and build say.
        """
        from looptx.native.signature import live_types, parse

        self._prepare()
        known = parse(signature, list(inspect.signature(self._function).parameters))
        parts = self._read().parts
        for dispatcher, (function, nest, _) in zip(
            self._dispatchers, parts, strict=True
        ):
            version = dispatcher.version(live_types(function, nest, known))
            if isinstance(version, LooptxError) and version.code != "LX501":
                raise version.with_traceback(None)

    def _first(self, *args: P.args, **kwargs: P.kwargs) -> R:
        self._prepare()
        return self._run(*args, **kwargs)

    def _prepare(self) -> None:
        """Find the nests and put the dispatchers in front of them."""
        with self._lock:
            if self._source is not None:
                return
            from looptx.native import host
            from looptx.native.dispatch import Dispatcher

            source = host.function_text(self._function)
            infos = self._nests(source)
            dispatchers = []
            for number, info in enumerate(infos):
                make = functools.partial(self._specialise, number)
                dispatchers.append(Dispatcher(info, make, self._strict))
            calls = {f"{_PREFIX}{n}": one for n, one in enumerate(dispatchers)}
            sites = [info.site(f"{_PREFIX}{n}") for n, info in enumerate(infos)]
            built = host.rebuild(self._function, source, sites, calls)
            self._dispatchers = tuple(dispatchers)
            self._run = cast("Callable[P, R]", built)
            self._source = source

    def _nests(self, source: FunctionText) -> tuple[NestInfo, ...]:
        """The nests, out of the cache or by reading the source."""
        from looptx.native import cache
        from looptx.native.meanings import meanings
        from looptx.native.reading import NestInfo, Reading

        imports = meanings(self._function)
        self._key = cache.digest(
            source.text,
            *self._directives,
            "imports",
            *(part for pair in imports.items() for part in pair),
            sys.implementation.cache_tag or "",
            cache.fingerprint(),
        )
        record = cache.load_record(self._key)
        if record is not None:
            try:
                return tuple(NestInfo.from_record(one) for one in record["nests"])
            except (KeyError, TypeError):
                pass
        self._reading = Reading(source, self._directives, imports)
        infos = self._reading.nests()
        cache.save_record(self._key, {"nests": [info.as_record() for info in infos]})
        if not infos:
            warnings.warn(
                f"looptx: {self._function.__qualname__} has no `for` over `range`: "
                "it runs as plain Python",
                RuntimeWarning,
                stacklevel=5,
            )
        return infos

    def _read(self) -> Reading:
        """The analysed function; slow the first time."""
        from looptx.native import host
        from looptx.native.meanings import meanings
        from looptx.native.reading import Reading

        with self._lock:
            if self._reading is None:
                source = self._source or host.function_text(self._function)
                imports = meanings(self._function)
                self._reading = Reading(source, self._directives, imports)
            return self._reading

    def _specialise(self, number: int, kinds: tuple[Type, ...]) -> Version:
        """The native version of a nest, for its dispatcher."""
        from looptx.native.specialise import nest_key, specialise

        info = self._dispatchers[number].info
        key = nest_key(self._key, f"{number} {info.label}", kinds)
        assert self._source is not None

        def text_of(known: Mapping[str, Type]) -> str:
            return self._read().cython(number, known)

        try:
            return specialise(key, self._source, info.live_in, kinds, text_of)
        except LooptxError as error:
            if error.code == "LX501" and not self._strict:
                self._without_compiler(error)
            raise

    def _without_compiler(self, error: LooptxError) -> None:
        """Say once what is missing; later calls run the rewritten Python."""
        global _told_no_compiler
        if not _told_no_compiler:
            _told_no_compiler = True
            warnings.warn(
                f"looptx: kernels run as Python, {error.message}; {error.hint}",
                RuntimeWarning,
                stacklevel=2,
            )
        from looptx.native import host
        from looptx.native.apart import guarded
        from looptx.native.reading import rewritten

        assert self._source is not None
        try:
            # Without types: one text serves the calls of all types.
            source = rewritten(self._source, self._read().python())
            built = host.rebuild(self._function, source, (), {})
        except LooptxError:
            return
        infos = [dispatcher.info for dispatcher in self._dispatchers]
        run = guarded(self._function, built, self._function, infos)
        self._run = cast("Callable[P, R]", run)

    def _known_types(self) -> dict[str, Type]:
        """The types the nests were last called with, by name."""
        known: dict[str, Type] = {}
        for dispatcher in self._dispatchers:
            for kinds in dispatcher.versions:
                known.update(zip(dispatcher.info.live_in, kinds, strict=True))
        return known


@overload
def kernel(function: Callable[P, R], /) -> Kernel[P, R]: ...


@overload
def kernel(
    *directives: Given, signature: Signature | None = None, strict: bool = False
) -> Callable[[Callable[P, R]], Kernel[P, R]]: ...


def kernel(
    *directives: object, signature: Signature | None = None, strict: bool = False
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

    Returns:
        A ``Kernel``; with ``LOOPTX_DISABLE=1`` in the environment the function itself.

    Raises:
        LooptxError: LX102 for a directive that is neither text nor object; LX306 when
            what is decorated is no plain function.
    """
    if len(directives) == 1 and not isinstance(directives[0], str):
        function = directives[0]
        if isinstance(function, (types.FunctionType, staticmethod, classmethod)):
            return _make(function, (), signature, strict)
    texts = _texts(directives)

    def decorate(function: Any) -> Any:
        return _make(function, texts, signature, strict)

    return decorate


def schedule(function: Callable[..., Any]) -> Builder:
    """Start a schedule: ``schedule(f).tile(i=32, j=32).parallel("i").kernel()``.

    Args:
        function: what is to be compiled; it stays as it is.
    """
    from looptx.directives import Builder

    def compile(function: Callable[..., Any], verbs: tuple[Verb, ...]) -> Any:
        return _make(function, _texts(verbs), None, strict=False)

    return Builder(function, (), compile)


def _make(
    function: Any,
    directives: tuple[str, ...],
    signature: Signature | None,
    strict: bool,
) -> Any:
    if os.environ.get("LOOPTX_DISABLE", "") not in ("", "0"):
        return function
    if isinstance(function, Kernel):
        function = function.py_func
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(_make(function.__func__, directives, signature, strict))
    if not isinstance(function, types.FunctionType):
        raise Malformed(
            "LX306",
            f"a kernel must be a plain function, not {type(function).__name__}",
            hint="put @looptx.kernel next to the `def`, below other decorators",
        )
    made: Kernel[..., Any] = Kernel(function, directives, strict)
    if signature is not None:
        made.compile(signature)
    return made


def _texts(directives: Sequence[object]) -> tuple[str, ...]:
    """The texts of directives given as texts, objects, or sequences of them."""
    texts: list[str] = []
    for one in directives:
        text = one if isinstance(one, str) else getattr(one, "text", None)
        if isinstance(text, str):
            texts.append(text)
        elif isinstance(one, (tuple, list)):
            texts.extend(_texts(one))
        else:
            raise Malformed(
                "LX102",
                f"{one!r} is not a directive",
                hint='write a text, "tile i=32 j=32", or an object, tile(i=32, j=32)',
            )
    return tuple(texts)
