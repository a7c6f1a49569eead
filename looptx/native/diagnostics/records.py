"""Errors as JSON: why there is no native code is kept like native code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from looptx.errors import BuildFailed, LooptxError, Place


def record_of(error: LooptxError, shift: int = 0) -> dict[str, object]:
    """The JSON form of an error; ``shift`` is taken from its line."""
    place = error.place
    return {
        "code": error.code,
        "message": error.message,
        "detail": list(error.detail),
        "hint": error.hint,
        "source": error.source,
        "place": [place.line - shift, place.column] if place else None,
    }


def error_from(
    record: Mapping[str, Any], filename: str, shift: int = 0
) -> LooptxError | None:
    """The error of a record; None when it is none.

    Args:
        record: from ``record_of``.
        filename: where its place is.
        shift: added to its line.
    """
    try:
        place = None
        if record["place"]:
            line, column = record["place"]
            place = Place(filename, line + shift, column)
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
