"""``assume``: a fact that is used by the proof and checked on entry."""

from __future__ import annotations

from looptx.directives.base import Verb, from_text, join
from looptx.errors import Malformed
from looptx.language.conditions import parse_condition
from looptx.language.grammar import Clause
from looptx.language.words import suggestion
from looptx.model.expr import Cond, IntExpr, Var, rewrite_cond, variables
from looptx.model.program import Nest as SourceNest
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Schedule
from looptx.model.shapes import owner


@dataclass(frozen=True)
class Assume(Verb):
    """State a condition over sizes; when it is false the original function runs.

    syntax: ``assume CONDITION`` (affine comparisons, ``%`` by a literal, ``and``)
    rewrite: nothing moves; ``if n % 32 == 0:`` new loops ``else:`` the original loops
    """

    condition: str
    cond: Cond

    verb = "assume"
    usage = "assume CONDITION"
    asserts = True

    @classmethod
    def from_clause(cls, clause: Clause) -> Assume:
        """Parse the condition."""
        cond = parse_condition(clause.rest)
        return cls(clause.rest, cond, place=clause.place, source=clause.source)

    @property
    def text(self) -> str:
        """``assume n % 32 == 0``."""
        return join(self.verb, self.condition)

    @property
    def assumed(self) -> Cond:
        """The condition."""
        return self.cond

    def change(self, schedule: Schedule) -> Schedule:
        """Add the condition, its names known and in their canonical form."""
        nest = schedule.nest
        canonical: dict[IntExpr, IntExpr] = {}
        for name in variables(self.cond):
            _check_known(name, schedule)
            canonical[Var(name)] = Var(nest.entry.equal.get(name, name))
        cond = rewrite_cond(self.cond, canonical)
        return replace(schedule, assumes=(*schedule.assumes, cond))


def _check_known(name: str, schedule: Schedule) -> None:
    """Check that a name has one integer value before the nest. Raises LX104."""
    nest = schedule.nest
    inner = {loop.var for loop in nest.loops.values()} | set(nest.scalars)
    if name in inner:
        raise Malformed(
            "LX104",
            f"`{name}` changes inside the nest",
            hint="`assume` takes arguments, shapes and integers known before the nest",
        )
    known = _known(nest)
    root = name.partition(".")[0]
    shaped = owner(name)
    if name in known or shaped in (*nest.arrays, *nest.live_in):
        return
    if root == name and root in schedule.taken and root not in nest.arrays:
        return
    raise Malformed(
        "LX104",
        f"`{name}` is no integer known before the nest",
        detail=(f"known: {', '.join(known)}",) if known else (),
        hint=suggestion(name, known, "name an argument or a shape"),
    )


def _known(nest: SourceNest) -> list[str]:
    """Integer parameters, their other spellings, and what may be one."""
    names = dict.fromkeys(
        (*nest.parameters, *nest.entry.equal, *nest.entry.equal.values())
    )
    others = [name for name in nest.live_in if name not in nest.arrays]
    return list(dict.fromkeys((*names, *others)))


def assume(condition: str) -> Assume:
    """State a condition, for example ``assume("n % 32 == 0")``."""
    return from_text(Assume, f"{Assume.verb} {condition}")
