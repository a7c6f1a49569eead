"""A function of nests as text: its arguments, what is around its nests, directives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from textwrap import indent

HEAD = """import math
import numpy as np

log = []


def seen(value):
    log.append(value)
    return value
"""


@dataclass(frozen=True, slots=True)
class Taken:
    """An array that the function takes."""

    name: str
    rank: int
    dtype: str


@dataclass(frozen=True)
class Moving:
    """A function.

    Attributes:
        before: lines in front of its nests. nests: their text. behind: lines after.
        returns: the variables that it gives back.
        annotated: whether the types of its arguments are written.
        steps: how often a loop around all nests runs, 0 for none.
        legal: whether whatever its directives say is legal: it writes each cell of an
            array from what nobody changes, and then reads it.
    """

    arrays: tuple[Taken, ...]
    before: tuple[str, ...]
    nests: tuple[str, ...]
    behind: tuple[str, ...]
    returns: tuple[str, ...]
    annotated: bool = False
    directives: tuple[str, ...] = ()
    legal: bool = False
    steps: int = 0

    def text(self) -> str:
        """The module."""
        nests = "\n".join(self.nests)
        if self.steps:
            nests = indent(nests, "    ")
            nests = f"# looptx: nest steps\nfor step in range({self.steps}):\n{nests}"
        body = "\n".join((*self.before, nests, *self.behind)).split("\n")
        used = "\n".join(body)
        names = [
            x for x in self.arrays if f"{x.name}[" in used or f"= {x.name}" in used
        ]
        given = [
            f'{x.name}: "{x.dtype}[{", ".join(":" * x.rank)}]"'
            if self.annotated
            else x.name
            for x in names
        ]
        given += [f"{x}: int" if self.annotated else x for x in "nm"]
        lines = [f"# looptx: {one}" for one in self.directives]
        lines += [f"def f({', '.join(given)}):"]
        lines += [f"    {line}" for line in body]
        if self.returns:
            lines.append(f"    return {', '.join(self.returns)}")
        return "\n".join([HEAD, "", *lines, ""])

    @property
    def bare(self) -> str:
        """The module without directives."""
        return replace(self, directives=()).text()

    def smaller(self) -> Iterator[Moving]:
        """The function with less in it."""
        for field in ("directives", "nests", "behind", "before", "returns"):
            known = getattr(self, field)
            if self.legal and field != "directives":
                continue
            for at in range(len(known)):
                yield replace(self, **{field: known[:at] + known[at + 1 :]})
        for at, nest in enumerate(self.nests if not self.legal else ()):
            for less in _fewer(nest):
                yield replace(
                    self, nests=(*self.nests[:at], less, *self.nests[at + 1 :])
                )
        for at, one in enumerate(self.directives):
            for less in _simpler(one):
                yield replace(
                    self,
                    directives=(
                        *self.directives[:at],
                        less,
                        *self.directives[at + 1 :],
                    ),
                )
        if self.steps:
            yield replace(self, steps=0)
        if self.annotated:
            yield replace(self, annotated=False)


def _fewer(nest: str) -> Iterator[str]:
    """A nest without a line and what stands in it, or a value that is a part of one."""
    lines = nest.split("\n")
    for at, line in enumerate(lines[1:], 1):
        own = len(line) - len(line.lstrip())
        end = at + 1
        while end < len(lines) and len(lines[end]) - len(lines[end].lstrip()) > own:
            end += 1
        yield "\n".join(lines[:at] + lines[end:])
        if end > at + 1 and line.lstrip().startswith("if "):
            yield "\n".join(
                lines[:at] + [x[4:] for x in lines[at + 1 : end]] + lines[end:]
            )
        for sign in (" = ", " += "):
            target, found, value = line.partition(sign)
            for op in (" + ", " - ", " * ", " if "):
                for part in value.split(op) if found and op in value else ():
                    yield "\n".join(
                        (*lines[:at], f"{target}{sign}{part}", *lines[at + 1 :])
                    )
        for old in ("n - 1, -1, -1", "0, n, 2", "1, n", "n - 1", "2, n - 1"):
            if f"range({old})" in line:
                new = line.replace(f"range({old})", "range(n)")
                yield "\n".join((*lines[:at], new, *lines[at + 1 :]))


def _simpler(text: str) -> Iterator[str]:
    """A directive with fewer words at its end."""
    for word in (" packed", " sliding"):
        if word in text:
            yield text.replace(word, "")
