"""A function with native nests, as its names mean now.

``Prepared`` holds all that depends on the text of a function and on what its global
names mean. When a name gets another meaning, the kernel makes a new one.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from looptx import forks
from looptx.errors import BuildFailed, LooptxError, Place
from looptx.model.records import dataclass
from looptx.model.types import Type
from looptx.native.analysis.callees import Gathered, gathered
from looptx.native.analysis.contents import Contents
from looptx.native.analysis.function import Analysis
from looptx.native.analysis.function_text import function_text
from looptx.native.analysis.given import Given
from looptx.native.analysis.global_bindings import resolved_globals
from looptx.native.analysis.nest_info import NestInfo
from looptx.native.cache import store
from looptx.native.call.alias_guard import AliasGuard
from looptx.native.call.axes import Axes
from looptx.native.call.dispatch import Dispatcher, Owner, Version
from looptx.native.call.quick import Names
from looptx.native.call.rebuild import rebuild
from looptx.native.call.specialise import kept, specialise
from looptx.native.call.told import Told
from looptx.native.compile import keys
from looptx.native.compile.fastmath import FUNCTIONS, flags
from looptx.native.diagnostics import bug_reports
from looptx.native.diagnostics.notes import CODE
from looptx.native.diagnostics.notices import WOVEN, Notices, tell
from looptx.parsers.deep import deeply

if TYPE_CHECKING:
    from looptx.native.analysis.exception_order import NestCode
    from looptx.native.call.companions import Companion
    from looptx.native.runtime import Callee

Calls: TypeAlias = "tuple[Sequence[Callee], Sequence[str]]"
"""What nests call, and the Python that runs instead where they say so."""

_told_no_compiler = False


@dataclass(frozen=True, slots=True)
class Order:
    """What a kernel is made from.

    Attributes:
        function: the original.
        directives: texts from the decorator.
        strict: raise where otherwise the loops as written would run.
        fastmath: levels of inexact arithmetic.
        axes: how many axes its arguments have, where it does not say so.
        told: what its arguments are, where it asks that.
    """

    function: types.FunctionType
    directives: tuple[str, ...] = ()
    strict: bool = False
    fastmath: tuple[str, ...] = ()
    axes: Axes = ()
    told: Told = ()


class Prepared:
    """Find the nests of a function and put dispatchers in front of them.

    Args:
        order: the function and how it is to run.
        notices: the kernel's.
        before: what a new one replaces; its counts are kept.
        values: arguments of a call, whose methods may be called.

    Attributes:
        run: the function to call; it gives the kernel's notices, which nobody else
            has, where it may not run, or it or its globals have changed.
        dispatchers: of the nests, in source order.
        left: why other loops of the function run as Python; beside: those that never
            can, and are told in reports alone.
        refusal: why it must not be called at all, if so.
        source: the function's text. imports: what names in it mean.
        current: whether it may run, and neither it nor its globals have changed.
        fits: whether arguments, given by name, lead to the functions that it calls.
        asks: whether it is for certain arguments only.

    Raises:
        LooptxError: there is no source, or a directive is malformed.
    """

    def __init__(
        self,
        order: Order,
        notices: Notices,
        before: Prepared | None = None,
        values: Mapping[str, object] | None = None,
    ) -> None:
        self.order = order
        self.notices = notices
        self._lock = forks.Lock()
        self._analysis: Analysis | None = None
        function = order.function
        self.source = function_text(function)
        self._gather(values)
        self.imports = self._resolved(self._own)
        self._key = keys.digest(
            self.source.own,
            *order.directives,
            *(f"axes of {' '.join(map(str, one))}" for one in order.axes),
            *(f"{name} is {value!r}" for name, value in self._told),
            "imports",
            *(part for pair in self.imports.items() for part in pair),
            *self._own.texts,
            sys.implementation.cache_tag or "",
            keys.fingerprint(),
        )
        self.refusal: LooptxError | None = None
        contents = self._contents()
        infos, self.left = contents.nests, contents.left
        self.beside = contents.beside
        owner = Owner(order.strict, notices, lambda: self.current())
        self.dispatchers = tuple(
            Dispatcher(
                info,
                functools.partial(self._specialise, number),
                owner,
                functools.partial(self._announce, info),
                self._place(info),
            )
            for number, info in enumerate(infos)
        )
        if order.strict:
            demanded = contents.demanded(function.__qualname__)
            self.refusal = self.refusal or demanded
        elif lacking := contents.lacking(function.__qualname__):
            notices.lacking(lacking)
        if before is not None:
            self._resume(before)
        self.current = self._names.current() if self.refusal is None else _never
        for one in self.dispatchers:
            if one.info.around >= 0:
                around = self.dispatchers[one.info.around]
                around.inside.append(one)
                one.open = around.info.tried
        self._calls: Calls = self.dispatchers, [""] * len(infos)
        self.run = self._asking()

    def _gather(self, values: Mapping[str, object] | None) -> None:
        """Find what names mean.

        Args:
            values: as of the class.
        """
        function, text = self.order.function, self.source.text
        self._own = gathered(function, text, values)
        self._told = () if values is None else self.order.told
        self._names = Names(function, text, self._own, self.notices, self._told)
        self.asks = bool(self._own.own or self._told)
        if self.asks and not self._names.inside():
            # Nobody could ask in time what its arguments are, and lead to.
            self._gather(None)
        self.fits = self._names.fits() if self._own.own else _always

    def _place(self, info: NestInfo) -> Place:
        """Where a nest begins in the file."""
        return Place(self.source.filename, info.line, info.column)

    def _asking(self) -> Callable[..., Any]:
        """The function, which asks at its beginning whether it may run.

        Raises:
            LooptxError: LX901.
        """
        if self.refusal is None and self._names.inside():
            return self._woven(self._names.begin(), asked=True)
        run, current = self._woven(), self.current
        return lambda *args, **kwargs: (
            run(*args, **kwargs) if current() else self.notices
        )

    def unasked(self) -> Callable[..., Any]:
        """The function where a name means something else each time that it is asked.

        Its nests ask for themselves, and run as written.

        Raises:
            LooptxError: LX901.
        """
        return self._woven(self._names.beginning())

    def _woven(self, begin: str = "", *, asked: bool = False) -> Callable[..., Any]:
        """The function with a call in front of each nest, see ``Site``.

        Args:
            begin: Python that it begins with.
            asked: whether that asks all that there is to ask.

        Raises:
            LooptxError: LX901.
        """
        sites, names, (calls, instead) = [], self._names, self._calls
        inside = names.inside()
        for number, (one, text) in enumerate(
            zip(self.dispatchers, instead, strict=True)
        ):
            site = one.info.site(f"{WOVEN}{number}")
            if inside and calls is self.dispatchers:
                site = site._replace(direct=names.direct(one, site, asked))
            sites.append(site._replace(instead=text, live_out=()) if text else site)
        named = {site.call: call for site, call in zip(sites, calls, strict=True)}
        try:
            given = self.order.function, self.source, sites, named, begin, names.cells
            return deeply(lambda: rebuild(*given))
        except bug_reports.PASSING:
            raise
        except Exception as error:
            raise bug_reports.reported(error, self.source.own) from None

    def takes(self, error: BaseException) -> bool:
        """Whether what ``run`` raised is the function's to raise.

        It is not where the function has got other parameters meanwhile, which the one
        that runs does not know of.
        """
        trace = error.__traceback__
        began = trace is not None and trace.tb_next is not None
        return began or not isinstance(error, TypeError) or self.current()

    def renewed(self, values: Mapping[str, object] | None = None) -> bool:
        """Whether names that were rebound mean the same; then all is still valid.

        Args:
            values: as of the class.
        """
        own = gathered(self.order.function, self.source.text, values)
        same = own.texts == self._own.texts
        same = same and self._resolved(own) == self.imports
        return same and self._names.renew(own)

    def _resolved(self, own: Gathered) -> dict[str, str]:
        """What the names of the function mean."""
        found = resolved_globals(self.order.function, self.source.text)
        return {**found, **own.imports}

    def analysis(self) -> Analysis:
        """The analysed function; slow the first time."""
        with self._lock:
            if self._analysis is None:
                directives = self.order.directives
                known = Given(self.order.axes, dict(self._told))
                given = self.imports, self._own.callees(), known
                inexact = FUNCTIONS in self.order.fastmath
                self._analysis = Analysis(
                    self.source, directives, *given, inexact=inexact
                )
            return self._analysis

    def known_types(self) -> dict[str, Type]:
        """The types the nests were last called with, by name."""
        known: dict[str, Type] = {}
        for dispatcher in self.dispatchers:
            for kinds in dispatcher.versions:
                known.update(zip(dispatcher.info.live_in, kinds, strict=True))
        return known

    def _contents(self) -> Contents:
        """The loops, out of the cache or by reading the source and proving schedules.

        What is refused whatever the types are is no business of one nest: the function
        does not even begin.
        """
        record = store.load_record(self._key)
        if record is not None:
            try:
                return Contents.from_record(record, self.source)
            except (KeyError, TypeError, ValueError):
                pass
        contents = Contents.of(self.analysis())
        self.refusal = self.analysis().refusal()
        if self.refusal is None:
            store.save_record(self._key, contents.as_record(self.source))
        return contents

    def _resume(self, before: Prepared) -> None:
        counted = {one.info.label: one for one in before.dispatchers}
        for dispatcher in self.dispatchers:
            if dispatcher.info.label in counted:
                dispatcher.resume(counted[dispatcher.info.label])

    def _specialise(self, number: int, kinds: tuple[Type, ...]) -> Version:
        """The native version of a nest, for its dispatcher."""
        info = self.dispatchers[number].info
        extra = flags(self.order.fastmath)

        def code_of(known: Mapping[str, Type]) -> NestCode:
            return self.analysis().cython(number, known)

        def others(code: NestCode) -> Iterator[Companion]:
            with forks.IMPORTS:
                from looptx.native.call.companions import companions, met

            known = met(self.order.function.__code__)
            known.update(zip(info.live_in, kinds, strict=True))
            return companions(self.analysis(), number, code, known, self._wanted)

        given = self._nest_key(number, kinds), self.source, info.live_in, kinds
        try:
            version = specialise(*given, code_of, extra, others)
            self._demand_order(info, version)
            return version
        except LooptxError as error:
            if error.code == "LX501" and not self.order.strict:
                self._without_compiler(error)
            raise

    def _nest_key(self, number: int, kinds: tuple[Type, ...]) -> str:
        """The key of a nest for certain types."""
        label = f"{number} {self.dispatchers[number].info.label}"
        return keys.nest_key(self._key, label, kinds, flags(self.order.fastmath))

    def _wanted(self, number: int, kinds: tuple[Type, ...]) -> str:
        """The key of a nest of which nothing is kept for certain types, or ""."""
        key = self._nest_key(number, kinds)
        return "" if kept(key) else key

    def _demand_order(self, info: NestInfo, version: Version) -> None:
        """With ``strict`` a schedule must be carried out.

        Raises:
            BuildFailed: LX505.
        """
        reason = version.notes.in_order()
        if reason and self.order.strict:
            raise BuildFailed(
                CODE,
                f"{info.label} {reason}",
                hint="without strict=True the loops run natively, in this order",
            )

    def _announce(self, info: NestInfo, version: Version) -> None:
        """Say that a schedule is not carried out, if it is not."""
        reason = version.notes.in_order()
        if reason:
            tell(f"{info.label} {reason} ({CODE})")

    def _without_compiler(self, error: LooptxError) -> None:
        """Run the rewritten loops from now on, where they may; warn once why."""
        global _told_no_compiler
        try:
            # Without types: one text serves the calls of all types.
            instead = self.analysis().instead()
        except LooptxError:
            pass
        else:
            guards = [
                AliasGuard(
                    one.info, bool(text), functools.partial(one.fall_back, error)
                )
                for one, text in zip(self.dispatchers, instead, strict=True)
            ]
            self._calls = guards, instead
            self.run = self._asking()
        if not _told_no_compiler:
            _told_no_compiler = True
            tell(f"kernels run as Python, {error.message}; {error.hint}")


def _never() -> bool:
    return False


def _always(**_: object) -> bool:
    return True
