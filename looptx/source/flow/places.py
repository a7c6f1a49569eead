"""Names for memory: where the arrays of a module come from.

A *place* is a text. Memory from outside has the name it comes under, behind a label of
the function whose argument it is: ``G``, ``3:0:A``. What an expression allocates is
``@`` and where it stands, ``@[`` for what may hold other arrays. An attribute is the
place of its object, a dot and its name; a part of new memory is told apart by ``#``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from functools import reduce

Places = frozenset[str]
NONE: Places = frozenset()
ANYTHING = "?"
"""The place of what may be any array there is."""
NEW, OBJECT, LIST = "@", "@[", "@[["
"""How the places of new memory begin: an object may hold references to other memory,
and a list surely is one."""
GLOBALS = "@[globals"
"""The place of what has the variables of the module by their names."""

_ANY = frozenset((ANYTHING, GLOBALS))
_DEEPEST = 4
_INSIDE = re.compile(r"[.#]")


def site(node: ast.expr | ast.stmt, mark: str) -> str:
    """The place of what an expression allocates: ``NEW``, ``OBJECT`` or ``LIST``."""
    ends = f"{node.lineno}:{node.col_offset}:{node.end_lineno}:{node.end_col_offset}"
    return mark + ends


def is_new(place: str) -> bool:
    """Whether memory is allocated in the module."""
    return place.startswith(NEW)


def is_object(place: str) -> bool:
    """Whether memory is allocated in the module for what may be a list or an object."""
    return place.startswith(OBJECT)


def is_list(place: str) -> bool:
    """Whether memory is allocated in the module for a list or the like."""
    return place.startswith(LIST)


def root(place: str) -> str:
    """The place of the object that memory is a part or attribute of."""
    return _INSIDE.split(place, maxsplit=1)[0]


def member(place: str, attribute: str) -> str:
    """The place of an attribute; deep ones are the place of what they belong to."""
    if place in _ANY or place.count(".") >= _DEEPEST:
        return place
    return f"{place}.{attribute}"


def members(places: Iterable[str], attribute: str) -> Places:
    """The places of an attribute of several objects."""
    return frozenset(member(place, attribute) for place in places)


def bound(places: Places) -> Places:
    """Functions with the objects whose methods they may be, which they can reach."""
    return places.union(x.rpartition(".")[0] for x in places if "." in x)


def replaced(place: str, given: Mapping[str, Iterable[str]]) -> Places | None:
    """A place with what stands for its root put in its place; None if nothing does."""
    start = root(place)
    if start not in given:
        return None
    names = list(filter(None, place[len(start) :].split(".")))
    return frozenset(reduce(member, names, each) for each in given[start])


def meet(first: Places, second: Places) -> bool:
    """Whether two sets of places overlap; an object overlaps with its attributes."""
    if _ANY & (first | second):
        return True
    return any(
        a == b or a.startswith((f"{b}.", f"{b}#")) or b.startswith((f"{a}.", f"{a}#"))
        for a in first
        for b in second
    )
