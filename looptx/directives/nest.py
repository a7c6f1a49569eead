"""``nest``: names for loop nests, and for loops and statements inside them."""

from __future__ import annotations

from collections.abc import Sequence

from looptx.directives.base import Verb, check_clause, fits, join, make
from looptx.errors import LooptxError, Malformed
from looptx.language.grammar import Clause
from looptx.language.words import is_identifier
from looptx.model.program import Nest as SourceNest
from looptx.model.program import StatementNode
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Schedule


@dataclass(frozen=True)
class Nest(Verb):
    """Name the nest it stands on, so that ``mm.i`` means its loop i from elsewhere.

    syntax: ``nest NAME``
    rewrite: nothing moves; unnamed nests are ``n0``, ``n1`` ... in source order.
    """

    name: str

    verb = "nest"
    usage = "nest NAME"
    asserts = True

    @classmethod
    def from_clause(cls, clause: Clause) -> Nest:
        """Read ``nest NAME``."""
        check_clause(clause, cls)
        one = clause.operands[0] if len(clause.operands) == 1 else ""
        fits(isinstance(one, str) and is_identifier(one), cls, "takes one name")
        return cls(str(one), place=clause.place, source=clause.source)

    @property
    def text(self) -> str:
        """``nest mm``."""
        return join(self.verb, self.name)

    @property
    def nest_name(self) -> str:
        """The name."""
        return self.name

    def change(self, schedule: Schedule) -> Schedule:
        """Rename the nest."""
        nest = replace(schedule.nest, name=self.name)
        names = {schedule.nest.name: self.name}
        renamed = {names.get(key, key): held for key, held in schedule.groups.items()}
        return replace(schedule, nest=nest, groups=renamed)


def named(
    nests: Sequence[SourceNest], own: Sequence[tuple[Verb, ...]]
) -> tuple[list[SourceNest], list[tuple[Verb, ...]]]:
    """The nests under the names that their directives give to them and what is inside.

    Args:
        nests: all of a function. own: the directives of each.

    Returns:
        The nests, and their directives without those that name what is inside.

    Raises:
        Malformed: LX106 for what cannot be scheduled alone, LX109 for a name of two.
    """
    taken: set[str] = set()
    found: list[SourceNest] = []
    left: list[tuple[Verb, ...]] = []
    for nest, verbs in zip(nests, own, strict=True):
        inside = [v for v in verbs if v.nest_name and v.on != nest.place]
        whole = {v.nest_name: v for v in verbs if v.nest_name and v.on == nest.place}
        name = list(whole or (nest.name,))[-1]
        given = [(name, whole.get(name)), *((v.nest_name, v) for v in inside)]
        for text, verb in given:
            if text in taken:
                raise _taken(text, nest, verb)
            taken.add(text)
        within = {verb.nest_name: _inside(nest, verb) for verb in inside}
        asked = replace(nest.asked, subnests=within)
        found.append(replace(nest, name=name, asked=asked))
        left.append(tuple(v for v in verbs if not v.nest_name or v.on == nest.place))
    return found, left


def _taken(name: str, nest: SourceNest, verb: Verb | None) -> LooptxError:
    """The error for a second nest of one name, which a directive gave it or none."""
    error = Malformed(
        "LX109",
        f"two nests of the function are named `{name}`",
        hint="give one of them another name",
    )
    return verb.located(error) if verb else error.at(nest.place)


def _inside(nest: SourceNest, verb: Verb) -> str | StatementNode:
    """The loop or statement in a nest that a directive is written on. Raises LX106."""
    for kept in nest.text.kept:
        if kept.place == verb.on:
            message = f"`{verb.nest_name}` names a loop that cannot be scheduled"
            why = f"{message}: {kept.reason}"
            raise verb.located(Malformed("LX106", why, hint=kept.hint))
    for name, loop in nest.loops.items():
        if loop.place == verb.on:
            return name
    for name, statement in nest.statements.items():
        if statement.place == verb.on:
            return StatementNode(name)
    raise verb.located(
        Malformed(
            "LX106",
            f"`{verb.nest_name}` does not stand on a single statement of the nest",
            hint="name a whole loop, or a statement that is not part of another one",
        )
    )


def nest(name: str) -> Nest:
    """Name a nest."""
    return make(Nest, name)
