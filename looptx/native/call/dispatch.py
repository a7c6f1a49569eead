"""From the values a nest reads to its native version, or back to the loops as written.

A ``Dispatcher`` selects the compiled version for each call of one nest. It tries
the last one used first; the entry of a version says ``NotImplemented`` to other
types, and a text when a guard fails (an index out of bounds, arrays that overlap, a
broken ``assume``): the reason. Calls that native code
does not take fall back to the loops as written, and are counted with their reason.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

from looptx import forks
from looptx.errors import BuildFailed, LooptxError, Place
from looptx.model.execution.leaving import EMPTY, FEW, RAISED
from looptx.model.naming import drawn, told
from looptx.model.records import dataclass, field, replace
from looptx.model.types import ArrayType, Type
from looptx.native.analysis.nest_info import NestInfo
from looptx.native.call.arguments import Foreign, classify_all, traits
from looptx.native.chain import why_missing
from looptx.native.diagnostics.notes import NO_NOTES, Notes
from looptx.native.diagnostics.notices import Notices
from looptx.native.draws import drawing
from looptx.native.runtime import team, threads

GUARD = "a check at the start of the nest failed"
"""The reason when an entry gives none."""

UNTAKEN = "its own version does not take the values"

RENAMED = "a name in it means something else than when the nest was compiled"


@dataclass(frozen=True, slots=True)
class Version:
    """A nest compiled for certain types.

    Attributes:
        entry: called with the nest's values and a thread count.
        types: what it was compiled for, in the order of the nest's values.
        seconds: what getting it took.
        origin: ``"compiled"`` or ``"cache"``.
        text: its Cython text.
        notes: what is to be said of it.
    """

    entry: Callable[..., Any]
    types: tuple[Type, ...]
    seconds: float
    origin: str
    text: str
    notes: Notes = NO_NOTES


SOFT = ("LX501", "LX502", "LX503", "LX504", "LX901")
"""Failures after which the loops as written still do the work."""

VAIN = 8
"""So many calls without a version, and a nest in others is left alone for a while."""

_SHORT, _CALLS, _MOST_CALLS = 256, 16, 1 << 16
"""Lists that are looked through at each call, and how many calls go by for others."""

_DEPTH = 4
"""So deep lists are looked at for their size: one may hold itself."""

Specialise = Callable[[tuple[Type, ...]], Version]


def _nothing(*_values: Any) -> Any:
    return NotImplemented


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Owner:
    """The state and callbacks that the dispatchers of a kernel share.

    Attributes:
        strict: raise where otherwise the loops as written would run.
        notices: the kernel's.
        current: whether the names in it still mean what they meant.
    """

    strict: bool = False
    notices: Notices = field(default_factory=Notices)
    current: Callable[[], bool] = _always


def _size(one: Any) -> int:
    """About how many numbers a list has: as if all in it were like the first ones."""
    count = 1
    for _ in range(_DEPTH):
        if type(one) not in (list, tuple) or not one:
            break
        count, one = count * len(one), one[0]
    return count


class _Lists:
    """Whether lists are looked through again, of which some had no version.

    Their types do not say what is in them, and it takes as long as they are.
    """

    def __init__(self) -> None:
        self._left = self._calls = 0

    def refused(self) -> None:
        """Some had none: so many calls go by, four times as many as before."""
        self._left = self._calls = min(max(4 * self._calls, _CALLS), _MOST_CALLS)

    def are_alike(self, values: tuple[Any, ...]) -> bool:
        """Whether values of the same types as before are taken to be refused, too."""
        sizes = [_size(one) for one in values if type(one) in (list, tuple)]
        if sum(sizes) > _SHORT and self._left:
            self._left -= 1
            return True
        return not sizes


class Dispatcher:
    """Chooses the native version of a nest for the types of a call.

    Args:
        info: the nest.
        specialise: gives the version for certain types; raises LooptxError.
        owner: the kernel.
        announce: called with each new version, once it is kept.
        place: of the nest, in its file.

    Attributes:
        entry: of the version that was used last.
        calls: how often the nest ran natively to its end. raised: how often it did
            not, as something in it raised.
        inside: those of the nests in it.
        open: whether it may run: it is in no other nest, or that one has no version for
            the values of its last call, by what is not in this one.
        vain: how often it was called and never had a version, since the nest around it
            met other types.
    """

    def __init__(
        self,
        info: NestInfo,
        specialise: Specialise,
        owner: Owner | None = None,
        announce: Callable[[Version], None] = _nothing,
        place: Place | None = None,
    ) -> None:
        owner = owner or Owner()
        self.info = info
        self.place = place
        self.strict = owner.strict
        self.calls = self.raised = 0
        self.inside: list[Dispatcher] = []
        self.open = True
        self.vain = 0
        self.fallbacks: Counter[str] = Counter()
        self._texts: dict[str | LooptxError, str] = {}
        self.versions: dict[tuple[Type, ...], Version | LooptxError] = {}
        self._specialise = specialise
        self._notices = owner.notices
        self._current = owner.current
        self._announce = announce
        self.entry: Callable[..., Any] = _nothing
        self._entries: dict[tuple[object, ...], Callable[..., Any]] = {}
        self._without: tuple[object, ...] = (), "", ""
        self._lists = _Lists()
        self._lock = forks.Lock()
        self._counting = forks.Lock()
        self._threads = team if info.parallel else threads

    def __call__(self, *values: Any) -> tuple[Any, ...] | None:
        """Run the nest; None says that the loops as written must run.

        Raises:
            LooptxError: the schedule is refused or malformed; with ``strict`` also
                whatever else keeps the nest from running natively.
        """
        try:
            result = self._run(self.entry, values) if self._current() else RENAMED
        except Warning as error:
            self._notices.hold(error)
            raise error.with_traceback(None) from None
        return self.settled(result, values)

    def _run(self, entry: Callable[..., Any], values: tuple[Any, ...]) -> Any:
        """The answer of an entry.

        Args:
            entry: of a version. values: what it is called with.
        """
        threads = self._threads()
        try:
            return entry(*values, threads)
        except Exception:
            self.raised += 1
            raise

    def settled(self, result: Any, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """What comes of the answer of an entry.

        Args:
            result: the answer; a text is the reason to fall back.
            values: what the entry was called with.

        Raises:
            LooptxError: as a call.
        """
        try:
            refused = type(result) is str and result != RENAMED
            other = refused and self._is_of_another(values)
            if other or result is NotImplemented:
                result = self._by_types(values)
            if type(result) is tuple:
                self.calls += 1
                return result
            self.fall_back(result or GUARD)
        except (LooptxError, Warning) as error:
            self._notices.hold(error)
            raise error.with_traceback(None) from None
        return None

    def _is_of_another(self, values: tuple[Any, ...]) -> bool:
        """Whether another version than the last may take values that it refuses.

        Python's ints are of two types in C: the numbers tell which.
        """
        whole = any(type(one) is int for one in values)
        return whole and self._entries.get(traits(values)) is not self.entry

    def unready(self) -> None:
        """A value the nest reads raises: the loops as written show when it matters.

        Called while the exception is handled.

        Raises:
            LooptxError: with ``strict``.
        """
        try:
            self.fall_back(why_missing(sys.exc_info()[1]))
        except (LooptxError, Warning) as error:
            self._notices.hold(error)
            raise error.with_traceback(None) from None

    @property
    def is_told(self) -> bool:
        """Whether there is something to say of it.

        Of a loop round others that was only tried, these say what there is.
        """
        alone = self.fallbacks and not self.inside
        needed = self.info.around < 0 and (alone or not self.info.tried)
        return bool(needed or self.calls or self.raised)

    def resume(self, before: Dispatcher) -> None:
        """Take over the counters of another one."""
        self.calls += before.calls
        self.raised += before.raised
        self.fallbacks.update(before.fallbacks)

    def _by_types(self, values: tuple[Any, ...]) -> Any:
        """Find or make the version for these values, run it, and remember it.

        Returns:
            What the version returns, or the reason to fall back: a text or an error.
        """
        info = self.info
        seen = traits(values)
        last, foreign, reason = self._without
        if reason and seen == last and self._lists.are_alike(values):
            return self._vainly(str(foreign), reason)
        entry = self._entries.get(seen)
        if entry is not None:
            result = self._run(entry, values)
            if result is not NotImplemented:  # int64 and longlong are equal dtypes.
                return result
        try:
            types = classify_all(info.live_in, values, info.written, info.held)
        except Foreign as error:
            self._lists.refused()
            self._renew()
            why = info.opaque or str(error)
            self._without = seen, error.name, why
            return self._vainly(error.name, why)
        version = self.version(types)
        if isinstance(version, LooptxError):
            self._lists.refused()
            self._renew()
            if (self.strict and not self.info.silent) or version.code not in SOFT:
                raise version
            self._without = seen, "", version
            return self._vainly("", version)
        result = self._run(version.entry, values)
        if result is NotImplemented:
            return UNTAKEN
        for one in self.inside:
            one.open = info.tried
        # A version for any strides would take contiguous arrays too, and be slow.
        strided = any(isinstance(t, ArrayType) and t.layout == "A" for t in types)
        self.entry = _nothing if strided else version.entry
        self._entries[seen] = version.entry
        return result

    def _vainly(self, foreign: str, reason: object) -> object:
        """There is no version: let nests inside run, but for those as vain as this.

        Args:
            foreign: the value that is not taken, if it is that.
            reason: why there is none; it is given back.
        """
        for one in self.inside:
            taken = self.info.tried or foreign not in one.info.live_in
            one.open = taken and one.vain < VAIN
        if not self._entries and self.info.around >= 0:
            self.vain += 1
            self.open = self.vain < VAIN
        return reason

    def _renew(self) -> None:
        """Other types than last time: the nests inside may have versions now."""
        for one in self.inside:
            one.vain = 0
            one._renew()

    def version(self, types: tuple[Type, ...]) -> Version | LooptxError:
        """The version for these types, or why there is none; made at most once."""
        known = self.versions.get(types)
        if known is not None:
            return known
        with self._lock:
            known = self.versions.get(types)
            if known is not None:
                return known
            known = self.versions[types] = self._make(types)
        # A warning may be an exception: what is kept does not warn again.
        if isinstance(known, Version):
            self._announce(known)
        return known

    def _make(self, types: tuple[Type, ...]) -> Version | LooptxError:
        try:
            found = self._specialise(types)
        except LooptxError as error:
            return error
        if places := drawn(self.info.live_in):
            return replace(found, entry=drawing(found.entry, places))
        return found

    def quiet(self, reason: str | LooptxError) -> bool:
        """Whether nobody misses anything where loops run as written."""
        text = str(reason)
        return self.info.silent or text in (RAISED, FEW) or text.endswith(EMPTY)

    def fall_back(self, reason: str | LooptxError) -> None:
        """Count it, and warn of the first; of a missing compiler others warn.

        Nobody misses anything where NumPy runs a statement on arrays, or where Python
        raises what the loops raise.
        """
        text = self._texts.get(reason)
        if text is not None and self.quiet(reason):
            # Nobody is told, and that again and again.
            with self._counting:
                self.fallbacks[text] += 1
            return
        error = reason if isinstance(reason, LooptxError) else None
        plain = told(str(reason))
        text = f"{error.code} {told(error.message)}" if error else plain
        self._texts[reason] = text
        with self._counting:
            known = text in self.fallbacks
            self.fallbacks[text] += 1
        if self.quiet(reason) or (known and not self.strict):
            return
        if self.strict:
            raise BuildFailed(
                "LX504",
                f"{self.info.label} cannot run natively: {text}",
                self.place,
                hint="without strict=True the loops run as written",
            )
        if error is None or error.code != "LX501":
            others = any(one.open for one in self.inside)
            self._notices.fallback(self.info.label, plain, others=others)
