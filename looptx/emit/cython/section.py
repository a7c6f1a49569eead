"""A piece of Cython text, with the functions of C that it calls."""

from __future__ import annotations

from collections.abc import Iterable

from looptx.lower.tree import Intrinsic
from looptx.model.records import dataclass
from looptx.model.types import ScalarType


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of a module.

    Attributes:
        text: of it.
        calls: the intrinsics in it, and the functions and types of C, which the prelude
            of the module defines where they are looptx's own.
        versions: declarations in C of the functions for some processors only.
        scalar: as in ``lower.nest.Lowered``.
        vector: the bytes of its widest explicit vector; 0 where there is none.
        tiles: whether its loops are not just those of the source.
        arrays: whether its functions have arrays on the stack.
        left: the types of the numbers that a nest leaves where its loops run, by name.
    """

    text: str
    calls: frozenset[str | Intrinsic] = frozenset()
    versions: frozenset[str] = frozenset()
    scalar: tuple[tuple[int, str, str], ...] = ()
    vector: int = 0
    tiles: bool = True
    arrays: bool = False
    left: tuple[tuple[str, ScalarType], ...] = ()

    def __str__(self) -> str:
        return self.text


def joined(sections: Iterable[Section], between: str) -> Section:
    """One section from several."""
    parts = tuple(sections)
    calls = frozenset[str | Intrinsic]().union(*(part.calls for part in parts))
    versions = frozenset[str]().union(*(part.versions for part in parts))
    text = between.join(part.text for part in parts)
    vector = max((part.vector for part in parts), default=0)
    tiles = any(part.tiles for part in parts)
    arrays = any(part.arrays for part in parts)
    left = parts[-1].left if parts else ()
    scalar = tuple[tuple[int, str, str], ...]()
    return Section(text, calls, versions, scalar, vector, tiles, arrays, left)
