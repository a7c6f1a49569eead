"""From planned nests to the edits that put them into their file."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from looptx.looptree.planned import Planned
    from looptx.model.program import Nest
    from looptx.source import Edit, Module

NEWLINE = re.compile(r"\r\n?|\n")
"""What ends a line, to Python; ``str.splitlines`` knows more."""


def stamp(module: Module, nest: Nest) -> str:
    """What tells the original nest from an edited one: 12 digits of its sha256."""
    lines = NEWLINE.split(module.text)[nest.first_line - 1 : nest.last_line]
    text = "\n".join(lines)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def nest_edit(module: Module, planned: Planned) -> Edit:
    """The planned loops in the place of the nest they came from."""
    from looptx import source
    from looptx.emit.python import nest_lines

    nest = planned.nest
    original = NEWLINE.split(module.text)[nest.first_line - 1 : nest.last_line]
    mark = stamp(module, nest)
    lines = nest_lines(planned, nest.indent, mark, original=original)
    return source.Edit(nest.first_line, nest.last_line, tuple(lines))
