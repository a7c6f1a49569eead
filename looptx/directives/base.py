"""What every directive is: a frozen value with a text and an effect on a schedule."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import ClassVar, TypeVar

from looptx.directives.barriers import arrived
from looptx.directives.fusing import check_fusing
from looptx.directives.names import find, told_apart
from looptx.directives.nested import check_nested
from looptx.errors import LooptxError, Malformed, Place
from looptx.language import grammar, words
from looptx.language.grammar import Clause, Operand
from looptx.model.dims import source_loops
from looptx.model.expr import TRUE, Cond
from looptx.model.expr.measure import nodes
from looptx.model.moves import Step
from looptx.model.nests.applied import Applied
from looptx.model.program import Directive, Nest
from looptx.model.records import dataclass, field, replace
from looptx.model.schedule import Dim, Schedule, bands
from looptx.model.storage import Buffer
from looptx.model.tree import settle_owners
from looptx.model.types import Type

LARGEST_POSITION = 4000
"""Positions with more nodes than this are refused: they grow with every directive."""

V = TypeVar("V", bound="Verb")


@dataclass(frozen=True)
class Verb(ABC):
    """A directive. Subclasses say their syntax, their text, and what they change.

    ``on`` is the loop it is written on, if it is; ``within`` the nest of that loop,
    where several are scheduled together.
    """

    place: Place | None = field(default=None, compare=False, repr=False, kw_only=True)
    source: str = field(default="", compare=False, repr=False, kw_only=True)
    on: Place | None = field(default=None, compare=False, repr=False, kw_only=True)
    within: str = field(default="", compare=False, repr=False, kw_only=True)

    verb: ClassVar[str]
    usage: ClassVar[str]

    asserts: ClassVar[bool] = False
    """Whether it only says something of the nest, and schedules nothing."""

    parallel: ClassVar[bool] = False
    """Whether it asks for several threads."""

    @classmethod
    @abstractmethod
    def from_clause(cls: type[V], clause: Clause) -> V:
        """Read the operands. Raises LX102 for the grammar, LX103 for numbers."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The directive as a user would write it; parsing it gives an equal value."""

    @property
    def loops(self) -> tuple[str, ...]:
        """The loops it names, as written (``i``, ``mm.i``, ``j#2``)."""
        return ()

    @property
    def nest_name(self) -> str:
        """The name it gives to the nest it stands on."""
        return ""

    @property
    def key(self) -> str:
        """What finds the directives that stand for it; empty if it does itself."""
        return ""

    @property
    def joins(self) -> tuple[str, ...]:
        """The nests that it makes one."""
        return ()

    def reaches(self, nests: Sequence[Nest]) -> tuple[str, ...]:
        """Further nests that it makes one with those, of all in the function."""
        return ()

    def invites(self, nests: Sequence[Nest]) -> tuple[str, ...]:
        """Further nests that may be made one with those, where that is possible."""
        return ()

    def made(self, nest: Nest) -> tuple[str, ...]:
        """The arrays whose allocation a nest takes over."""
        return self.temporaries

    @property
    def makes(self) -> tuple[str, ...]:
        """The names that nests which it adds may have."""
        return ()

    def makes_of(self, nest: Nest) -> tuple[str, ...]:
        """The names that nests which it adds have where none are given."""
        del nest
        return ()

    @property
    def uses(self) -> tuple[str, ...]:
        """The arrays that it names, which its nest has to use."""
        return ()

    @property
    def assumed(self) -> Cond:
        """What it says of sizes, as written."""
        return TRUE

    @property
    def temporaries(self) -> tuple[str, ...]:
        """The arrays whose allocation the nest takes over."""
        return ()

    @property
    def trusted(self) -> str:
        """What it asserts that nothing checks: ``order``, ``scratch A``."""
        return ""

    @property
    def thresholds(self) -> Mapping[str, tuple[int, ...]]:
        """``{loop: the trip counts at which its loops change their form}``."""
        return {}

    @property
    def parameters(self) -> frozenset[str]:
        """The names in its values: of loops, or of sizes."""
        return frozenset()

    def each(self) -> tuple[Verb, ...]:
        """Directives that mean the same together, each about one of what it names."""
        return (self,)

    def weaker(self, before: Schedule) -> Iterator[tuple[Verb, str]]:
        """Directives that ask for less, each with how: the strongest first."""
        return iter(())

    @abstractmethod
    def change(self, schedule: Schedule) -> Schedule:
        """The schedule after this directive, ``applied`` not yet extended."""

    def check_types(
        self,
        steps: Sequence[Step],
        final: Schedule,
        types: Mapping[str, Type],
        exact: frozenset[str],
        integers: frozenset[str],
    ) -> None:
        """See what no schedule tells without the types of what the nest uses.

        Args:
            steps: those that this directive has added to the schedule.
            final: the schedule after all directives.
            types: what is known of names where the nest starts.
            exact: targets that may be combined in any order. integers: those of them
                that are integers.

        Raises:
            LooptxError: the directive asks for what these types do not allow.
        """
        del steps, final, types, integers

    def check_buffers(
        self, buffers: Iterable[Buffer], types: Mapping[str, Type]
    ) -> None:
        """See that the buffers of a final schedule are as this directive says.

        Args:
            buffers: all of them.
            types: what is known of the names the nest reads.

        Raises:
            LooptxError: one is not.
        """
        del buffers, types

    def apply(self, schedule: Schedule) -> Schedule:
        """The schedule after this directive.

        Raises LX104, LX105 for names, LX106 for structure, LX109 for new names,
        each at the directive's place. Whether the order is legal is not asked here.
        """
        try:
            within = replace(schedule, within=self.within)
            distinct = told_apart(within, self.loops)
            changed = settle_owners(arrived(self.change(distinct)))
            check_fusing(changed)
            check_nested(changed)
            _check_growth(changed)
        except LooptxError as error:
            raise self.located(error) from None
        return replace(changed, applied=(*changed.applied, self._applied(distinct)))

    def _applied(self, before: Schedule) -> Applied:
        """What a schedule keeps of the directive; ``before`` is the one it changed."""
        found: dict[str, frozenset[int]] = {}
        for name, counts in self.thresholds.items():
            for loop in source_loops(before, find(before, name).uid):
                found[loop] = found.get(loop, frozenset()).union(counts)
        return Applied(self.text, self.place, self.source, self.trusted, found)

    def calls(self, schedule: Schedule, dim: Dim, nest: str = "") -> str:
        """A name for a dimension that is accepted in the place of this directive.

        Args:
            schedule: the schedule. dim: one of its dimensions.
            nest: whose name is to be in it, if that is possible.

        Returns:
            The shortest: bare, with a number, or with a nest; empty where none selects
            the dimension.
        """
        same = [band.dim for band in bands(schedule.tree) if band.dim.name == dim.name]
        bare = [dim.name, *(f"{dim.name}#{at}" for at, _ in enumerate(same, 1))]
        groups = sorted(schedule.groups.items(), key=lambda x: len(x[1].statements))
        nests = [name for name, _ in groups if words.is_identifier(name)]
        nests.sort(key=lambda name: name != nest)
        texts = [f"{name}.{loop}" for name in nests for loop in bare]
        # Above a function the loops of all its nests are meant.
        if self.on is not None or dim.name not in schedule.nest.asked.elsewhere:
            texts = texts + bare if nest in nests else bare + texts
        for text in texts:
            with suppress(Malformed):
                if find(replace(schedule, within=self.within), text).uid == dim.uid:
                    return text
        return ""

    def located(self, error: LooptxError) -> LooptxError:
        """An error at this directive, unless it has a place already."""
        place = self.place
        return error.at(place, self.source, self.text) if place else error


@dataclass(frozen=True)
class LoopVerb(Verb):
    """A directive about one loop."""

    loop: str

    @property
    def loops(self) -> tuple[str, ...]:
        """The loop."""
        return (self.loop,)


def _check_growth(schedule: Schedule) -> None:
    values = (value for own in schedule.position.values() for value in own.values())
    check(
        all(nodes(value, LARGEST_POSITION) < LARGEST_POSITION for value in values),
        "the combination of splits and skews is too complex",
        "use fewer directives on this nest",
    )


def check(condition: bool, message: str, hint: str, code: str = "LX106") -> None:
    """Raise ``Malformed`` unless ``condition``; a structural rule in one line."""
    if not condition:
        raise Malformed(code, message, hint=hint)


def check_clause(
    clause: Clause,
    kind: type[Verb],
    *,
    options: Sequence[str] = (),
    names: bool = False,
) -> None:
    """Check what a clause has beside its operands: only known options, names or none.

    Raises LX102.
    """
    for key in clause.options:
        if key not in options:
            hint = words.suggestion(key, options, f"usage: `{kind.usage}`")
            message = f"`{kind.verb}` has no option `{words.shorten(key)}`"
            raise Malformed("LX102", message, hint=hint)
    fits(names or not clause.names, kind, "takes no `as` names")


def fits(condition: bool, kind: type[Verb], message: str) -> None:
    """Raise LX102 with the verb's usage unless ``condition``."""
    check(condition, f"`{kind.verb}` {message}", f"usage: `{kind.usage}`", "LX102")


def loop_name(operand: Operand, kind: type[Verb]) -> str:
    """An operand that names a loop. Raises LX102."""
    known = isinstance(operand, str) and words.is_loop(operand)
    fits(known, kind, f"needs the name of a loop where `{operand}` stands")
    return str(operand)


def dotted_names(clause: Clause, kind: type[Verb], what: str) -> tuple[str, ...]:
    """The operands of a clause, each the name of an array or scalar.

    Args:
        clause: the clause. kind: its verb. what: they name, for messages: ``a sum``.

    Raises:
        Malformed: LX102.
    """
    check_clause(clause, kind)
    fits(bool(clause.operands), kind, f"needs the name of {what}")
    for one in clause.operands:
        known = isinstance(one, str) and words.is_dotted(one)
        fits(known, kind, f"needs the name of {what} where `{one}` stands")
    return tuple(str(operand) for operand in clause.operands)


def bounded(
    value: Operand, what: str, least: int = 1, most: int = words.LIMIT - 1
) -> int:
    """An operand that is an integer from ``least`` to ``most``. Raises LX103."""
    if not isinstance(value, int):
        raise Malformed(
            "LX103",
            f"the {what} `{value}` is not an integer",
            hint=f"write an integer of at least {least}",
        )
    side = f"at least {least}" if value < least else f"at most {most}"
    wrong, hint = f"the {what} {value} is out of range", f"write an integer of {side}"
    check(least <= value <= most, wrong, hint, "LX103")
    return value


def join(*parts: object, names: Sequence[str] = (), **options: object) -> str:
    """Canonical text from its parts; empty options are left out."""
    words_ = [str(part) for part in parts]
    words_ += [f"{key}={value}" for key, value in options.items() if value]
    return " ".join((*words_, "as", *names) if names else words_)


def make(
    kind: type[V],
    *operands: object,
    options: Mapping[str, object] | None = None,
    names: Sequence[str] = (),
) -> V:
    """A directive from Python values, through the one parser.

    Raises those of ``from_clause``, and LX102, LX103 for values that are no words.
    """
    parts = [kind.verb, *(_word(operand) for operand in operands)]
    for key, value in (options or {}).items():
        parts.append(f"{_word(key)}={_word(value)}")
    if names:
        parts += ["as", *(_word(name) for name in names)]
    return from_text(kind, " ".join(parts))


def from_text(kind: type[V], text: str) -> V:
    """A directive without a place from the text of one clause."""
    try:
        clauses = grammar.parse(Directive(text, Place("<python>", 1)))
        fits(len(clauses) == 1, kind, "is one directive, without `|`")
        return replace(kind.from_clause(clauses[0]), place=None, source="")
    except Malformed as error:
        error.place = None
        raise


def given(**options: object) -> dict[str, object]:
    """The options that are not None."""
    return {key: value for key, value in options.items() if value is not None}


def _word(value: object) -> str:
    """A Python value as one word of a directive."""
    if isinstance(value, str):
        check(
            value.split() == [value] and value != "as" and not set(value) & set("|="),
            f"`{words.shorten(value)}` is not one word of a directive",
            "pass each name as a string of its own",
            "LX102",
        )
        return value
    if not isinstance(value, bool):
        try:
            number = operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            pass
        else:
            if abs(number) >= words.LIMIT:
                raise words.too_large(words.shorten(f"{number:#x}"))
            return str(number)
    raise Malformed(
        "LX103",
        f"`{words.shorten(repr(value))}` is neither a name nor an integer",
        hint="pass names as strings and sizes as integers",
    )
