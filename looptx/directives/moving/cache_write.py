"""``cache_write``: an iteration writes into a buffer, which is copied at its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from looptx.directives.base import (
    Verb,
    check_clause,
    fits,
    join,
    loop_name,
    make,
)
from looptx.directives.moving.buffering import Request, buffered
from looptx.language.grammar import Clause
from looptx.language.words import is_dotted, is_identifier
from looptx.model.records import dataclass
from looptx.model.schedule import Schedule

_AT = "at"
_PACKED = "packed"


@dataclass(frozen=True)
class CacheWrite(Verb):
    """Keep the cells that an iteration of a loop writes in a buffer until its end.

    syntax: ``cache_write ARRAY [at LOOP] [packed] [as NAME]``
    rewrite: ``for i: .. C[i] += ..`` -> ``for i: .. C_cache += ..; C[i] = C_cache``
    """

    array: str
    loop: str = ""
    name: str = ""
    packed: bool = False
    cell: str = ""

    verb = "cache_write"
    usage = "cache_write ARRAY [at LOOP] [packed] [as NAME]"
    writes: ClassVar[bool] = True

    @classmethod
    def from_clause(cls, clause: Clause) -> CacheWrite:
        """Read an array, perhaps a loop, perhaps a name."""
        check_clause(clause, cls, names=True)
        given, *rest = clause.operands or ("",)
        array, bracket, _ = str(given).partition("[")
        known = isinstance(given, str) and is_dotted(array)
        whole = not bracket or (str(given).endswith("]") and not cls.writes)
        fits(known and whole, cls, f"needs the name of an array where `{given}` stands")
        packed = rest[-1:] == [_PACKED]
        rest = rest[:-1] if packed else rest
        fits(
            not rest or (len(rest) == 2 and rest[0] == _AT),
            cls,
            "takes an array, `at` a loop, and `packed`",
        )
        fits(len(clause.names) < 2, cls, "makes one buffer: give one name")
        loop = loop_name(rest[1], cls) if rest else ""
        name = clause.names[0] if clause.names else ""
        place, source = clause.place, clause.source
        cell = given if bracket else ""
        return cls(array, loop, name, packed, str(cell), place=place, source=source)

    @property
    def text(self) -> str:
        """``cache_write A at i as P``."""
        operands = asked(self.cell or self.array, self.loop, self.packed)
        return join(self.verb, *operands, names=(self.name,) if self.name else ())

    @property
    def loops(self) -> tuple[str, ...]:
        """The loop."""
        return (self.loop,) if self.loop else ()

    @property
    def uses(self) -> tuple[str, ...]:
        """The array."""
        return (self.array,)

    @property
    def makes(self) -> tuple[str, ...]:
        """The nests that copy."""
        name = self.name or f"{self.array.rpartition('.')[2]}_cache"
        return (name, f"{name}_load")

    def change(self, schedule: Schedule) -> Schedule:
        """Add the buffer."""
        is_nest = is_identifier(self.loop) and self.loop in schedule.groups
        loop, nest = ("", self.loop) if is_nest else (self.loop, "")
        given = self.array, loop, nest, self.name, self.writes, self.packed, self.cell
        return buffered(schedule, Request(*given))


def cache_write(
    array: str,
    loop: str | None = None,
    *,
    packed: bool = False,
    as_: Sequence[str] | str = (),
) -> CacheWrite:
    """Write what ``loop`` writes of ``array`` into a buffer, and back at its end."""
    return make(CacheWrite, *asked(array, loop, packed), names=named(as_))


def asked(array: str, loop: str | None, packed: bool) -> tuple[str, ...]:
    """The operands of a cache."""
    at = (_AT, loop) if loop else ()
    return (array, *at, *([_PACKED] if packed else ()))


def named(names: Sequence[str] | str) -> tuple[str, ...]:
    """The names after ``as``: one may be given alone."""
    return (names,) if isinstance(names, str) else tuple(names)
