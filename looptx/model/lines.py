"""Lines of text as Python counts them, whatever system wrote them."""

from __future__ import annotations

import re

NEWLINE = re.compile(r"\r\n|\r|\n")
"""What ends a line."""

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


def keep_ends(text: str) -> list[str]:
    """The lines of a text with their newlines; joined they are the text."""
    lines = _LINES.findall(text)
    while lines and not lines[-1]:
        lines.pop()
    return lines
