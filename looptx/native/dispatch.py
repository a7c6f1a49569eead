"""From the values a nest reads to its native version, or back to the loops as written.

A ``Dispatcher`` stands in front of one nest. The version used last is tried first; its
entry says ``NotImplemented`` to other types and ``None`` when a guard fails (an index
out of bounds, arrays that overlap, a broken ``assume``). Whatever native code does not
take falls back to the loops as written, and is counted with its reason.
"""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from looptx.errors import BuildFailed, LooptxError
from looptx.model.types import ArrayType, Type
from looptx.native.arguments import Foreign, classify_all
from looptx.native.reading import NestInfo
from looptx.native.runtime import tell_forked, threads

GUARD = "a guard failed: an index out of bounds, overlapping arrays or a false assume"


@dataclass(frozen=True, slots=True)
class Version:
    """A nest compiled for certain types.

    Attributes:
        entry: called with the nest's values and a thread count.
        types: what it was compiled for, in the order of the nest's values.
        seconds: what getting it took.
        origin: ``"compiled"`` or ``"cache"``.
        text: the file with its Cython text.
    """

    entry: Callable[..., Any]
    types: tuple[Type, ...]
    seconds: float
    origin: str
    text: Path


SOFT = ("LX501", "LX502", "LX503", "LX504")
"""Failures after which the loops as written still do the work."""

Specialise = Callable[[tuple[Type, ...]], Version]


def _nothing(*_values: Any) -> Any:
    return NotImplemented


class Dispatcher:
    """What stands in front of a nest.

    Args:
        info: the nest.
        specialise: gives the version for certain types; raises LooptxError.
        strict: raise where otherwise the loops as written would run.
    """

    def __init__(self, info: NestInfo, specialise: Specialise, strict: bool) -> None:
        self.info = info
        self.strict = strict
        self.calls = 0
        self.fallbacks: Counter[str] = Counter()
        self.versions: dict[tuple[Type, ...], Version | LooptxError] = {}
        self._specialise = specialise
        self._entry: Callable[..., Any] = _nothing
        self._lock = threading.RLock()
        self._parallel = "parallel " in info.directives

    def __call__(self, *values: Any) -> tuple[Any, ...] | None:
        """Run the nest; None says that the loops as written must run.

        Raises:
            LooptxError: the schedule is refused or malformed; with ``strict`` also
                whatever else keeps the nest from running natively.
        """
        result = self._entry(*values, threads())
        if result is NotImplemented:
            result = self._by_types(values)
        if type(result) is tuple:
            self.calls += 1
            return result
        self._fall_back(result or GUARD)
        return None

    def _by_types(self, values: tuple[Any, ...]) -> Any:
        """Find or make the version for these values, run it, and remember it.

        Returns:
            What the version returns, or a text: the reason to fall back.
        """
        info = self.info
        try:
            types = classify_all(info.live_in, values, info.written)
        except Foreign as foreign:
            return str(foreign)
        version = self.version(types)
        if isinstance(version, LooptxError):
            if self.strict or version.code not in SOFT:
                raise version.with_traceback(None)
            return f"{version.code} {version.message}"
        if self._parallel:
            tell_forked()
        result = version.entry(*values, threads())
        if result is NotImplemented:
            return "its own version does not take the values"
        # A version for any strides would take contiguous arrays too, and be slow.
        strided = any(isinstance(t, ArrayType) and t.layout == "A" for t in types)
        self._entry = _nothing if strided else version.entry
        return result

    def version(self, types: tuple[Type, ...]) -> Version | LooptxError:
        """The version for these types, or why there is none; made at most once."""
        known = self.versions.get(types)
        if known is None:
            with self._lock:
                known = self.versions.get(types)
                if known is None:
                    known = self._make(types)
                    self.versions[types] = known
        return known

    def _make(self, types: tuple[Type, ...]) -> Version | LooptxError:
        try:
            return self._specialise(types)
        except LooptxError as error:
            quiet = self.strict or error.code == "LX501" or not self.info.directives
            if error.code in SOFT and not quiet:
                warnings.warn(
                    f"looptx: {self.info.label} runs as plain Python: {error}",
                    RuntimeWarning,
                    stacklevel=2,
                )
            return error

    def _fall_back(self, reason: str) -> None:
        self.fallbacks[reason] += 1
        if self.strict:
            raise BuildFailed(
                "LX504",
                f"{self.info.label} cannot run natively: {reason}",
                hint="without strict=True the loops run as written",
            )
