"""``nest``: a name for a loop nest."""

from __future__ import annotations

from dataclasses import dataclass, replace

from looptx.directives.base import Verb, check_clause, fits, join, make
from looptx.language.grammar import Clause
from looptx.language.words import is_identifier
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


def nest(name: str) -> Nest:
    """Name a nest."""
    return make(Nest, name)
