"""What running a nest needs to know of it, without what analysed it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from looptx.errors import LooptxError
from looptx.model.naming import called, mangled
from looptx.model.nests.held import held
from looptx.model.program import Kernel, LoopNode, Nest
from looptx.model.records import dataclass, field, replace
from looptx.native.runtime import ALONE, GIVEN, Bare, Site

if TYPE_CHECKING:
    from looptx.directives.base import Verb


@dataclass(frozen=True, slots=True)
class NestInfo:
    """What running a nest needs to know of it; kept in the cache.

    Attributes:
        label: the function's and the nest's names, for reports.
        line, column: of its ``for``, in the file, from 1; ``last`` of its last one.
        hoisted, sunk: as in ``Nest``. late: the lines that allocate its temporaries.
        bare: as in ``Site``.
        live_in, live_out: as in ``Nest``.
        written: the arrays it writes.
        directives: the directives that schedule it, one text.
        trusted: what the user vouched for.
        parallel: whether several threads are asked for.
        implied: whether it is one statement of the source, without directives.
        returns, tried: as in ``Nest``.
        around: the number of the nest that this is inside of; -1 where it is in none.
        parts, then, assigned, owner: as in ``Hosting``.
        held: the names that may be those of lists and tuples; the numbers are so deep.
        opaque: why no version takes any values, if a statement may do anything.
    """

    label: str
    line: int
    live_in: tuple[str, ...]
    live_out: tuple[str, ...]
    written: tuple[str, ...]
    directives: str = ""
    trusted: tuple[str, ...] = ()
    parallel: bool = False
    last: int = 0
    hoisted: tuple[tuple[int, int], ...] = ()
    sunk: tuple[tuple[int, int], ...] = ()
    late: tuple[tuple[int, int], ...] = ()
    returns: tuple[str, ...] = ()
    implied: bool = False
    tried: bool = False
    around: int = -1
    parts: Mapping[str, str] = field(default_factory=dict)
    then: tuple[str, ...] = ()
    assigned: tuple[str, ...] = ()
    owner: str = ""
    opaque: str = ""
    column: int = 0
    held: Mapping[str, int] = field(default_factory=dict)
    bare: tuple[Bare, ...] = ()

    @property
    def silent(self) -> bool:
        """Whether nobody is told where it runs as Python."""
        return self.implied or self.tried

    def site(self, call: str) -> Site:
        """Where and how the nest is called."""
        parts, more = self.parts, (self.assigned, self.owner)
        given = tuple(parts.get(name) or data(name, *more) for name in self.live_in)
        lines = self.last, self.hoisted, self.sunk, self.late, ""
        behind = self.returns, self.then
        rest = *lines, *behind, "", self.column, self.bare
        return Site(self.line, call, given, self.live_out, *rest)

    def moved(self, lines: int) -> NestInfo:
        """The same of a function that stands so many lines further down."""

        def each(ranges: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
            return tuple((low + lines, high + lines) for low, high in ranges)

        return replace(
            self,
            line=self.line + lines,
            last=self.last + lines,
            hoisted=each(self.hoisted),
            sunk=each(self.sunk),
            late=each(self.late),
            bare=tuple((one[0] + lines, *one[1:]) for one in self.bare),
        )

    def as_record(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)

    @staticmethod
    def from_record(record: Mapping[str, Any]) -> NestInfo:
        """The value of a JSON form.

        Raises:
            KeyError, TypeError, ValueError: it is none.
        """
        fields = dict(record)
        for name in ("live_in", "live_out", "written", "trusted", "returns"):
            fields[name] = tuple(fields[name])
        for name in ("then", "assigned"):
            fields[name] = tuple(fields[name])
        for name in ("hoisted", "sunk", "late"):
            fields[name] = tuple((low, high) for low, high in fields[name])
        fields["bare"] = tuple(
            (*one, tuple(left), tuple(owners)) for *one, left, owners in fields["bare"]
        )
        return NestInfo(**fields)


def nest_info(
    kernel: Kernel,
    nest: Nest,
    verbs: Sequence[Verb],
    around: int = -1,
    tree: ast.Module | None = None,
) -> NestInfo:
    """What running ``nest`` needs to know of it.

    Args:
        kernel: the function. nest: of it. verbs: what schedules the nest.
        around: as in ``NestInfo``.
        tree: the function, where its nests may be given lists.
    """
    from looptx.directives.facts.nests import temporaries

    line = nest.first.place.line
    last = max(nest.text.reached, *_lines(nest))
    callees = nest.names.callees
    meanings = {**kernel.imports, **dict(kernel.parameters)}
    given = callees, meanings, {*_lists_made(nest)}
    depth = {} if tree is None else held(tree, line, last, *given)
    return NestInfo(
        label=f"{kernel.qualname}.{nest.name}",
        line=line,
        column=nest.first.place.column,
        live_in=nest.given,
        live_out=(*nest.live_out, *nest.host.gives.values()),
        written=tuple(sorted(nest.written)),
        directives=" | ".join(verb.text for verb in verbs),
        trusted=tuple(verb.text for verb in verbs if verb.trusted),
        parallel=any(verb.parallel for verb in verbs),
        last=last,
        hoisted=nest.text.hoisted,
        sunk=nest.text.sunk,
        returns=nest.host.returns,
        implied=not verbs and (nest.host.quiet or is_implied(nest)),
        tried=nest.host.tried,
        around=around,
        parts={**nest.host.parts, **dict(_alone(nest))},
        then=nest.host.then,
        assigned=nest.host.assigned,
        owner=nest.host.owner,
        opaque="" if verbs else _opaque(nest),
        held={x: depth[called(x)] for x in nest.given if called(x) in depth},
        late=tuple((own.first_line, own.last_line) for own in temporaries(nest, verbs)),
        bare=tuple(_bare(nest)),
    )


def data(name: str, assigned: Sequence[str], owner: str) -> str:
    """Python for a (dotted) name, which is to be data.

    Args:
        name: it. assigned, owner: as of ``NestInfo``.
    """
    text, *attributes = name.split(".")
    for one in attributes:
        more = f", {assigned!r}" if assigned else ""
        text = f"{GIVEN}({text}, {mangled(one, owner)!r}{more})"
    return text


def _alone(nest: Nest) -> Iterator[tuple[str, str]]:
    """What nests are given for lists that they append to, if these are no others.

    What is appended is not seen in what else the nest reads, or in what is in that.
    """
    host = nest.host
    numbers = nest.entry.starts.keys() - {*nest.arrays}
    others = (x for x in nest.given if x not in host.parts and x not in numbers)
    read = [data(one, host.assigned, host.owner) for one in others]
    for count, name in host.collected.items():
        sure = f"{ALONE}({', '.join((name, *read))})"
        yield count, f"({host.parts[count]}) if {sure} else ().__eq__(0)"


def _bare(nest: Nest) -> Iterator[Bare]:
    """The arrays that need not be filled in front of a nest."""
    from looptx.poly.overwritten import overwritten

    for one, made, left in overwritten(nest):
        text = f"{one.array} = {one.call}"
        yield made.first_line, text, one.value, left, one.owners


def _lines(nest: Nest) -> list[int]:
    """The lines in which the loops of a nest begin."""
    return [x.loop.place.line for x in nest.body if isinstance(x, LoopNode)]


def _opaque(nest: Nest) -> str:
    """Why a nest that nothing schedules cannot be native, whatever it is given."""
    from looptx.lower.nest import check_effects

    try:
        check_effects(nest)
    except LooptxError as error:
        return error.message.removeprefix("not compiled natively: ")
    return ""


def is_implied(nest: Nest) -> bool:
    """Whether the source has one statement on arrays for a nest, and no loop."""
    parts = nest.statements.values()
    alone = all(one.place == nest.place for one in parts)
    return alone and any(one.elementwise for one in parts)


def _lists_made(nest: Nest) -> Iterator[str]:
    """The lists of a nest that its loops make, and Python in front of it."""
    for name, text in nest.host.parts.items():
        made = ast.parse(text, mode="eval").body if "[" in text else None
        made = made.value if isinstance(made, ast.NamedExpr) else made
        match made.body if isinstance(made, ast.IfExp) else made:
            case ast.List() | ast.ListComp() | ast.BinOp(ast.List(), ast.Mult()):
                yield name
