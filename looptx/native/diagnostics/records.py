"""Errors as JSON: why there is no native code is kept like native code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from looptx.errors import BuildFailed, LooptxError, Place
from looptx.model.naming import told


def record_of(error: LooptxError, above: int = 0) -> dict[str, object]:
    """The JSON form of an error in a function with so many lines above it.

    What it says has the names of the source.
    """
    place = error.place
    return {
        "code": error.code,
        "message": told(error.message),
        "detail": [*map(told, error.detail)],
        "hint": told(error.hint),
        "source": error.source,
        "place": [place.line, place.column] if place else None,
        "above": above,
    }


def error_from(
    record: Mapping[str, Any], filename: str, above: int = 0
) -> LooptxError | None:
    """The error of a record; None when it is none.

    What it says tells lines: it is none of a function that has moved in its file.

    Args:
        record: from ``record_of``.
        filename: where its place is.
        above: how many lines stand above the function now.
    """
    try:
        if record["above"] != above:
            return None
        place = None
        if record["place"]:
            line, column = record["place"]
            place = Place(filename, line, column)
        return BuildFailed(
            record["code"],
            record["message"],
            place,
            detail=tuple(record["detail"]),
            hint=record["hint"],
            source=record["source"],
        )
    except (KeyError, TypeError, ValueError):
        return None
