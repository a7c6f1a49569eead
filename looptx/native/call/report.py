"""What a kernel did so far: versions, calls, fallbacks, and what was trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from looptx.errors import LooptxError
from looptx.model.naming import HELD, told
from looptx.model.records import dataclass
from looptx.native.call.dispatch import Dispatcher

if TYPE_CHECKING:
    from looptx.native.call.prepared import Prepared


@dataclass(frozen=True, slots=True)
class VersionReport:
    """A native version: its types by name, where it came from, what that took.

    ``memory`` says what its temporaries take, before and after, and why its schedule
    is not carried out, if it is not.
    """

    types: Mapping[str, str]
    origin: str
    seconds: float
    memory: tuple[str, ...] = ()

    def __str__(self) -> str:
        types = ", ".join(f"{name}: {kind}" for name, kind in self.types.items())
        first = f"{self.origin} in {self.seconds:.2f} s for ({types})"
        return "\n    ".join((first, *self.memory))


@dataclass(frozen=True, slots=True)
class NestReport:
    """One nest.

    Attributes:
        name: the function's and the nest's.
        line: of its ``for``, in the file.
        directives: what schedules it.
        trusted: what was not proven but trusted.
        versions: the native versions in use.
        failures: why there is none for certain types.
        calls: how often it ran natively. raised: how often something raised meanwhile.
        fallbacks: how often it ran as written, by reason.
    """

    name: str
    line: int
    directives: str
    trusted: tuple[str, ...]
    versions: tuple[VersionReport, ...]
    failures: tuple[str, ...]
    calls: int
    fallbacks: Mapping[str, int]
    raised: int = 0

    def __str__(self) -> str:
        lines = [f"{self.name} (line {self.line}): {self.directives or 'as written'}"]
        lines += [f"  not proven: {text}" for text in self.trusted]
        lines += [f"  {version}" for version in self.versions]
        # Several types may have none for one reason.
        lines += [f"  no version: {text}" for text in dict.fromkeys(self.failures)]
        lines.append(f"  {_counted(self.calls, 'native call')}")
        if self.raised:
            lines.append(f"  {_counted(self.raised, 'native call')} that raised")
        for reason, count in self.fallbacks.items():
            lines.append(f"  {_counted(count, 'call')} as written: {reason}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Report:
    """A kernel's nests; ``str()`` is meant to be read.

    Attributes:
        function: its qualified name.
        nests: in source order.
        fastmath: the levels that let native results differ from Python's.
        unread: why its nests are not known, as when there is no source; or ``""``.
        left: why other loops run as plain Python.
        refused: why a call raises; or ``""``.
        around: where a cost function put nests, and why others stayed.
    """

    function: str
    nests: tuple[NestReport, ...]
    fastmath: tuple[str, ...] = ()
    unread: str = ""
    left: tuple[str, ...] = ()
    refused: str = ""
    around: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.unread:
            return f"{self.function} runs as plain Python: {self.unread}"
        lines = []
        if self.refused:
            lines.append(f"{self.function} cannot be called: {self.refused}")
        if self.nests and self.fastmath:
            levels = ", ".join(self.fastmath)
            lines.append(f"{self.function}: not bitwise, fastmath is {levels}")
        lines += self.around
        lines += map(str, self.nests)
        lines += [f"{self.function} runs as plain Python: {why}" for why in self.left]
        return (
            "\n".join(lines)
            or f"{self.function}: not called yet, or without a loop that can be native"
        )


def report(
    function: str,
    prepared: Sequence[Prepared],
    fastmath: tuple[str, ...] = (),
    unread: LooptxError | None = None,
    failure: LooptxError | None = None,
    around: tuple[str, ...] = (),
) -> Report:
    """Collect the report of a kernel.

    Args:
        function: its qualified name.
        prepared: its nests, once they are known; several where its arguments have led
            to different functions.
        fastmath: its levels.
        unread: why they are not known, and it runs as it is.
        failure: why a call raises.
        around: what a cost function chose.

    Returns:
        A value to be read by people (``str``) and by programs.
    """
    nests: tuple[NestReport, ...] = ()
    left: tuple[str, ...] = ()
    for one in prepared:
        nests += tuple(_nest(nest) for nest in one.dispatchers if nest.is_told)
        errors = (*one.left, *one.beside)
        reasons = tuple(map(_reason, sorted(errors, key=_line)))
        left += tuple(why for why in reasons if why not in left)
    unknown, refused = (error.concise() if error else "" for error in (unread, failure))
    return Report(function, nests, fastmath, unknown, left, refused, around)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _line(error: LooptxError) -> int:
    return error.place.line if error.place else 0


def _reason(error: LooptxError) -> str:
    """An error with its hint."""
    text = told(error.concise())
    return f"{text}\n    hint: {told(error.hint)}" if error.hint else text


def _nest(dispatcher: Dispatcher) -> NestReport:
    info = dispatcher.info
    versions, failures = [], []
    for known in tuple(dispatcher.versions.values()):
        if isinstance(known, LooptxError):
            failures.append(_reason(known))
            continue
        names = map(told, info.live_in)
        pairs = zip(names, map(str, known.types), strict=True)
        types = {name: kind for name, kind in pairs if not name.startswith(HELD)}
        memory = known.notes.lines()
        versions.append(VersionReport(types, known.origin, known.seconds, memory))
    return NestReport(
        name=info.label,
        line=info.line,
        directives=info.directives,
        trusted=info.trusted,
        versions=tuple(versions),
        failures=tuple(failures),
        calls=dispatcher.calls,
        fallbacks=dict(dispatcher.fallbacks),
        raised=dispatcher.raised,
    )
