"""Random graphs of operators: nests over matrices, each with a result of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fuzz.programs.dice import Dice

COUNTS = (2, 3, 3, 3, 4, 4, 4, 5, 5, 6, 6, 7, 8, 9, 12)
"""How many nests a graph may have; large ones cost the most."""

PAIR = "    # looptx: nest {name}\n    for i in range(n):\n        for j in range(n):\n"
BLOCKS = (
    "    # looptx: nest {{name}}\n    for b in range((n + {last}) // {size}):\n"
    "        for r in range(min({size}, n - {size} * b)):\n"
    "            for j in range(n):\n"
    "                {{out}}[{size} * b + r, j] = {{a}}[{size} * b + r, j] * 2.0\n"
)
FORMS = {
    "one": PAIR + "            {out}[i, j] = {a}[i, j] * 0.5 + 1.0\n",
    "two": PAIR + "            {out}[i, j] = {a}[i, j] - {b}[i, j]\n",
    "half": PAIR + "            {out}[i, j] = max({a}[i, j], {b}[i, j] * 0.25)\n",
    "turned": PAIR + "            {out}[i, j] = {a}[j, i]\n",
    "mixed": PAIR + "            {out}[i, j] = {a}[i, j] + {b}[j, i]\n",
    "written turned": PAIR + "            {out}[j, i] = {a}[i, j] - 1.0\n",
    "broadcast": PAIR + "            {out}[i, j] = {a}[0, j] + 0.5\n",
    "column": PAIR + "            {out}[i, j] = {a}[i, 0] * {b}[i, j]\n",
    "upper": "    # looptx: nest {name}\n    for i in range(n):\n"
    "        for j in range(i, n):\n            {out}[i, j] = {a}[i, j] + 2.0\n",
    "stencil": "    # looptx: nest {name}\n    for i in range(1, n):\n"
    "        for j in range(n):\n            {out}[i, j] = {a}[i, j] + {a}[i - 1, j]\n",
    "backward": "    # looptx: nest {name}\n    for i in range(n - 1, -1, -1):\n"
    "        for j in range(n):\n            {out}[i, j] = {a}[i, j] * {b}[i, j]\n",
    "rows": "    # looptx: nest {name}\n    for i in range(n):\n"
    "        {out}[i, 0] = 0.5\n        for j in range(n):\n"
    "            {out}[i, 0] += {a}[i, j]\n",
    "most": "    # looptx: nest {name}\n    for i in range(n):\n        top = -9.0\n"
    "        for j in range(n):\n            top = max(top, {a}[i, j])\n"
    "        {out}[i, 0] = top\n",
    "blocks of 2": BLOCKS.format(size=2, last=1),
    "blocks of 3": BLOCKS.format(size=3, last=2),
    "halves": PAIR + "            {out}[i, j] = {a}[i // 2, j] + {b}[i, j]\n",
    "first of 3": PAIR + "            {out}[i, j] = {a}[i - i % 3, j] * 0.5\n",
    "again": PAIR + "            {a}[i, j] = {a}[i, j] * {b}[i, j]\n",
}
"""What a nest may do with its operands; results start as what ``np.zeros`` gives."""

FILL = PAIR + "            {out}[i, j] = 0.25\n"
PRODUCT = (
    PAIR
    + "            for k in range(n):\n"
    + "                {out}[i, j] += {a}[i, k] * {b}[k, j]\n"
)
WHOLE = (
    PAIR
    + "            {out}[i, j] = 0.0\n            for k in range(n):\n"
    + "                {out}[i, j] += {a}[i, k] * {b}[k, j]\n"
)


EASY = (FILL, *(FORMS[one] for one in ("one", "two", "half", "again")))
"""What joins a product as soon as its cells are complete."""


@dataclass(frozen=True)
class Node:
    """A nest: its name, what it does, its result, and its operands."""

    name: str
    form: str
    out: str
    operands: tuple[str, str]

    def text(self) -> str:
        """Its lines."""
        first, second = self.operands
        return self.form.format(name=self.name, out=self.out, a=first, b=second)

    @property
    def used(self) -> frozenset[str]:
        """The arrays that it reads or writes."""
        return frozenset(re.findall(r"\b([A-Z]\d*)\[", self.text()))

    @property
    def written(self) -> frozenset[str]:
        """Those that it writes."""
        return frozenset(re.findall(r"(?m)^ *([A-Z]\d*)\[.*\] \+?= ", self.text()))

    @property
    def product(self) -> bool:
        """Whether it is one."""
        return self.form in (PRODUCT, WHOLE)


@dataclass(frozen=True)
class Graph:
    """A function.

    Attributes:
        nodes: its nests. directives: above it.
        seen: the results that it returns.
    """

    nodes: tuple[Node, ...]
    directives: tuple[str, ...]
    seen: tuple[str, ...]

    def text(self) -> str:
        """The module."""
        lines = ["import numpy as np", *(f"# looptx: {x}" for x in self.directives)]
        lines.append("def f(A, B, D, n):")
        made = dict.fromkeys(one.out for one in self.nodes)
        lines += [f"    {name} = np.zeros((n, n))" for name in made]
        body = "".join(node.text() for node in self.nodes)
        return "\n".join((*lines, f"{body}    return A, B, {', '.join(self.seen)}\n"))

    def bare(self) -> Graph:
        """The same, where nothing moves around anything."""
        plain = (x for x in self.directives if not x.startswith("fuse_around"))
        return replace(self, directives=tuple(plain))

    def smaller(self) -> Iterator[Graph]:
        """The same with one thing less."""
        anchors = {word for x in self.directives for word in x.split()}
        for at, node in enumerate(self.nodes):
            rest = self.nodes[:at] + self.nodes[at + 1 :]
            used = {x for one in rest for x in one.operands} | {*self.seen}
            if node.name not in anchors and node.out not in used:
                yield replace(self, nodes=rest)
        for at in range(len(self.seen) - 1):
            yield replace(self, seen=self.seen[:at] + self.seen[at + 1 :])
        for at, text in enumerate(self.directives):
            if not text.startswith("fuse_around"):
                rest_ = self.directives[:at] + self.directives[at + 1 :]
                yield replace(self, directives=rest_)


def graph(seed: int) -> Graph:
    """The graph of a seed."""
    dice = Dice(seed)
    known, nodes = ["A", "B", "D"], list[Node]()
    count = dice.pick(*COUNTS)
    products = dice.some(range(count), dice.pick(1, 1, 2))
    anchors: list[str] = []
    for at in range(count):
        name, out = f"op{at}", f"T{at}"
        recent = known[-3:] if dice.chance(60) else known
        operands = dice.pick(*recent), dice.pick(*known)
        form = FORMS[dice.pick(*FORMS)]
        if at in products:
            anchors.append(name)
            form = dice.pick(WHOLE, PRODUCT)
            if form is PRODUCT and dice.chance(60):
                nodes.append(Node(f"fill{at}", FILL, out, operands))
        nodes.append(Node(name, form, out, operands))
        known.append(out)
    results = [x for x in known[3:] if dice.chance(30)]
    seen = tuple(dict.fromkeys((*results, known[-1])))
    return Graph(tuple(nodes), _directives(dice, nodes, anchors, seen), seen)


def _directives(
    dice: Dice, nodes: list[Node], anchors: list[str], seen: tuple[str, ...]
) -> tuple[str, ...]:
    """How the anchors are tiled, and what moves around them."""
    found: list[str] = []
    for anchor in anchors:
        (form,) = (one.form for one in nodes if one.name == anchor)
        outer = f"{anchor}.i"
        if dice.chance(70):
            found += _tiled(dice, anchor, blocks=form is PRODUCT and dice.chance(50))
        elif dice.chance(40):
            found.append(f"collapse {anchor}.i {anchor}.j as {anchor}_ij")
            outer = f"{anchor}_ij"
        if dice.chance(30):
            found.append(f"parallel {outer}")
    for anchor in anchors:
        times = f" recompute={dice.pick(2, 3, 8)}" if dice.chance(20) else ""
        others = [x.name for x in nodes if x.name != anchor]
        but = f" except {dice.pick(*others)}" if others and dice.chance(15) else ""
        found.append(f"fuse_around {anchor}{times}{but}")
    hidden = sorted(_own(nodes, anchors) - {*seen})
    if hidden and dice.chance(60):
        found.append(f"temp {' '.join(hidden)}")
    return tuple(found)


def _own(nodes: Sequence[Node], anchors: Sequence[str]) -> set[str]:
    """The arrays between an anchor and nests that are likely to join it."""
    found: set[str] = set()
    for anchor in anchors:
        easy = [x for x in nodes if x.name == anchor or x.form in EASY]
        others = {array for one in nodes if one not in easy for array in one.used}
        (home,) = (one for one in nodes if one.name == anchor)
        known = {one.out for one in nodes}
        found |= home.used & known - others
    return found


def _tiled(dice: Dice, anchor: str, *, blocks: bool) -> Iterator[str]:
    """The loops of a product in tiles, those in tiles, and its sum in blocks."""
    sizes = [dice.pick(1, 2, 3, 4) for _ in range(5)]
    yield f"tile {anchor}.i={sizes[0]} {anchor}.j={sizes[1]}"
    order, inner = ["i", "j", "ii", "jj"], list[str]()
    if dice.chance(30):
        yield f"tile {anchor}.ii={sizes[2]} {anchor}.jj={sizes[3]}"
        inner = ["iii", "jjj"]
    if blocks:
        yield f"split {anchor}.k {sizes[4]}"
        order.insert(2, "k")
        inner.append("kk")
    yield f"reorder {' '.join(f'{anchor}.{loop}' for loop in (*order, *inner))}"
