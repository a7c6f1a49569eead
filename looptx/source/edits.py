"""Edits of whole lines; everything else stays byte-identical."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from looptx.source.parse import keep_ends

if TYPE_CHECKING:
    from looptx.source.reader import Module


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines ``first_line`` to ``last_line`` become ``lines`` (without newlines).

    With ``last_line == first_line - 1`` the lines are inserted before ``first_line``.
    """

    first_line: int
    last_line: int
    lines: tuple[str, ...]


def rewrite(module: Module, edits: Sequence[Edit]) -> str:
    """The module's text with edits carried out; equal edits count once.

    New lines end as the lines they replace do. A file without a newline at its end
    stays one.

    Raises:
        ValueError: two edits overlap.
    """
    old = keep_ends(module.text)
    unique = dict.fromkeys(edits)
    ordered = sorted(unique, key=lambda edit: (edit.first_line, edit.last_line))
    result: list[str] = []
    done = 0
    for edit in ordered:
        if edit.first_line <= done:
            raise ValueError(f"edits overlap at line {edit.first_line}")
        result += old[done : edit.first_line - 1]
        newline = _newline(old, edit.first_line - 1)
        result += [line + newline for line in edit.lines]
        done = edit.last_line
        if edit.lines and done == len(old) and not _ending(old[-1]):
            result[-1] = edit.lines[-1]
    result += old[done:]
    return "".join(result)


def _newline(lines: Sequence[str], at: int) -> str:
    """The newline of a line, or of the nearest line before it that has one."""
    for line in reversed(lines[: at + 1]):
        if _ending(line):
            return _ending(line)
    return "\n"


def _ending(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]
