"""Comment lines that looptx writes or wraps: what was applied, and what is too long."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator

from looptx.looptree.planned import Planned
from looptx.model.marks import APPLIED

PRAGMA = re.compile(r"#\s*(noqa|type:|fmt:|pragma|pylint:|mypy:|ruff:|isort:)")
"""A comment that a tool reads where it stands."""

_DRAWN = re.compile(r"\S+$|\||[-=~*_+#.:]{3,}")
"""The text of a comment that is one word, or part of a table or a frame."""

_NARROW = 20
_GLUE = "\0"
"""Stands for a space at which no line ends."""


def applied(planned: Planned, digest: str, room: int) -> Iterator[str]:
    """The lines that mark a nest as transformed, and say what was trusted.

    Args:
        planned: the nest. digest: 12 hex digits of the sha256 of its lines.
        room: the width of a line.
    """
    schedule = planned.schedule
    room = max(room - len(APPLIED) - 1, _NARROW)
    directives = [_glued(each.text, room) for each in schedule.applied]
    stamp = _GLUE.join(("[sha256", f"{digest}]"))
    trusted = (f"on trust: {each.trusted}" for each in schedule.trusted)
    first = " ".join((f"{_GLUE}| ".join(directives), stamp)).strip()
    for text in (first, *planned.effects, *trusted):
        for part in _wrapped(text, room):
            yield f"{APPLIED} {part}".replace(_GLUE, " ")


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


def _glued(directive: str, room: int) -> str:
    """A directive that is not wrapped unless it is too long for a line with a bar."""
    return directive.replace(" ", _GLUE) if len(directive) + 2 <= room else directive
