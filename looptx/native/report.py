"""What a kernel did so far: versions, calls, fallbacks, and what was trusted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from looptx.errors import LooptxError
from looptx.native.dispatch import Dispatcher
from looptx.native.notes import notes


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
        calls: how often it ran natively.
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

    def __str__(self) -> str:
        lines = [f"{self.name} (line {self.line}): {self.directives or 'as written'}"]
        lines += [f"  not proven: {text}" for text in self.trusted]
        lines += [f"  {version}" for version in self.versions]
        lines += [f"  no version: {failure}" for failure in self.failures]
        lines.append(f"  {self.calls} native calls")
        for reason, count in self.fallbacks.items():
            lines.append(f"  {count} calls as written: {reason}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Report:
    """A kernel's nests; ``str()`` is meant to be read.

    Attributes:
        function: its qualified name.
        nests: in source order.
        fastmath: the levels that let native results differ from Python's.
        unread: why its nests are not known, as when there is no source; or ``""``.
    """

    function: str
    nests: tuple[NestReport, ...]
    fastmath: tuple[str, ...] = ()
    unread: str = ""

    def __str__(self) -> str:
        if self.unread:
            return f"{self.function} runs as plain Python: {self.unread}"
        if not self.nests:
            return f"{self.function}: not called yet, or no native loop nest"
        lines = list(map(str, self.nests))
        if self.fastmath:
            levels = ", ".join(self.fastmath)
            lines.insert(0, f"{self.function}: not bitwise, fastmath is {levels}")
        return "\n".join(lines)


def report(
    function: str,
    dispatchers: Iterable[Dispatcher],
    shift: int,
    fastmath: tuple[str, ...] = (),
    unread: LooptxError | None = None,
) -> Report:
    """Collect the report of a kernel.

    Args:
        function: its qualified name.
        dispatchers: those of its nests.
        shift: from a line of the function's text to a line of the file.
        fastmath: its levels.
        unread: why its nests are not known.
    """
    nests = tuple(_nest(one, shift) for one in dispatchers)
    reason = unread.concise() if unread is not None else ""
    return Report(function, nests, fastmath, reason)


def _nest(dispatcher: Dispatcher, shift: int) -> NestReport:
    info = dispatcher.info
    versions, failures = [], []
    for known in tuple(dispatcher.versions.values()):
        if isinstance(known, LooptxError):
            failures.append(known.concise())
            continue
        types = dict(zip(info.live_in, map(str, known.types), strict=True))
        memory = notes(known.text, shift)
        versions.append(VersionReport(types, known.origin, known.seconds, memory))
    return NestReport(
        name=info.label,
        line=info.line + shift,
        directives=info.directives,
        trusted=info.trusted,
        versions=tuple(versions),
        failures=tuple(failures),
        calls=dispatcher.calls,
        fallbacks=dict(dispatcher.fallbacks),
    )
