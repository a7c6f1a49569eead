"""Whether iterations of a parallel loop meet, seen by running it one by one.

The rewritten text of a function runs under CPython with arrays that tell who touches
what. Two iterations of a loop that is to be parallel must not touch one cell that one
of them writes. What each iteration has for itself is held to another rule: a scalar
that the loop sets, and a cell of a temporary that each thread has, must be written in
an iteration before it is read there. Of an array that is reduced into, iterations may
share cells that each of them both reads and writes.

For the sizes tried this is exact, and it uses nothing of how looptx proves anything.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

from kit.recording import Recorded, places
from looptx import source
from looptx.cli.text import plan, transform_text

WATCH = "_watch"
HEADER = re.compile(r"\s*# looptx: applied (.*)")
SIZE = re.compile(r"(\w+) = range\(\1\)\.stop")
ALLOCATE = ("zeros", "ones", "empty", "full")

Cell = tuple[str, tuple[int, ...]]


class Race(Exception):
    """Two iterations meet; the message says where."""


@dataclass
class Parallel:
    """A function as looptx rewrites it, and what is said of its loops.

    Attributes:
        text: the rewritten module.
        loops: for the line of each nest's header, the names of its parallel loops.
        reduced: the arrays and scalars that may be combined in any order.
        private: the temporaries and buffers that each thread has.
    """

    text: str
    loops: dict[int, frozenset[str]]
    reduced: frozenset[str] = frozenset()
    private: frozenset[str] = frozenset()


def parallel(text: str) -> Parallel:
    """What becomes of an annotated function.

    Raises:
        ValueError: it is refused.
    """
    result = transform_text(text, "case.py")
    if result.errors:
        raise ValueError(str(result.errors[0]))
    return Parallel(
        result.text,
        dict(_headers(result.text)),
        frozenset(re.findall(r"\breassociate (\w+)", text)),
        frozenset(_private(text)),
    )


def _private(text: str) -> Iterator[str]:
    """The temporaries and buffers that each thread is to have for itself."""
    module = source.read(text, "case.py")
    for kernel in module.kernels:
        for planned in plan(module, kernel):
            yield from (one.name for one in planned.buffers if one.private)


def _headers(text: str) -> Iterator[tuple[int, frozenset[str]]]:
    """The last lines of the headers of nests, with the names of parallel loops."""
    words: list[str] = []
    lines = text.split("\n")
    for number, (line, behind) in enumerate(itertools.pairwise([*lines, ""]), 1):
        if found := HEADER.match(line):
            words += found[1].split()
            if not HEADER.match(behind):
                pairs = itertools.pairwise(words)
                names = (name for verb, name in pairs if verb == "parallel")
                yield number, frozenset(name.rpartition(".")[2] for name in names)
                words = []


def run(subject: Parallel, arguments: Iterable[Any]) -> int:
    """Call a function with watched copies of its arguments.

    Returns:
        How many iterations its parallel loops had at most.

    Raises:
        Race: what two iterations of one loop do cannot be done at once.
    """
    watch = Watch(subject.reduced, subject.private)
    scope: dict[str, Any] = {WATCH: watch}
    tree = ast.fix_missing_locations(_Following(subject).visit(ast.parse(subject.text)))
    exec(compile(tree, "<watched>", "exec"), scope)
    function = next(v for v in scope.values() if isinstance(v, FunctionType))
    names = function.__code__.co_varnames
    given = (
        watch.array(name, np.copy(value)) if isinstance(value, np.ndarray) else value
        for name, value in zip(names, arguments, strict=False)
    )
    with np.errstate(all="ignore"):
        try:
            function(*given)
        except UnboundLocalError as error:
            raise Race(f"an iteration leaves something to another: {error}") from None
    return watch.most


@dataclass
class Watch:
    """Who touches what in the parallel loop that runs.

    Attributes:
        reduced, private: as in ``Parallel``.
        now: the iteration, None outside of all parallel loops.
        read, written: for every cell, the iterations that do so.
        most: how many iterations a loop had.
    """

    reduced: Collection[str]
    private: Collection[str]
    now: int | None = None
    read: dict[Cell, set[int]] = field(default_factory=dict)
    written: dict[Cell, set[int]] = field(default_factory=dict)
    most: int = 0

    def array(self, name: str, values: Any) -> Recorded:
        """An array that is watched, whose cells are read and written one by one.

        The cells of a scalar for each iteration, a dictionary, are watched as well.
        """

        def told(key: Any, write: bool, value: object) -> None:
            assert np.isscalar(value), "only single cells are watched"
            cell = places(key)
            if isinstance(values, np.ndarray):
                pairs = zip(cell, values.shape, strict=True)
                cell = tuple(int(at) % extent for at, extent in pairs)
            self.touch((name, cell), write)

        return Recorded(values, told)

    def iterations(self, values: range) -> Iterator[int]:
        """The iterations of a parallel loop.

        Raises:
            Race: after the last one, when two of them meet.
        """
        assert self.now is None, "a parallel loop in another"
        self.read, self.written = {}, {}
        for self.now in values:
            yield self.now
        self.now = None
        self.most = max(self.most, len(values))
        self._judge()

    def _judge(self) -> None:
        for cell, writers in self.written.items():
            readers = self.read.get(cell, set())
            if cell[0] in self.private:
                continue
            if cell[0] in self.reduced and readers == writers:
                continue
            if len(readers | writers) > 1:
                one, two = sorted(readers | writers)[:2]
                raise Race(f"iterations {one} and {two} meet in {cell[0]}{cell[1]}")

    def touch(self, cell: Cell, write: bool) -> None:
        """Note an access.

        Raises:
            Race: it reads what another iteration left in a temporary.
        """
        if self.now is None:
            return
        users = self.written if write else self.read
        users.setdefault(cell, set()).add(self.now)
        own = self.now in self.written.get(cell, ())
        if cell[0] in self.private and not own:
            raise Race(
                f"iteration {self.now} reads {cell[0]}{cell[1]} before it writes"
            )


class _Following(ast.NodeTransformer):
    """Reports parallel loops and local arrays to the watch.

    What a parallel loop sets has no value at the start of an iteration.
    """

    def __init__(self, subject: Parallel) -> None:
        self.subject = subject
        self.seen: Counter[tuple[int, str]] = Counter()

    def visit_For(self, node: ast.For) -> ast.For:
        assert isinstance(node.target, ast.Name)
        loops, name = self.subject.loops, node.target.id
        header = max((at for at in loops if at < node.lineno), default=0)
        self.seen[header, name] += 1
        # Of several loops of one name, the text has them in the order of their numbers.
        numbered = f"{name}#{self.seen[header, name]}"
        self.generic_visit(node)
        if header and {name, numbered} & loops[header]:
            stored = {name for line in node.body for name in _set(line)}
            for name in sorted(stored - self.subject.reduced):
                node.body[:0] = ast.parse(f"{name} = None\ndel {name}").body
            node.iter = _reported("iterations", node.iter)
        return node

    def visit_If(self, node: ast.If) -> ast.If:
        """Where an assumption does not hold, the loops run as they were written."""
        loops = (line.lineno for line in node.body if isinstance(line, ast.For))
        first = range(node.lineno, next(loops, node.lineno))
        if any(header in first for header in self.subject.loops):
            node.body = [self.visit(statement) for statement in node.body]
        else:
            self.generic_visit(node)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        match node:
            case ast.Assign(
                [ast.Name(name)], ast.Call(ast.Attribute(ast.Name("np"), made))
            ) if made in ALLOCATE:
                node.value = _reported("array", ast.Constant(name), node.value)
            case ast.Assign([ast.Name(name)], ast.Dict([], [])):
                node.value = _reported("array", ast.Constant(name), node.value)
        return node


def _set(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement gives values; a size that becomes an int keeps its."""
    nodes = list(ast.walk(statement))
    kept = [
        node.targets[0]
        for node in nodes
        if isinstance(node, ast.Assign) and SIZE.fullmatch(ast.unparse(node))
    ]
    for node in nodes:
        stores = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        if stores and node not in kept:
            yield node.id


def _reported(method: str, *arguments: ast.expr) -> ast.expr:
    function = ast.Attribute(ast.Name(WATCH, ast.Load()), method, ast.Load())
    return ast.Call(function, list(arguments), [])
