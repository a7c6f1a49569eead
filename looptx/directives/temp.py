"""``temp``: a local array is kept only as far as it is live."""

from __future__ import annotations

from dataclasses import dataclass, replace

from looptx.directives.base import Verb, check_clause, fits, join, make
from looptx.errors import Malformed
from looptx.language.grammar import Clause
from looptx.language.words import is_dotted, nearest
from looptx.model.schedule import Schedule


@dataclass(frozen=True)
class Temp(Verb):
    """Shrink arrays that only this nest uses to what is live at a time.

    syntax: ``temp ARRAY...``
    rewrite: ``T = np.zeros((n, m))`` before a nest with ``T[i, j]`` -> a block, or one.
    """

    arrays: tuple[str, ...]

    verb = "temp"
    usage = "temp ARRAY..."

    @classmethod
    def from_clause(cls, clause: Clause) -> Temp:
        """Read the names of arrays."""
        check_clause(clause, cls)
        fits(bool(clause.operands), cls, "needs the name of an array")
        for operand in clause.operands:
            fits(
                isinstance(operand, str) and is_dotted(operand),
                cls,
                f"needs the name of an array where `{operand}` stands",
            )
        arrays = tuple(str(operand) for operand in clause.operands)
        return cls(arrays, place=clause.place, source=clause.source)

    @property
    def text(self) -> str:
        """``temp T``."""
        return join(self.verb, *self.arrays)

    @property
    def temporaries(self) -> tuple[str, ...]:
        """The arrays."""
        return self.arrays

    def change(self, schedule: Schedule) -> Schedule:
        """Record the arrays. Errors: LX104 for names, LX117 for other arrays."""
        nest = schedule.nest
        for array in self.arrays:
            if array in nest.allocations:
                continue
            near = nearest(array, nest.allocations)
            if array in nest.unsuited:
                raise Malformed(
                    "LX117",
                    f"`{array}` is no temporary: it {nest.unsuited[array]}",
                    hint="temporaries are made by np.zeros, ones, empty or full, and"
                    " for this nest alone",
                )
            raise Malformed(
                "LX104",
                f"no array `{array}` is used in the nest",
                detail=(f"arrays: {', '.join(nest.arrays)}",) if nest.arrays else (),
                hint=f"did you mean `{near}`?" if near else "name an array",
            )
        temporaries = schedule.temporaries.union(self.arrays)
        return replace(schedule, temporaries=temporaries)


def temp(*arrays: str) -> Temp:
    """Keep local arrays only as far as they are live."""
    return make(Temp, *arrays)
