"""``set_buffer``: where a temporary or a buffer lives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from looptx.directives.base import Verb, check, check_clause, fits, join, make
from looptx.directives.names import unknown_array
from looptx.language.grammar import Clause
from looptx.language.words import is_dotted, nearest, shorten
from looptx.model.dtypes import DTYPES
from looptx.model.moves import Cache
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Schedule
from looptx.model.storage import PLACES, Buffer
from looptx.model.types import Type


@dataclass(frozen=True)
class SetBuffer(Verb):
    """Say where a temporary or a buffer lives.

    syntax: ``set_buffer ARRAY local|shared|global``
    rewrite: in Python nothing; in C the stack of a thread, or memory of one allocation.
    """

    array: str
    where: str

    verb = "set_buffer"
    usage = "set_buffer ARRAY local|shared|global"

    @classmethod
    def from_clause(cls, clause: Clause) -> SetBuffer:
        """Read the name of an array and a place."""
        check_clause(clause, cls)
        fits(len(clause.operands) == 2, cls, "takes an array and a place")
        array, where = map(str, clause.operands)
        known = is_dotted(array)
        fits(known, cls, f"needs the name of an array where `{array}` stands")
        near = nearest(where, PLACES)
        check(
            where in PLACES,
            f"`{shorten(where)}` is no place for a buffer",
            f"did you mean `{near}`?" if near else f"places: {', '.join(PLACES)}",
            "LX102",
        )
        return cls(array, where, place=clause.place, source=clause.source)

    @property
    def text(self) -> str:
        """``set_buffer T local``."""
        return join(self.verb, self.array, self.where)

    def change(self, schedule: Schedule) -> Schedule:
        """Record the place. Raises LX104, LX106 for arrays that are no buffers."""
        nest = schedule.nest
        made = {one.buffer for one in schedule.moves if isinstance(one, Cache)}
        known = made | schedule.temporaries
        if self.array not in known:
            used = self.array in nest.arrays
            check(
                not used,
                f"`{self.array}` is neither a `temp` nor a buffer",
                f"write `temp {self.array}` before this"
                if self.array in nest.allocations
                else f"`cache_read {self.array}` makes a buffer for its cells",
            )
            raise unknown_array(self.array, known, nest.arrays)
        where = schedule.memory.get(self.array, self.where)
        check(
            where == self.where,
            f"`{self.array}` has to be {where} already",
            "leave one of the two directives out",
        )
        return replace(schedule, memory={**schedule.memory, self.array: self.where})

    def check_buffers(
        self, buffers: Iterable[Buffer], types: Mapping[str, Type]
    ) -> None:
        """See that the buffer can be where it has to be. Raises LX106."""
        for buffer in buffers:
            if buffer.name == self.array:
                own = buffer.allocation
                dtype = own.dtype(types) if own is not None else ""
                # A number whose type is not known counts as a float.
                size = DTYPES[dtype].size if dtype in DTYPES else DTYPES["float64"].size
                reason = buffer.misplaced(size)
                check(
                    not reason,
                    f"`{buffer.name}` cannot be {buffer.where}: {reason}",
                    "choose another place, or leave this directive out",
                )


def set_buffer(array: str, where: str) -> SetBuffer:
    """Let a temporary or a buffer live in ``"local"``, ``"shared"``, ``"global"``."""
    return make(SetBuffer, array, where)
