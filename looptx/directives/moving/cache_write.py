"""``cache_write``: an iteration writes into a buffer, which is copied at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from looptx.directives.base import make
from looptx.directives.moving.cache_read import CacheRead, asked, named


@dataclass(frozen=True)
class CacheWrite(CacheRead):
    """Keep the cells that an iteration of a loop writes in a buffer until its end.

    syntax: ``cache_write ARRAY [at LOOP] [packed] [as NAME]``
    rewrite: ``for i: .. C[i] += ..`` -> ``for i: .. C_cache += ..; C[i] = C_cache``
    """

    verb = "cache_write"
    usage = "cache_write ARRAY [at LOOP] [packed] [as NAME]"
    writes: ClassVar[bool] = True


def cache_write(
    array: str,
    loop: str | None = None,
    *,
    packed: bool = False,
    as_: Sequence[str] | str = (),
) -> CacheWrite:
    """Write what ``loop`` writes of ``array`` into a buffer, and back at its end."""
    return make(CacheWrite, *asked(array, loop, packed), names=named(as_))
