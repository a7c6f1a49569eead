"""``trust``: what the user vouches for, unchecked and repeated everywhere."""

from __future__ import annotations

from looptx.directives.base import Verb, check_clause, fits, join, make
from looptx.directives.names import free_name, unknown_array, used
from looptx.errors import Malformed, Unproven
from looptx.language.grammar import Clause
from looptx.language.words import nearest
from looptx.model.expr import TRUE
from looptx.model.moves.promises import promised
from looptx.model.program import Nest
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Schedule
from looptx.poly.bounds import enough
from looptx.poly.budget import budget
from looptx.poly.spaces import Spaces

_INDEPENDENT, _ORDER, _SCRATCH = "independent", "order", "scratch"
FACTS = (_ORDER, _INDEPENDENT, _SCRATCH)


@dataclass(frozen=True)
class Trust(Verb):
    """Take the user's word: for the order, for what never conflicts, or for what nobody
    looks at.

    syntax: ``trust order``, ``trust independent ARRAY...``, ``trust scratch ARRAY...``
    rewrite: only ``scratch`` moves something: to memory of the nest's own; every report
    and every generated file repeats what is trusted.
    """

    fact: str
    arrays: tuple[str, ...] = ()

    verb = "trust"
    usage = "trust order, or trust independent ARRAY..., or trust scratch ARRAY..."
    asserts = True

    @classmethod
    def from_clause(cls, clause: Clause) -> Trust:
        """Read the fact and, where it is one of arrays, these."""
        check_clause(clause, cls)
        fact, *arrays = (str(operand) for operand in clause.operands or ("",))
        if fact not in FACTS:
            near = nearest(fact, FACTS)
            hint = f"did you mean `trust {near}`?" if near else f"usage: `{cls.usage}`"
            raise Malformed(
                "LX102", "`trust` takes `order`, `independent` or `scratch`", hint=hint
            )
        fits(fact != _ORDER or not arrays, cls, "takes nothing after `order`")
        fits(fact == _ORDER or bool(arrays), cls, f"needs an array after `{fact}`")
        place, source = clause.place, clause.source
        return cls(fact, tuple(arrays), place=place, source=source)

    @property
    def text(self) -> str:
        """``trust scratch A``."""
        return join(self.verb, self.trusted)

    @property
    def trusted(self) -> str:
        """``scratch A``."""
        return join(self.fact, *self.arrays)

    def each(self) -> tuple[Verb, ...]:
        """One for each array."""
        parts = tuple(replace(self, arrays=(array,)) for array in self.arrays)
        return parts or (self,)

    def made(self, nest: Nest) -> tuple[str, ...]:
        """The arrays that get memory of the nest's own."""
        del nest
        return self.arrays if self.fact == _SCRATCH else ()

    def change(self, schedule: Schedule) -> Schedule:
        """Record it."""
        if self.fact == _ORDER:
            return replace(schedule, trust_order=True)
        known = schedule.nest.arrays
        for array in self.arrays:
            if array not in known:
                raise unknown_array(array, known, known)
            if self.fact == _SCRATCH:
                schedule = _with_scratch(schedule, array)
        if self.fact == _SCRATCH:
            return schedule
        independent = schedule.independent.union(self.arrays)
        return replace(schedule, independent=independent)


def _with_scratch(schedule: Schedule, array: str) -> Schedule:
    """The schedule in which an argument has memory of the nest's own.

    Where that of the caller is too short the original runs, and raises.

    Raises:
        Malformed: LX117 where somebody may look at it afterwards.
        Unproven: LX207 where it always is too short.
    """
    nest = schedule.nest
    why = nest.escapes.seen.get(array, "")
    pairs = [pair for pair in nest.aliases if array in pair]
    if not why and pairs:
        why = f"may share memory with `{min(pairs[0] - {array}, default=array)}`"
    if why:
        raise Malformed(
            "LX117",
            f"what `{array}` holds after the nest may matter: it {why}",
            hint="leave it out, or use the cells of an argument in this nest alone",
        )
    if array in schedule.scratch:
        return schedule
    nest = promised(nest, (array,))
    with budget():
        spaces = Spaces(nest, schedule.assumes, frozenset((array,)), known=True)
        inside = enough(spaces, array)
    if inside is None:
        raise Unproven(
            "LX207",
            f"unknown: what `{array}` holds: it is used outside of its size",
            hint="use subscripts from 0 on, inside the array",
        )
    last = array.rpartition(".")[2]
    name = free_name(f"{last}_scratch", used(schedule))
    return replace(
        schedule,
        nest=nest,
        assumes=schedule.assumes if inside == TRUE else (*schedule.assumes, inside),
        temporaries=schedule.temporaries | {array},
        scratch={**schedule.scratch, array: name},
        taken=schedule.taken | {name},
    )


def trust(fact: str, *arrays: str) -> Trust:
    """Vouch for the order (``"order"``) or for arrays (``"scratch", "A"``)."""
    return make(Trust, fact, *arrays)
