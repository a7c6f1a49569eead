"""``cache_read``: what an iteration reads of an array is copied into a buffer first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
from looptx.model.schedule import Schedule

_AT = "at"
_PACKED = "packed"


@dataclass(frozen=True)
class CacheRead(Verb):
    """Copy the cells that an iteration of a loop reads into a buffer, and use that.

    syntax: ``cache_read ARRAY [at LOOP] [packed] [as NAME]``
    rewrite: ``for i: .. A[i, j]`` -> ``for i: A_cache[..] = A[i, ..]; .. A_cache[j]``
    """

    array: str
    loop: str = ""
    name: str = ""
    packed: bool = False

    verb = "cache_read"
    usage = "cache_read ARRAY [at LOOP] [packed] [as NAME]"
    writes: ClassVar[bool] = False

    @classmethod
    def from_clause(cls, clause: Clause) -> CacheRead:
        """Read an array, perhaps a loop, perhaps a name."""
        check_clause(clause, cls, names=True)
        array, *rest = clause.operands or ("",)
        known = isinstance(array, str) and is_dotted(array)
        fits(known, cls, f"needs the name of an array where `{array}` stands")
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
        return cls(str(array), loop, name, packed, place=place, source=source)

    @property
    def text(self) -> str:
        """``cache_read A at i as P``."""
        operands = asked(self.array, self.loop, self.packed)
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
        given = self.array, loop, nest, self.name, self.writes, self.packed
        return buffered(schedule, Request(*given))


def cache_read(
    array: str,
    loop: str | None = None,
    *,
    packed: bool = False,
    as_: Sequence[str] | str = (),
) -> CacheRead:
    """Copy what an iteration of ``loop`` reads of ``array`` into a buffer first."""
    return make(CacheRead, *asked(array, loop, packed), names=named(as_))


def asked(array: str, loop: str | None, packed: bool) -> tuple[str, ...]:
    """The operands of a cache."""
    at = (_AT, loop) if loop else ()
    return (array, *at, *([_PACKED] if packed else ()))


def named(names: Sequence[str] | str) -> tuple[str, ...]:
    """The names after ``as``: one may be given alone."""
    return (names,) if isinstance(names, str) else tuple(names)
