"""``fuse_around`` written out: a module with the plain directives in its place."""

from __future__ import annotations

import re
from collections.abc import Mapping

from looptx.around import expanded
from looptx.attach import assign
from looptx.cli.text import transform_text
from looptx.lower.types import lasting
from looptx.source import read

_REPORT = re.compile(r"^ *# looptx: applied(?! temp| cache).*\n", re.MULTILINE)


def amounts(text: str) -> dict[str, str]:
    """What each ``fuse_around`` of a module amounts to, by its own text."""
    found: dict[str, str] = {}
    for kernel in read(text, "f.py").kernels:
        for nest, verbs in assign(kernel):
            chosen = expanded(nest, verbs, kernel.names, lasting(kernel)).chosen
            for one, plain in chosen.items():
                found[one] = " | ".join(verb.text for verb in plain)
    return found


def fates(text: str) -> list[str]:
    """What became of the nests around the anchors of a module, in words."""
    found: list[str] = []
    for kernel in read(text, "f.py").kernels:
        for nest, verbs in assign(kernel):
            found += expanded(nest, verbs, kernel.names, lasting(kernel)).lines
    return found


def written_out(text: str, chosen: Mapping[str, str]) -> str:
    """A module with what each ``fuse_around`` amounts to in its place."""
    for one, other in chosen.items():
        # What amounts to nothing still makes the nests one.
        text = re.sub(rf"{re.escape(one)}(?= *(\||$))", other or one, text, flags=re.M)
    return text


def check_plain(text: str) -> None:
    """See that the plain directives give the same loops, in the same text."""
    both = text, written_out(text, amounts(text))
    written, other = (transform_text(each, "f.py") for each in both)
    assert not written.errors and not other.errors, (*written.errors, *other.errors)
    assert rest(written.text) == rest(other.text)


def rest(text: str) -> str:
    """A text without the lines that record what was applied."""
    return _REPORT.sub("", text)
