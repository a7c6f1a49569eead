"""Comment lines that looptx writes or wraps: what was applied, and what is too long."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator

from looptx.looptree.planned import Planned

PRAGMA = re.compile(r"#\s*(noqa|type:|fmt:|pragma|pylint:|mypy:|ruff:|isort:)")
"""A comment that a tool reads where it stands."""

_DRAWN = re.compile(r"\S+$|\||[-=~*_+#.:]{3,}")
"""The text of a comment that is one word, or part of a table or a frame."""

_MARK = "# looptx: applied"
_NARROW = 20


def applied(planned: Planned, digest: str, room: int) -> Iterator[str]:
    """The lines that mark a nest as transformed, and say what was trusted.

    Args:
        planned: the nest. digest: 12 hex digits of the sha256 of its lines.
        room: the width of a line.
    """
    words = " | ".join(planned.schedule.applied)
    vouched = planned.schedule.trusted
    trusted = [f"on trust: {line.removeprefix('trust ')}" for line in vouched]
    room = max(room - len(_MARK) - 1, _NARROW)
    for text in (f"{words} [sha256 {digest}]".strip(), *planned.memory, *trusted):
        for part in _wrapped(_glued(text, room), room):
            yield f"{_MARK} {part}".replace("\0", " ")


def fitted(lines: Iterable[str], room: int) -> Iterator[str]:
    """Comment lines, wrapped where they are too long for their room."""
    for line in lines:
        text = line.removeprefix("# ")
        plain = text == line or PRAGMA.match(line) or _DRAWN.match(text.strip())
        if len(line) <= room or plain:
            yield line
        else:
            yield from _wrapped(text, max(room, _NARROW), "# ")


def _wrapped(text: str, width: int, prefix: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=prefix,
        subsequent_indent=prefix,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _glued(text: str, room: int) -> str:
    """Wrap after `|`, inside a directive only if one is too long for a line."""
    words, digest, more = text.partition(" [sha256 ")
    parts = words.split(" | ")
    whole = (p.replace(" ", "\0") if len(p) + 2 <= room else p for p in parts)
    return "\0| ".join(whole) + digest.replace("6 ", "6\0") + more
