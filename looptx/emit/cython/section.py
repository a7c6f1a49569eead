"""A piece of Cython text, with the functions of C that it calls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from looptx.emit.cython.vectors import vector
from looptx.lower.tree import Intrinsic


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of a module.

    Attributes:
        text: of it.
        calls: the intrinsics in it, and the functions and types of C, which the prelude
            of the module defines where they are looptx's own.
        scalar: as in ``lower.nest.Lowered``.
    """

    text: str
    calls: frozenset[str | Intrinsic] = frozenset()
    scalar: tuple[tuple[int, str, str], ...] = ()

    @property
    def vectors(self) -> bool:
        """Whether there are vectors in it."""
        return any(vector(call) for call in self.calls if isinstance(call, str))

    def __str__(self) -> str:
        return self.text


def joined(sections: Iterable[Section], between: str) -> Section:
    """One section from several."""
    parts = tuple(sections)
    calls = frozenset[str | Intrinsic]().union(*(part.calls for part in parts))
    return Section(between.join(part.text for part in parts), calls)
