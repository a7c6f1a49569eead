"""What is where: the values of variables, and the references that memory holds.

All of it only grows. Who reads something is remembered, to be asked again when that
grows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from looptx.source.flow.places import (
    ANYTHING,
    GLOBALS,
    NONE,
    Places,
    member,
    replaced,
    root,
)
from looptx.source.names.namespaces import Namespace

VARIABLE, RETURNED = "variable", "returned"
"""The cells of variables, and of what functions return."""

MOST = 32
"""Places that are told apart in one variable."""

Cell: TypeAlias = tuple[str, Hashable]
Step: TypeAlias = Callable[[Places], Places]

_HELD, _MEANT, _ATTRIBUTES = "held", "meant", "attributes"
_KEEPERS, _PASSED = "keepers", "passed"


class Heap:
    """Cells of places."""

    def __init__(self) -> None:
        self._cells: dict[Cell, set[str]] = defaultdict(set)
        self._readers: dict[Cell, set[Namespace]] = defaultdict(set)
        self._reader: Namespace | None = None
        self._waiting: dict[Namespace, None] = {}

    def wait(self, readers: Iterable[Namespace]) -> None:
        """Readers are to be asked."""
        self._waiting.update(dict.fromkeys(readers))

    def next_waiting(self) -> Namespace | None:
        """The first reader that is to be asked, which no longer is."""
        first = next(iter(self._waiting), None)
        if first is not None:
            del self._waiting[first]
        return first

    @contextmanager
    def reading(self, reader: Namespace) -> Iterator[None]:
        """What is read inside is what a reader depends on."""
        self._reader = reader
        try:
            yield
        finally:
            self._reader = None

    def get(self, kind: str, key: Hashable) -> Collection[str]:
        """What a cell holds."""
        if self._reader is not None:
            self._readers[kind, key].add(self._reader)
        return self._cells.get((kind, key), NONE)

    def add(self, kind: str, key: Hashable, values: Iterable[str]) -> None:
        """Add to a cell; with more than ``MOST`` places it may be anything."""
        cell = self._cells[kind, key]
        new = set(values) - cell
        if new and cell != {ANYTHING}:
            cell |= new
            if len(cell) > MOST:
                cell.clear()
                cell.add(ANYTHING)
            self.wait(self._readers[kind, key])

    def put(self, place: str, values: Iterable[str]) -> None:
        """Memory may hold references to other memory, as a list does."""
        self.add(_HELD, place, values)
        self._keep(place, values)

    def give(self, place: str, attribute: str, values: Iterable[str]) -> None:
        """An attribute of an object may be other memory."""
        if place == GLOBALS:
            self.put(place, values)
        name = member(place, attribute)
        self.add(_MEANT, name, values)
        self.add(_ATTRIBUTES, place, (name,))
        self._keep(place, values)

    def _keep(self, place: str, values: Iterable[str]) -> None:
        for value in values:
            self.add(_KEEPERS, value, (place,))

    def keepers(self, place: str) -> Collection[str]:
        """The memory that refers to some memory."""
        return self.get(_KEEPERS, place)

    def hand(self, parameter: str, values: Iterable[str]) -> None:
        """A call of the module may give other memory to a parameter."""
        self.add(_PASSED, parameter, values)

    def held(self, places: Iterable[str]) -> Places:
        """What lists may hold."""
        return NONE.union(*(self.get(_HELD, place) for place in places))

    def attributes(self, place: str) -> dict[str, Places]:
        """What the attributes of an object may be."""
        return {
            name.rpartition(".")[2]: frozenset(self.get(_MEANT, name))
            for name in self.get(_ATTRIBUTES, place)
        }

    def meant(self, places: Iterable[str]) -> Places:
        """Memory, and what it may be another name for: attributes have values."""
        return _reached(places, self._values)

    def deep(self, places: Iterable[str]) -> Places:
        """Memory, and all that can be reached from it."""
        return _reached(places, lambda some: self._inside(some) | self._fields(some))

    def actual(self, places: Iterable[str], apart: Iterable[str] = ()) -> Places:
        """Memory under the names its owner has for it, too.

        Args:
            places: may be in terms of the parameters of a function.
            apart: the functions' parameters that nothing is said of.
        """
        kept = frozenset(apart)
        return _reached(places, lambda some: self._owned(some, kept))

    def seen(self, places: Iterable[str], apart: Iterable[str]) -> Places:
        """As ``actual``, with all that the memory holds and all its attributes."""
        kept = frozenset(apart)
        return _reached(
            places,
            lambda some: (
                self._inside(some) | self._fields(some) | self._owned(some, kept)
            ),
        )

    def _inside(self, places: Places) -> Places:
        return self.held(places) | self._values(places)

    def _values(self, places: Places) -> Places:
        return NONE.union(*(self.get(_MEANT, place) for place in places))

    def _fields(self, places: Places) -> Places:
        return NONE.union(*(self.get(_ATTRIBUTES, place) for place in places))

    def _owned(self, places: Places, kept: Places) -> Places:
        starts = {root(place) for place in places} - kept
        handed = {start: self.get(_PASSED, start) for start in starts}
        known = {start: values for start, values in handed.items() if values}
        found = (replaced(place, known) or NONE for place in places)
        return self._values(places).union(*found)


def _reached(places: Iterable[str], step: Step) -> Places:
    """All that steps lead to; anything, if that is too much to be told apart."""
    found = new = frozenset(places)
    while new and len(found) <= MOST:
        new = step(new) - found
        found |= new
    return found if not new else frozenset((ANYTHING,))
