"""Random functions of several affine nests, with directives that mostly apply."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from meaning import Space
from meaning_run import read
from meaning_tree import Loop, Tags, Undefined, Wrong, tags, walk
from programs_body import Chooser

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
            if trust and texts:
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


def write(integer: Callable[[int, int], int]) -> Case:
    """The case that a source of integers from a least to a most one makes."""
    return _Writer(integer).case()


class _Writer(Chooser):
    """Draws one case.

    Attributes:
        target: the array that a nest mostly writes. written: those of nests before.
        shape: the bounds of a loop of each depth, which others are likely to share.
        labels: how many new names there are. scalars: those that have a value.
    """

    def case(self) -> Case:
        self.written: list[str] = []
        self.shape: dict[int, str] = {}
        self.labels = 0
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

    # Directives

    def scheduled(self, case: Case, several: bool) -> Case:
        """The case with directives, for the function first and then for each nest."""
        nests = [at for at, block in enumerate(case.blocks) if block.body]
        fusing = self.pick(-1, -1, 0, nests[-1], nests[-1], self.pick(*nests))
        for at in (-1, *nests):
            for _ in range(self.pick(0, 0, 1, 2) if several else self.pick(1, 2, 3)):
                if at >= 0 or self.chance(25):
                    case = self.directed(case, at)
            if several and at == fusing:
                for _ in range(self.pick(1, 1, 1, 2)):
                    case = self.directed(case, at, fuse=True)
                for _ in range(self.pick(0, 1, 2, 3)):
                    case = self.directed(case, at)
        return case

    def directed(self, case: Case, at: int, *, fuse: bool = False) -> Case:
        """The case with one more directive there; most of those that are wrong, not."""
        space, _ = applied(case)
        if space is None:
            return case
        before = sum(bool(block.body) for block in case.blocks[: max(at, 0)])
        here = space.nests[before] if at >= 0 else self.pick(*space.tops)
        if fuse:
            text = self.fuse(space, here if at >= 0 else frozenset())
        else:
            text = self.directive(space, here, at < 0)
        if not text:
            return case
        more = replace(case, directives=(*case.directives, (at, text)))
        code = applied(more)[1]
        return more if not code or (code != "undefined" and self.chance(3)) else case

    def fuse(self, space: Space, here: Tags) -> str:
        """A ``fuse`` of nests that stand side by side, one of them ``here``."""
        free = {
            group.tags: name
            for name, group in space.groups.items()
            if name not in space.fused
        }
        lists = [space.body, *(loop.body for loop in walk(space.body))]
        beside = [[tags([node]) for node in nodes] for nodes in lists]
        known = [[some for some in nodes if some in free] for nodes in beside]
        found = [
            names
            for names in known
            if len(names) > 1 and (not here or any(here & some for some in names))
        ]
        if not found:
            return ""
        operands = self.mixed(self.pick(*found))
        operands.sort(key=lambda some: not here & some)
        operands = self.mixed(operands[: self.pick(2, 2, 3, 4)])
        names = [free[some] for some in operands]
        if self.chance(60):
            names.sort()
        text = f"fuse {' '.join(names)}"
        rank = self.pick(0, 0, 0, 1, 1, 2)
        text += f" partial={rank}" if rank else ""
        if self.chance(20):
            count = rank or self.pick(1, 2)
            text += f" as {' '.join(self.fresh('p') for _ in range(count))} "
            text += self.fresh("g")
        return text

    def fresh(self, name: str) -> str:
        """A name that nothing has yet."""
        self.labels += 1
        return f"{name}{self.labels}"

    def directive(self, space: Space, here: Tags, far: bool) -> str:
        """A directive for the loops around some of the statements."""
        tag = self.pick(*sorted(here))
        loops = [x for x in walk(space.body) if tag in tags(x.body)]
        mixed = self.mixed(loops)
        names = [self.name(space, loop, here, far) for loop in mixed]
        several = names[: self.pick(2, 2, 3, 4)]
        pairs = len(names) > 1
        verb = self.pick(
            "split", "split", "tile", "reorder", "reorder", "reorder", "skew", "skew",
            "pad", "pad", "unroll", "parts", "sizes",
        )  # fmt: skip
        size = self.pick(1, 2, 2, 3, 3, 4, 5)
        if verb == "tile" and not any("." in name or "#" in name for name in several):
            return "tile " + " ".join(f"{x}={self.pick(2, 3, 4)}" for x in several[:2])
        if verb == "reorder" and pairs:
            return f"reorder {' '.join(several)}"
        if verb == "skew" and pairs:
            by = self.pick("", "", "", " by 2", " by -1", " by -2")
            return f"skew {names[0]} {names[1]}{by}"
        if verb == "pad" and not mixed[0].fusing:
            return f"pad {names[0]} {self.pick(0, 1, 1, 2, 3)}"
        if verb == "unroll":
            full = mixed[0].fixed and mixed[0].high < 8 and self.chance(60)
            return f"unroll {names[0]}{'' if full else f' {size}'}"
        if verb == "parts" and mixed[0].fixed:
            return f"split {names[0]} parts={size}"
        if verb == "sizes":
            return f"split {names[0]} {size} {self.pick(1, 2, 3)}"
        if self.chance(20):
            new = self.pick("p", "q", self.fresh("p"))
            return f"split {names[0]} {size} as {new} {self.fresh('u')}"
        return f"split {names[0]} {size}"

    def name(self, space: Space, loop: Loop, here: Tags, far: bool) -> str:
        """A way to name a loop, from far or from a directive of its nest."""
        nests = [name for name, own in space.groups.items() if own.tags == here]
        pool = [x for x in walk(space.body) if tags(x.body) & here]
        same = [x for x in pool if x.name == loop.name]
        name = loop.name
        if len(same) > 1:
            name = f"{name}#{same.index(loop) + 1}"
        others = [x for x in walk(space.body) if x.name == loop.name and x not in pool]
        qualified = (far and others) or self.chance(5)
        return f"{nests[0]}.{name}" if qualified and nests else name


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
