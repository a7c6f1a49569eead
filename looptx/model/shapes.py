"""The names of extents: ``A.shape[0]`` is the length of A along its first axis.

A parameter of a nest is named by the text that the source has for it; this is the one
place that knows how the text of an extent is made up.
"""

from __future__ import annotations

import re

_EXTENT = re.compile(r"([\w.]+)\.shape\[(-?\d+)\]\Z")
_LENGTH = re.compile(r"len\(([^()]*)\)\Z")


def extent(array: str, axis: int) -> str:
    """The name of the extent of an array (or of what C calls it) along an axis."""
    return f"{array}.shape[{axis}]"


def axis_of(name: str) -> tuple[str, int] | None:
    """The array and the axis of an extent; None for any other size."""
    found = _EXTENT.match(name)
    return (found[1], int(found[2])) if found else None


def is_extent(name: str) -> bool:
    """Whether a size is one of an array: ``A.shape[0]``, ``len(A)``."""
    return bool(_EXTENT.match(name) or _LENGTH.match(name))


def named(name: str) -> str:
    """A size by its one name: ``len(A)`` is ``A.shape[0]``."""
    found = _LENGTH.match(name)
    return extent(found[1], 0) if found else name


def owner(name: str) -> str:
    """What has to be known for a size: the array of an extent, else the name itself."""
    found = _EXTENT.match(name) or _LENGTH.match(name)
    return found[1] if found else name
