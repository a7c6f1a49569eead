"""All deliberate faults that the fuzzer must find.

A table for each tier says them by meaning. An entry is the name of a fault and the
smallest program that shows it, with its directives behind a second colon; where it is:
a room of looptx and the definition in it; the expression or statement that is replaced,
and what stands there instead. Capital letters alone stand for any expression, so that
neither layout nor the names of variables nor the module matters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from fuzz.faults.fault import Fault

ENTRY = re.compile(
    r"^(\S+): (.*)\n {4}in ([\w/]+) ([\w.]+)\n((?: {8}.*\n)+)", re.MULTILINE
)


def _read(path: Path) -> Iterator[Fault]:
    """The faults of a table; all of it is entries and headings."""
    text = path.read_text("utf-8")
    left = re.sub(r"(?m)^#.*\n|^\n", "", ENTRY.sub("", text))
    if left:
        raise ValueError(f"{path.name}: no entry: {left[:200]}")
    for found in ENTRY.finditer(text):
        name, what, room, owner, body = found.groups()
        old, new = re.split(r"\s=>\s", re.sub("(?m)^ {8}", "", body))
        yield Fault(name, room, owner, old, new, what, path.stem)


FAULTS: tuple[Fault, ...] = tuple(
    fault
    for path in sorted(Path(__file__).parent.glob("*.txt"))
    for fault in _read(path)
)
