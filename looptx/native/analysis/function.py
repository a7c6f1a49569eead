"""A function, analysed: its nests, their plans and texts. This is the slow half.

Everything heavy (islpy, black) is imported by what is called here, and only
here: a kernel whose nests are all in the cache never makes a ``Analysis``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from looptx import forks, interrupts
from looptx.errors import (
    LooptxError,
    Malformed,
    Place,
    Together,
    Unproven,
    Unsupported,
)
from looptx.model.callees.callee import Callee
from looptx.model.lines import NEWLINE
from looptx.model.naming import WRITTEN
from looptx.model.program import Directive, Kernel, Loop, LoopNode, Nest
from looptx.model.records import replace
from looptx.model.types import ArrayType, ScalarType, Type
from looptx.native.analysis.function_text import FunctionText
from looptx.native.analysis.given import Given
from looptx.native.analysis.nest_info import NestInfo, nest_info
from looptx.native.compile.build import LOCK
from looptx.native.diagnostics import bug_reports
from looptx.parsers.deep import deeply
from looptx.parsers.unwarned import parsed

if TYPE_CHECKING:
    from looptx.directives.base import Verb
    from looptx.emit.cython import Cython
    from looptx.looptree.planned import Planned
    from looptx.native.analysis.exception_order import NestCode
    from looptx.proof import Known
    from looptx.source import Module

ENTRY = "nest"
"""The name of the function that a compiled nest's module defines."""

NOT_NATIVE = ("LX503", "LX504")
"""Failures that depend on a nest and its types alone: the loops run as Python."""

_ANOTHER = "give arrays of other axes to a kernel of their own"

_DOUBTFUL = ("LX204", "LX901")
"""Failures of an analysis that tell nothing of one with other types."""


class Analysis:
    """The nests of one function.

    Args:
        source: the function's text.
        directives: texts given to the decorator.
        imports: what names of the function's module mean.
        callees: the functions of the user that it calls, by their full names.
        given: what is known of arguments.
        inexact: whether other functions may stand for those that it calls.
        module: the text, where it is read already.

    Attributes:
        left: why other loops are no nests: those that cannot be read, or, where there
            is no nest at all, those that are none; where there is no loop either, what
            statements on arrays cannot call.
        beside: what else is a loop, runs as Python, and has no nest in it.
        target: what writes the functions of nests; Cython if nothing else is said.
        callees: as given.

    Raises:
        LooptxError: the text or a directive is wrong.
    """

    def __init__(
        self,
        source: FunctionText,
        directives: Sequence[str],
        imports: Mapping[str, str],
        callees: Mapping[str, Callee] | None = None,
        given: Given | None = None,
        *,
        inexact: bool = False,
        module: Module | None = None,
    ) -> None:
        self.given = given or Given()
        self.inexact = inexact
        self.source = source
        self.target: type[Cython] | None = None
        self.callees = callees or {}
        with self._alone():
            self._read(directives, imports, module)

    def _read(
        self,
        directives: Sequence[str],
        imports: Mapping[str, str],
        module: Module | None,
    ) -> None:
        """Read the text, and what stands on it.

        Args:
            directives, imports, module: as of the class.
        """
        with forks.IMPORTS:
            from looptx.attach import assign
            from looptx.source import beside, others, read, unknown
            from looptx.source.spelling.whole.reading.axes import Ranks

        axes, told = Ranks.of(self.given.axes), self.given.told
        text = self.source.text, self.source.filename, imports, self.callees, axes
        self.module = module or read(*text, told=told, plain=not directives)
        head = self._head(), self._head_line()
        own_directives = tuple(Directive(text, *head) for text in directives)
        self.parts: list[tuple[Kernel, Nest, Sequence[Verb]]] = []
        self.around: list[int] = []
        self._known: list[Known] = []
        left = [error for all in self.module.left_out.values() for error in all]
        outer = min((k.first_line for k in self.module.kernels), default=0)
        for kernel in self.module.kernels:
            own = own_directives if kernel.first_line == outer else ()
            for nest, verbs in assign(kernel, own):
                if not nest.text.applied or verbs:
                    self._add(kernel, nest, verbs)
                else:
                    left.append(transformed(nest))
        if not (left or self.parts):
            left += others(self.module.parsed)
            left = left or [*unknown(self.module.parsed, imports)]
        lines = {error.place.line for error in left if error.place}
        lines |= {
            loop.place.line for kernel in self.module.kernels for loop in tops(kernel)
        }
        self.beside = tuple(beside(self.module.parsed, lines)) if lines else ()
        self.left = sorted(
            left, key=lambda error: error.place.line if error.place else 0
        )
        if own_directives and not self.parts:
            raise next(iter(self.left), None) or Unsupported(
                "LX305",
                "the function has no `for` over `range` that can be scheduled",
                self._head(),
                hint="directives need a loop of the form `for i in range(...)`",
                source=self._head_line(),
            )

    def _add(
        self, kernel: Kernel, nest: Nest, verbs: Sequence[Verb], around: int = -1
    ) -> None:
        """Add a nest, and those inside of it.

        Args:
            kernel: the function. nest: of it. verbs: what schedules it.
            around: the number of the nest that it is inside of.
        """
        number = len(self.parts)
        if self.inexact:
            nest = with_functions(nest)
        self.parts.append((kernel, nest, verbs))
        self.around.append(around)
        self._known.append({})
        for one in nest.host.inside:
            self._add(kernel, one, (), number)

    def take(self, kernel: Kernel, nest: Nest, verbs: Sequence[Verb]) -> None:
        """Have one nest, in place of all.

        Args:
            kernel: the function. nest: of it. verbs: what schedules it.
        """
        self.parts, self.around, self._known = [], [], []
        self._add(kernel, nest, verbs)

    def _head(self) -> Place:
        """Where the function starts."""
        for number, line in enumerate(NEWLINE.split(self.source.text), 1):
            word = line.lstrip()
            if word.startswith(("def ", "async ", "@")):
                return Place(self.source.filename, number, len(line) - len(word) + 1)
        return Place(self.source.filename, 1)

    def _head_line(self) -> str:
        return NEWLINE.split(self.source.text)[self._head().line - 1]

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """One analysis at a time; whatever goes wrong in it is an error of looptx.

        What is half analysed, or within isl, no signal's handler may leave so.
        """
        with LOCK, interrupts.held():
            try:
                yield
            except (LooptxError, *bug_reports.PASSING):
                raise
            except Exception as error:
                found = bug_reports.reported(error, self.source.own)
                raise found.at(self._head()) from None

    def nests(self) -> tuple[NestInfo, ...]:
        """All nests, in source order of their functions."""
        with self._alone():
            tree = parsed(self.source.text)
            return tuple(
                nest_info(*part, around, tree)
                for part, around in zip(self.parts, self.around, strict=True)
            )

    def refusal(self) -> LooptxError | None:
        """Why a schedule is refused whatever the types of the values are, if it is.

        Integers allow most: only their sums may be taken in any order.
        """
        wrong = Together()
        for number, (_, nest, verbs) in enumerate(self.parts):
            arrays = dict.fromkeys(nest.arrays, ArrayType("int64", 1))
            with wrong:
                if verbs:
                    numbers = dict.fromkeys(nest.live_in, ScalarType("int64", True))
                    self._check(number, {**numbers, **arrays})
        errors = [error for error in wrong.found if error.code not in _DOUBTFUL]
        if not errors:
            return None
        first, *more = errors
        first.also = tuple(more)
        return first

    def plan(
        self, number: int, types: Mapping[str, Type], *, checks: bool = True
    ) -> Planned:
        """Prove and generate a nest for certain types.

        Args:
            number: of the nest, in ``parts``.
            types: of the names in ``nest.live_in``, as far as they are known.
            checks: as for ``plan_nest``.

        Raises:
            LooptxError: refused, unknown, or malformed.
        """
        with forks.IMPORTS:
            from looptx.plan import plan_nest

        kernel, nest, verbs = self.parts[number]
        with self._alone():
            given, known = (nest, verbs, kernel.names, types), self._known[number]
            return deeply(lambda: plan_nest(*given, checks=checks, known=known))

    def _check(self, number: int, types: Mapping[str, Type]) -> None:
        """Raise what ``plan`` would of a schedule and these types."""
        with forks.IMPORTS:
            from looptx.plan import check_nest

        kernel, nest, verbs = self.parts[number]
        with self._alone():
            given = nest, verbs, kernel.names, types
            deeply(lambda: check_nest(*given))

    def cython(self, number: int, types: Mapping[str, Type]) -> NestCode:
        """A nest as one of an extension module of its own.

        Raises:
            LooptxError: besides those of ``plan``, LX503 and LX504.
        """
        return self.entry(number, types, ENTRY)

    def entry(self, number: int, types: Mapping[str, Type], name: str) -> NestCode:
        """The functions of a nest.

        Args:
            number: of the nest, in ``parts``.
            types: of all names in ``nest.given``.
            name: of the function to call.

        Raises:
            LooptxError: as for ``cython``.
        """
        with forks.IMPORTS:
            from looptx.lower.nest import check_effects
            from looptx.native.analysis.exception_order import nest_code
            from looptx.native.analysis.made_types import with_made
            from looptx.native.compile.tuned import tuned

        kernel, nest, verbs = self.parts[number]
        types = with_made(nest, types, kernel.imports)
        ranks = self.module.parsed.ranks.get(kernel.qualname, {})
        for array, rank in ranks.items():
            kind = types.get(array)
            if isinstance(kind, ArrayType) and kind.ndim != rank:
                what = f"`{array}` had {rank} axes when the functions of it were read"
                raise Unsupported("LX504", what, nest.place, hint=_ANOTHER)
        if not verbs:
            with self._alone():
                deeply(lambda: check_effects(nest))
        try:
            planned = self.plan(number, types)
        except Unproven as error:
            if verbs:
                raise
            # Loops in the order as written need no proof: Python runs them.
            why = error.message.removeprefix("unknown: ")
            raise Unsupported(
                "LX504",
                f"not compiled natively: {why}",
                nest.place,
                detail=error.detail,
                hint=error.hint,
            ) from None
        with self._alone():
            given = planned, types, name, kernel.imports, self.target or tuned()
            return deeply(lambda: nest_code(*given))

    def python(self, types: Mapping[str, Type] | None = None) -> str:
        """The function rewritten, without looptx's decorator.

        Nests without directives stay as they are.
        """
        return self.written(self.planned(types or {}))

    def planned(self, types: Mapping[str, Type]) -> list[tuple[Kernel, list[Planned]]]:
        """The functions of the text, each with the plans of its scheduled nests.

        Raises:
            LooptxError: refused, unknown, or malformed.
        """
        return [
            (
                kernel,
                [self.plan(at, types, checks=False) for at in self._scheduled(kernel)],
            )
            for kernel in self.module.kernels
        ]

    def written(self, parts: Sequence[tuple[Kernel, Sequence[Planned]]]) -> str:
        """The text with planned nests in the place of those they came from."""
        with forks.IMPORTS:
            from looptx.rewriting import rewritten

        with self._alone():
            return rewritten(self.module, parts).lstrip("\n")

    def instead(self) -> tuple[str, ...]:
        """For each nest the rewritten loops, for any types; "" without directives.

        Raises:
            LooptxError: refused, unknown, or malformed.
        """
        with forks.IMPORTS:
            from looptx.rewriting import nest_lines

        def lines(at: int) -> tuple[str, ...]:
            planned = self.plan(at, {}, checks=False)
            # Names are not watched for what only these lines would call.
            names = replace(planned.nest.names, hidden=WRITTEN)
            nest = replace(planned.nest, names=names)
            with self._alone():
                planned = replace(planned, nest=nest)
                return nest_lines(self.module, self.parts[at][0], planned)

        return tuple(
            "\n".join(lines(at)) if verbs else ""
            for at, (_, _, verbs) in enumerate(self.parts)
        )

    def _scheduled(self, kernel: Kernel) -> list[int]:
        """The numbers of a function's nests that have directives."""
        return [
            at
            for at, (owner, _, verbs) in enumerate(self.parts)
            if owner is kernel and verbs
        ]


def tops(kernel: Kernel) -> Iterator[Loop]:
    """The outermost loops of the nests of a function."""
    for nest in kernel.nests:
        for node in nest.body:
            if isinstance(node, LoopNode):
                yield node.loop


def transformed(nest: Nest) -> LooptxError:
    """Why a nest that holds its schedule already is left as it is."""
    return Malformed(
        "LX111",
        f"nest `{nest.name}` is already transformed",
        nest.place,
        hint="without its `applied` lines it is a nest like others",
    )


def with_functions(nest: Nest) -> Nest:
    """A nest in which other functions may stand for those that it calls."""
    return replace(nest, asked=replace(nest.asked, inexact=True))
