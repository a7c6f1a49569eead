"""``trust``: what the user vouches for, unchecked and repeated everywhere."""

from __future__ import annotations

from dataclasses import dataclass, replace

from looptx.directives.base import Verb, check_clause, fits, join, make
from looptx.directives.names import unknown_array
from looptx.errors import Malformed
from looptx.language.grammar import Clause
from looptx.language.words import nearest
from looptx.model.schedule import Schedule

FACTS = ("order", "independent")


@dataclass(frozen=True)
class Trust(Verb):
    """Take the user's word: for the whole order, or that an array never conflicts.

    syntax: ``trust order`` or ``trust independent ARRAY...``
    rewrite: nothing moves; every report and every generated file repeats it.
    """

    fact: str
    arrays: tuple[str, ...] = ()

    verb = "trust"
    usage = "trust order, or trust independent ARRAY..."
    asserts = True

    @classmethod
    def from_clause(cls, clause: Clause) -> Trust:
        """Read the fact and, for ``independent``, the arrays."""
        check_clause(clause, cls)
        fact, *arrays = (str(operand) for operand in clause.operands or ("",))
        if fact not in FACTS:
            near = nearest(fact, FACTS)
            hint = f"did you mean `trust {near}`?" if near else f"usage: `{cls.usage}`"
            raise Malformed(
                "LX102", "`trust` takes `order` or `independent`", hint=hint
            )
        fits(fact != "order" or not arrays, cls, "takes nothing after `order`")
        fits(fact == "order" or bool(arrays), cls, "needs an array after `independent`")
        place, source = clause.place, clause.source
        return cls(fact, tuple(arrays), place=place, source=source)

    @property
    def text(self) -> str:
        """``trust independent A``."""
        return join(self.verb, self.trusted)

    @property
    def trusted(self) -> str:
        """``independent A``."""
        return join(self.fact, *self.arrays)

    def each(self) -> tuple[Verb, ...]:
        """One for each array."""
        parts = tuple(replace(self, arrays=(array,)) for array in self.arrays)
        return parts or (self,)

    def change(self, schedule: Schedule) -> Schedule:
        """Record it."""
        if self.fact == "order":
            return replace(schedule, trust_order=True)
        known = schedule.nest.arrays
        for array in self.arrays:
            if array not in known:
                raise unknown_array(array, known, known)
        independent = schedule.independent.union(self.arrays)
        return replace(schedule, independent=independent)


def trust(fact: str, *arrays: str) -> Trust:
    """Vouch for the order (``"order"``) or for arrays (``"independent", "A"``)."""
    return make(Trust, fact, *arrays)
