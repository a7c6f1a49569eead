"""The loops of a function at given sizes: a tree, and tables of positions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from fuzz.meaning.original import Instance, Original, Source
from fuzz.programs.model import For, If
from fuzz.programs.model import Node as Statement
from fuzz.programs.nodes import SIZES
from fuzz.programs.terms import names, text

Tags = frozenset[int]
"""Statements, by number."""


class Wrong(Exception):
    """A directive that is refused before anything is proven, with its code."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Undefined(Exception):
    """A directive that the pages say nothing about here."""


@dataclass(eq=False)
class Loop:
    """A loop of the tree.

    Attributes:
        name: what it is called now.
        at: the position of every instance inside.
        body: loops, and statements by their number.
        low: the least position it can have. high: the greatest.
        fixed: whether these are the same at all sizes.
        literal: whether the source loops have literal bounds.
        origin: the numbers of the source loops it comes from.
        start: the value at position 0 before any padding, None if there is none.
        base: the text of that value.
        step: how far apart in value two positions are, 0 where they show no value.
        padded: how many positions it was padded by, None where its parts differ.
        skewed: whether its positions moved along another loop's.
        mixed: whether they did so along one that had been moved itself.
        fusing: the number of the ``fuse`` whose dimension f it is, 0 for others.
        unfused: the numbers of those whose f must stay around it.
        unrolled: the factor of its unroll, 0 for all of it, None for none.
        unit: whether its positions are those of a loop of the source, or the finest
            part of them, and not of blocks or of several loops.
        lacking: whether a nest that has no such loop stands in it.
        nests: the statements of each nest in their order along a fusing dimension.
        dim: the same for all loops of one dimension, which fused nests have in common.
    """

    name: str
    at: dict[Instance, int]
    body: list[Node]
    low: int
    high: int
    fixed: bool
    literal: bool
    origin: frozenset[int]
    start: int | None = None
    base: str = ""
    step: int = 0
    padded: int | None = 0
    skewed: bool = False
    mixed: bool = False
    fusing: int = 0
    unfused: frozenset[int] = frozenset()
    unrolled: int | None = None
    unit: bool = True
    lacking: bool = False
    nests: tuple[Tags, ...] = ()
    dim: object = field(default_factory=object)


Node = Loop | int


def tags(nodes: Sequence[Node]) -> Tags:
    """The statements in some nodes."""
    return frozenset(in_order(nodes))


def in_order(nodes: Sequence[Node]) -> Iterator[int]:
    """The statements in some nodes, as the text has them."""
    for node in nodes:
        if isinstance(node, Loop):
            yield from in_order(node.body)
        else:
            yield node


def walk(nodes: Sequence[Node]) -> Iterator[Loop]:
    """All loops, as the text has them."""
    for node in nodes:
        if isinstance(node, Loop):
            yield node
            yield from walk(node.body)


def around(nodes: Sequence[Node], tag: int) -> list[Loop]:
    """The loops around a statement, outermost first."""
    return [loop for loop in walk(nodes) if tag in tags(loop.body)]


def path_of(top: Loop, named: set[object]) -> list[Loop]:
    """The loops from ``top`` to the innermost of the named ones, or to a fusing one."""
    path, left = [top], named - {top.dim}
    while left and not path[-1].fusing:
        inside = [
            node
            for node in path[-1].body
            if isinstance(node, Loop) and left <= {x.dim for x in walk([node])}
        ]
        if not inside:
            raise Wrong("LX106")
        path.append(inside[0])
        left = left - {inside[0].dim}
    if not left <= {x.dim for x in walk([path[-1]])}:
        raise Wrong("LX106")
    return path


def cut(
    nodes: Sequence[Node], kept: set[int], copied: set[object], without: set[object]
) -> list[Node]:
    """Copies of the nodes with some of their statements, and without some loops.

    The copies of the loops ``copied`` are dimensions of their own.
    """
    found: list[Node] = []
    for node in nodes:
        if not isinstance(node, Loop):
            found += [node] if node in kept else []
        elif body := cut(node.body, kept, copied, without):
            new = replace(node, body=body)
            new.dim = object() if node.dim in copied else node.dim
            found += body if node.dim in without else [new]
    return found


Paths = Sequence[tuple[Sequence[Loop], int]]
"""Statements with the loops around them, outermost first."""


def woven(paths: Paths) -> list[Node]:
    """Statements in textual order, each in loops of its own dimensions.

    Neighbours that are in one dimension next share its loop; nests that a fusing one
    holds apart do not, if those of one position stand together.
    """
    found: list[Node] = []
    for dim, group in groupby(paths, lambda one: one[0][0].dim if one[0] else None):
        same = list(group)
        if dim is None:
            found += [tag for _, tag in same]
            continue
        loop = replace(same[0][0][0], body=[])
        inner = [(loops[1:], tag) for loops, tag in same]
        for nest in _apart(inner, loop.nests):
            loop.body += woven(nest)
        found.append(loop)
    return found


def _apart(paths: Paths, nests: Sequence[Tags]) -> list[Paths]:
    """Runs of statements of one nest, if no nest has two; else all as one."""

    def number(one: tuple[Sequence[Loop], int]) -> int:
        return next((at for at, nest in enumerate(nests) if one[1] in nest), 0)

    runs = [(at, list(nest)) for at, nest in groupby(paths, number)]
    alone = len(runs) == len(dict(runs))
    return [nest for _, nest in runs] if alone else [paths]


def siblings(body: list[Node], node: Node) -> list[Node]:
    """The list that a node stands in."""
    lists = (body, *(loop.body for loop in walk(body)))
    return next(nodes for nodes in lists if node in nodes)


def build(source: Source, run: Original, sizes: Mapping[str, int]) -> list[Node]:
    """The loops of a function as they stand."""
    return _Builder(run, sizes).block(source.function.body, 1)


class _Builder:
    def __init__(self, run: Original, sizes: Mapping[str, int]) -> None:
        self.run = run
        self.sizes = dict(sizes)
        self.statements = self.loops = 0

    def block(self, block: Sequence[Statement], depth: int) -> list[Node]:
        nodes: list[Node] = []
        for node in block:
            if isinstance(node, For):
                nodes.append(self.loop(node, depth))
            elif isinstance(node, If):
                nodes += self.block((*node.body, *node.orelse), depth)
            else:
                nodes.append(self.statements)
                self.statements += 1
        return nodes

    def loop(self, node: For, depth: int) -> Loop:
        """A position is the number of steps from the first value of the whole nest."""
        self.loops += 1
        number, step = self.loops, node.step
        body = self.block(node.body, depth + 1)
        seen = self.run.values.get(number) or set()
        start = (min if step > 0 else max)(seen, default=None)
        if names(node.start) <= {*SIZES}:
            start = eval(text(node.start), self.sizes)
        first = start or 0
        literal = not names(node.start) | names(node.stop)
        return Loop(
            node.var,
            {
                one: (one[depth] - first) // step
                for tag in tags(body)
                for one in self.run.instances.get(tag, [])
            },
            body,
            low=0,
            high=max(((value - first) // step for value in seen), default=-1),
            fixed=literal,
            literal=literal,
            origin=frozenset((number,)),
            start=start,
            base=text(node.start),
            step=step,
        )
