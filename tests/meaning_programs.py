"""Random functions of several affine nests, with directives."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from meaning_cases import ARRAYS, Block, Case
from meaning_directives import Scheduler


def write(integer: Callable[[int, int], int]) -> Case:
    """The case that a source of integers from a least to a most one makes."""
    return _Writer(integer).case()


class _Writer(Scheduler):
    """Draws one case.

    Attributes:
        target: the array that a nest mostly writes. written: those of nests before.
        shape: the bounds of a loop of each depth, which others are likely to share.
        scalars: those that have a value.
    """

    def case(self) -> Case:
        self.written: list[str] = []
        self.shape: dict[int, str] = {}
        self.scalars: list[str] = []
        several = self.chance(50)
        blocks = []
        for _ in range(self.pick(2, 2, 2, 3, 3, 4) if several else self.pick(1, 1, 2)):
            self.target = self.pick(*ARRAYS)
            depth = self.pick(1, 1, 2, 2, 3) if several else self.pick(1, 2, 2, 3)
            label = self.fresh("s") if self.chance(30) else ""
            if blocks and self.chance(12):
                blocks.append(self.between())
            blocks.append(replace(self.loop((), depth), label=label))
            self.written.append(self.target)
        return self.scheduled(Case(tuple(blocks)), several)

    def between(self) -> Block:
        """A statement between nests."""
        self.scalars.append(f"t{len(self.scalars)}")
        cell = self.pick("x[0]", "y[m]", "A[0, 0]", "B[n, 0]", "C[1, 2]")
        return Block(f"{self.scalars[-1]} = W[] + {cell}")

    # Loops

    def loop(self, loops: tuple[str, ...], depth: int) -> Block:
        free = [name for name in ("i", "j", "k", "row") if name not in loops]
        var = free[0] if not self.chance(15) else self.pick(*free)
        inner = (*loops, var)
        bounds = self.bounds(loops)
        body: list[Block] = []
        if depth > 1:
            if self.chance(25):
                body.append(self.statement(inner))
            body.append(self.loop(inner, depth - 1))
            if self.chance(20):
                body.append(self.statement(inner))
            if self.chance(15):
                body.append(self.loop(inner, depth - 1))
                if self.chance(70):
                    body = [
                        replace(x, label=self.fresh("s") if x.body else "")
                        for x in body
                    ]
        else:
            body += [self.statement(inner) for _ in range(self.pick(1, 1, 2))]
        if self.chance(8):
            at = self.integer(0, len(body) - 1)
            body[at] = Block(f"if {self.condition(inner)}:", (body[at],))
        return Block(f"for {var} in range({bounds}):", tuple(body))

    def bounds(self, loops: tuple[str, ...]) -> str:
        """Those of a loop as deep, or others."""
        depth = len(loops)
        known = self.shape.get(depth, "")
        outer = set(re.findall(r"row|[ijk]", known))
        if known and outer <= set(loops) and self.chance(60):
            return known
        found = self.fresh_bounds(loops)
        self.shape.setdefault(depth, found)
        return found

    def fresh_bounds(self, loops: tuple[str, ...]) -> str:
        size = self.pick("n", "n", "n", "m", "m", "4", "5")
        if loops and self.chance(25):
            outer = self.pick(*loops)
            return self.pick(
                f"{outer} + 1",
                f"{outer}, {size}",
                f"{outer} + 1, {size} + 1",
                f"{size} - {outer}",
                f"{outer}, {outer} + 3",
                f"max(0, {outer} - 2), min({size}, {outer} + 2)",
                f"{size} - 1, {outer} - 1, -1",
                f"{outer}, {size}, 2",
            )
        return self.pick(
            size,
            size,
            size,
            size,
            size,
            f"1, {size}",
            f"2, {size} + 1",
            f"{size} - 1",
            f"{size} + 2",
            f"1, {size} + 1",
            f"0, {size}, 2",
            f"1, {size}, 3",
            f"{size} - 1, -1, -1",
            f"{size}, 0, -2",
        )

    def condition(self, loops: tuple[str, ...]) -> str:
        one, two = self.pick(*loops), self.pick(*loops, "n", "2")
        return self.pick(
            f"{one} < {two}", f"{one} + 1 >= {two}", f"{one} != {two}", f"{one} > 0"
        )

    # Statements

    def statement(self, loops: tuple[str, ...]) -> Block:
        """One that often touches the same cells as its neighbours."""
        target = self.cell(
            self.target if self.chance(70) else self.pick(*ARRAYS), loops
        )
        source = self.cell(self.pick(*self.written, *ARRAYS), loops)
        again = self.cell(target.partition("[")[0], loops)
        text = self.pick(
            f"{target} = W[]",
            f"{target} = W[] + {source}",
            f"{target} = 0.5 * {source} + W[]",
            f"{target} += W[] * 0.25",
            f"{target} = W[] - 0.5 * {again}",
            f"{target} = W[] - 0.5 * {again} + {source}",
        )
        if self.scalars and self.chance(25):
            text += f" + {self.pick(*self.scalars)}"
        return Block(text)

    def cell(self, array: str, loops: tuple[str, ...]) -> str:
        rank = ARRAYS[array]
        if len(loops) >= rank and self.chance(50):
            used = loops[-rank:] if self.chance(25) else loops[:rank]
            return f"{array}[{', '.join(used)}]"
        return f"{array}[{', '.join(self.subscript(loops) for _ in range(rank))}]"

    def subscript(self, loops: tuple[str, ...]) -> str:
        one, two = self.pick(*loops), self.pick(*loops)
        return self.pick(
            one,
            one,
            one,
            f"{one} + 1",
            f"{one} + 1",
            f"{one} + 2",
            f"{one} + {two}",
            f"2 * {one}",
            f"9 - {one}",
            f"n + 9 - {one}",
            f"{one} - {two} + 9",
            f"{one} // 2",
            f"{one} % 3",
            "0",
            "m",
        )
