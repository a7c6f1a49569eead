"""A piece of Cython text, with the functions of C that it calls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of a module.

    Attributes:
        text: of it.
        calls: the names of functions and types of C in it, which the prelude of the
            module defines where they are looptx's own.
    """

    text: str
    calls: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return self.text


def joined(sections: Iterable[Section], between: str) -> Section:
    """One section from several."""
    parts = tuple(sections)
    calls = frozenset().union(*(part.calls for part in parts))
    return Section(between.join(part.text for part in parts), calls)
