"""``fuse_around`` written out: a module with the plain directives in its place."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kit.carried import transformed
from looptx import attach
from looptx.around import Expansion
from looptx.source import read

_REPORT = re.compile(r"^ *# looptx: applied(?! temp| cache).*\n", re.MULTILINE)


def found(text: str) -> tuple[dict[str, str], list[str]]:
    """What each ``fuse_around`` of a module amounts to, by its text, and the report."""
    known: dict[str, Expansion] = {}
    for kernel in read(text, "f.py").kernels:
        known |= attach.amounts(kernel, (), {})
    return said(known)


def said(known: Mapping[str, Expansion]) -> tuple[dict[str, str], list[str]]:
    """The same of what is known of each."""
    plain = {x: " | ".join(y.text for y in one.verbs) for x, one in known.items()}
    return plain, [line for one in known.values() for line in one.lines]


def amounts(text: str) -> dict[str, str]:
    """What each ``fuse_around`` of a module amounts to, by its own text."""
    return found(text)[0]


def fates(text: str) -> list[str]:
    """What became of the nests around the anchors of a module, in words."""
    return found(text)[1]


def written_out(text: str, chosen: Mapping[str, str]) -> str:
    """A module with what each ``fuse_around`` amounts to in its place."""
    for one, other in chosen.items():
        # What amounts to nothing still makes the nests one.
        text = re.sub(rf"{re.escape(one)}(?= *(\||$))", other or one, text, flags=re.M)
    return text


def check_plain(
    text: str, new: str = "", chosen: Mapping[str, str] | None = None
) -> None:
    """See that the plain directives give the same loops, in the same text.

    Args:
        text: the module.
        new: what it is rewritten to, where that is known.
        chosen: what its ``fuse_around`` amount to, where that is known.
    """
    new = new or transformed(text)
    other = written_out(text, amounts(text) if chosen is None else chosen)
    assert rest(new) == rest(transformed(other))


def rest(text: str) -> str:
    """A text without the lines that record what was applied."""
    return _REPORT.sub("", text)
