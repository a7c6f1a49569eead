"""``temp``: a local array is kept only as far as it is live."""

from __future__ import annotations

from looptx.directives.base import Verb, dotted_names, join, make
from looptx.directives.names import unknown_array
from looptx.errors import Malformed
from looptx.language.grammar import Clause
from looptx.model.records import dataclass, replace
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
        arrays = dotted_names(clause, cls, "an array")
        return cls(arrays, place=clause.place, source=clause.source)

    @property
    def text(self) -> str:
        """``temp T``."""
        return join(self.verb, *self.arrays)

    @property
    def temporaries(self) -> tuple[str, ...]:
        """The arrays."""
        return self.arrays

    def each(self) -> tuple[Verb, ...]:
        """One for each array."""
        return tuple(replace(self, arrays=(array,)) for array in self.arrays)

    def change(self, schedule: Schedule) -> Schedule:
        """Record the arrays. Raises LX104 for names, LX117 for other arrays."""
        nest = schedule.nest
        for array in self.arrays:
            if array in nest.allocations:
                continue
            if array in nest.escapes.unsuited:
                raise Malformed(
                    "LX117",
                    f"`{array}` is no temporary: it {nest.escapes.unsuited[array]}",
                    hint="temporaries are made by np.zeros, ones, empty or full, and"
                    " for this nest alone",
                )
            raise unknown_array(array, nest.allocations, nest.arrays)
        # What directives made is kept only as far as it is live anyway.
        source = (x for x in self.arrays if nest.allocations[x].first_line)
        temporaries = schedule.temporaries.union(source)
        return replace(schedule, temporaries=temporaries)


def temp(*arrays: str) -> Temp:
    """Keep local arrays only as far as they are live."""
    return make(Temp, *arrays)
