"""Functions with directives, as values that can be made smaller."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from meaning import Space
from meaning_run import read
from meaning_tree import Undefined, Wrong

ARRAYS = {"A": 2, "B": 2, "C": 2, "x": 1, "y": 1}
"""The arrays of every function, with their ranks."""

SIZES = {"n": 4, "m": 3}
"""Where directives are tried while they are drawn."""


@dataclass(frozen=True)
class Block:
    """A loop or an ``if``, by its first line, or a statement (with an empty body).

    A statement reads ``W[]`` where it is to say which instance it is. A label is the
    name of the nest.
    """

    head: str
    body: tuple[Block, ...] = ()
    label: str = ""

    def lines(self, number: Iterator[int], loops: tuple[str, ...] = ()) -> list[str]:
        """The text; statements take their numbers one after the other."""
        if not self.body:
            place = ", ".join((str(next(number)), *loops))
            return [self.head.replace("W[]", f"W[{place}]")]
        if self.head.startswith("for "):
            loops = (*loops, self.head.split()[1])
        inner = [line for node in self.body for line in node.lines(number, loops)]
        name = [f"# looptx: nest {self.label}"] if self.label else []
        return [*name, self.head, *(f"    {line}" for line in inner)]

    def smaller(self) -> Iterator[Block]:
        """The block with something left out."""
        for at, node in enumerate(self.body):
            rest = self.body[:at], self.body[at + 1 :]
            if len(self.body) > 1:
                yield replace(self, body=rest[0] + rest[1])
            for less in node.smaller():
                yield replace(self, body=(*rest[0], less, *rest[1]))


@dataclass(frozen=True)
class Case:
    """A function and its directives.

    Attributes:
        blocks: the statements of the function, most of them loops.
        directives: texts, each with the number of the block it stands above, -1 for
            those above ``def``.
    """

    blocks: tuple[Block, ...]
    directives: tuple[tuple[int, str], ...] = ()

    def text(self, *, trust: bool = False) -> str:
        """The module."""

        def above(block: int) -> list[str]:
            texts = [text for at, text in self.directives if at == block]
            if trust and block < 0:
                texts.insert(0, "trust order")
            return [f"# looptx: {text}" for text in texts]

        number = iter(range(1000))
        lines = [*above(-1), f"def g(W, {', '.join(ARRAYS)}, n: int, m: int):"]
        for at, block in enumerate(self.blocks):
            inner = [*above(at), *block.lines(number)]
            lines += [f"    {line}" for line in inner]
        return "\n".join([*lines, ""])

    def smaller(self) -> Iterator[Case]:
        """The case with something left out."""
        for at in range(len(self.directives)):
            rest = (*self.directives[:at], *self.directives[at + 1 :])
            yield replace(self, directives=rest)
        for at, block in enumerate(self.blocks):
            for less in block.smaller():
                blocks = (*self.blocks[:at], less, *self.blocks[at + 1 :])
                yield replace(self, blocks=blocks)
            if len(self.blocks) > 1 and not any(n == at for n, _ in self.directives):
                yield self._without(at)

    def _without(self, block: int) -> Case:
        blocks = (*self.blocks[:block], *self.blocks[block + 1 :])
        moved = ((at - (at > block), text) for at, text in self.directives)
        return Case(blocks, tuple(moved))


def applied(case: Case) -> tuple[Space | None, str]:
    """The loops after all directives, or None and the code of the one that is wrong."""
    source = read(case.text())
    space = Space(source, SIZES)
    try:
        for text, line in source.directives:
            space.apply(text, line)
    except Wrong as wrong:
        return None, wrong.code
    except Undefined:
        return None, "undefined"
    return space, ""
