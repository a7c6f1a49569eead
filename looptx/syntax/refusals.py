"""What cannot be written, as errors."""

from __future__ import annotations

from looptx.errors import LooptxError, Place, Unproven, Unsupported
from looptx.model.program import Nest


def irreplaceable(place: Place, line: str) -> LooptxError:
    """The error for an f-string that shows how its expressions are written. (LX301)"""
    return Unsupported(
        "LX301",
        "an f-string in which names cannot be replaced",
        place,
        hint="write `i={i}` for `{i=}`, or store what it shows in a variable before",
        source=line,
    )


def unknown_then(name: str, nest: Nest) -> LooptxError:
    """The error for a name that is read after an exception. (LX210)"""
    return Unproven(
        "LX210",
        f"unknown: after an exception in the nest `{name}` may hold another value",
        nest.place,
        detail=(
            "the function goes on then and reads it, but the rewritten loops run",
            "in another order, or under other names.",
        ),
        hint="move the loops into a function of their own, and call that",
    )
