"""What the Cython text of a nest says about it: comments beginning with ``looptx:``."""

from __future__ import annotations

import re

CODE = "LX505"
ORDER = "ran in the order as written: "
"""What a note begins with about a schedule that is not carried out."""

_MARK = "# looptx: "
_LINE = re.compile(r"\bline (\d+):")


def notes(text: str, shift: int) -> tuple[str, ...]:
    """The notes in a text.

    Args:
        text: the Cython text.
        shift: from a line of the function's text to a line of the file.
    """

    def moved(found: re.Match[str]) -> str:
        return f"line {int(found[1]) + shift}:"

    own = (
        line.removeprefix(_MARK) for line in text.split("\n") if line.startswith(_MARK)
    )
    return tuple(_LINE.sub(moved, note) for note in own)


def in_order(text: str, shift: int) -> str:
    """Why a schedule is not carried out; empty when it is."""
    found = (note for note in notes(text, shift) if note.startswith(ORDER))
    return next(found, "")
