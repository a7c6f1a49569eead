"""All deliberate faults that the fuzzer must find.

A table for each tier says them by meaning. An entry is the name of a fault and the
smallest program that shows it, with its directives behind a second colon; where it is:
a room of looptx and the definition in it; which cases of the tier found it last; the
expression or statement that is replaced, and what stands there instead. Capital letters
alone stand for any expression, so that neither layout nor the names of variables nor
the module matters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from fuzz.faults.fault import Fault

ENTRY = re.compile(
    r"^(\S+): (.*)\n {4}in ([\w/]+) ([\w.]+)\n"
    r"(?: {4}found by (\d+)(?:-(\d+))?\n)?((?: {8}.*\n)+)",
    re.MULTILINE,
)
TABLES = Path(__file__).parent


def read(path: Path) -> Iterator[Fault]:
    """The faults of a table; all of it is entries and headings."""
    text = path.read_text("utf-8")
    left = re.sub(r"(?m)^#.*\n|^\n", "", ENTRY.sub("", text))
    if left:
        raise ValueError(f"{path.name}: no entry: {left[:200]}")
    for found in ENTRY.finditer(text):
        name, what, room, owner, first, last, body = found.groups()
        old, new = re.split(r"\s=>\s", re.sub("(?m)^ {8}", "", body))
        seeds = range(int(first), int(last or first) + 1) if first else range(0)
        yield Fault(name, room, owner, old, new, what, path.stem, seeds)


def record(fault: Fault, seeds: range, tables: Path = TABLES) -> None:
    """Write down by which cases a fault was found."""
    path = tables / f"{fault.tier}.txt"
    told = "-".join(map(str, (seeds[0], *seeds[-1:][: len(seeds) > 1])))
    head = re.compile(
        rf"(?m)^({re.escape(fault.name)}: .*\n.*\n)( {{4}}found by .*\n)?"
    )
    text = head.sub(rf"\g<1>    found by {told}\n", path.read_text("utf-8"))
    path.write_text(text, "utf-8")


FAULTS: tuple[Fault, ...] = tuple(
    fault for path in sorted(TABLES.glob("*.txt")) for fault in read(path)
)
