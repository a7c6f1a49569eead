"""``reassociate``: a reduction may be combined in another order."""

from __future__ import annotations

from dataclasses import dataclass, replace

from looptx.directives.base import Verb, dotted_names, join, make
from looptx.errors import Malformed
from looptx.language.grammar import Clause
from looptx.language.words import suggestion
from looptx.model.schedule import Schedule

_EXAMPLE = "a reduction is, for example, `s += x` or `s = max(s, x)`"


@dataclass(frozen=True)
class Reassociate(Verb):
    """Allow ``s += x`` to add in another order: the last bits of a float may change.

    syntax: ``reassociate TARGET...``
    rewrite: nothing moves; the proof lets reductions into the targets run in any order.
    """

    targets: tuple[str, ...]

    verb = "reassociate"
    usage = "reassociate TARGET..."
    asserts = True

    @classmethod
    def from_clause(cls, clause: Clause) -> Reassociate:
        """Read the names of scalars or arrays."""
        targets = dotted_names(clause, cls, "a sum")
        return cls(targets, place=clause.place, source=clause.source)

    @property
    def text(self) -> str:
        """``reassociate s``."""
        return join(self.verb, *self.targets)

    def each(self) -> tuple[Verb, ...]:
        """One for each target."""
        return tuple(replace(self, targets=(target,)) for target in self.targets)

    def change(self, schedule: Schedule) -> Schedule:
        """Record the targets. Raises LX104, LX110."""
        nest = schedule.nest
        found = [statement.reduction for statement in nest.statements.values()]
        sums = tuple(dict.fromkeys(red.target.array for red in found if red))
        for target in self.targets:
            if target in sums:
                continue
            exists = target in (*nest.arrays, *nest.scalars)
            what = "is not reduced" if exists else "is not assigned"
            raise Malformed(
                "LX110" if exists else "LX104",
                f"`{target}` {what} in the nest",
                detail=(f"reductions: {', '.join(sums)}",) if sums else (),
                hint=suggestion(target, sums, _EXAMPLE),
            )
        return replace(schedule, reassociate=schedule.reassociate.union(self.targets))


def reassociate(*targets: str) -> Reassociate:
    """Allow the reductions into ``targets`` to be combined in another order."""
    return make(Reassociate, *targets)
