"""``cache_read``: what an iteration reads of an array is copied into a buffer first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from looptx.directives.base import Verb, make
from looptx.directives.moving.cache_write import CacheWrite, asked, named
from looptx.model.records import dataclass
from looptx.model.schedule import Schedule


@dataclass(frozen=True)
class CacheRead(CacheWrite):
    """Copy the cells that an iteration of a loop reads into a buffer, and use that.

    syntax: ``cache_read ARRAY|READ [at LOOP] [packed] [as NAME]``
    rewrite: ``for i: .. A[i, j]`` -> ``for i: A_cache[..] = A[i, ..]; .. A_cache[j]``
    """

    verb = "cache_read"
    usage = "cache_read ARRAY|READ [at LOOP] [packed] [as NAME]"
    writes: ClassVar[bool] = False

    def weaker(self, before: Schedule) -> Iterator[tuple[Verb, str]]:
        """The same for what is written, too."""
        if self.cell:
            return
        given = self.array, self.loop, self.name, self.packed
        other = CacheWrite(*given, place=self.place, source=self.source)
        yield other, "what is written goes to the buffer, too"


def cache_read(
    array: str,
    loop: str | None = None,
    *,
    packed: bool = False,
    as_: Sequence[str] | str = (),
) -> CacheRead:
    """Copy what an iteration of ``loop`` reads of ``array`` into a buffer first.

    Args:
        array: its name, or one of its reads as the source has it: ``"A[j,k]"``.
        loop: the loop, or a nest. packed: whether the buffer has the axes of loops.
        as_: the name of the buffer.
    """
    return make(CacheRead, *asked(array, loop, packed), names=named(as_))
