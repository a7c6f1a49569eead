"""Functions run at given sizes, with arrays that write down what is done to them.

An *instance* is one execution of a statement: the statement's number in the text, then
the values of the loops around it. A statement says which instance it is by a read of
``W`` at just these numbers, in the original and in whatever is made of it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

Instance = tuple[int, ...]
Cell = tuple[str, tuple[int, ...]]
Event = tuple[str, Cell]
"""``("read", cell)`` or ``("write", cell)``."""

EXTENT = 100_000
"""The extent of every array in every direction, unless another is asked for."""


SCALAR = re.compile(r"t\d+")
DIRECTIVE = re.compile(r"\s*# looptx: (.*)")


@dataclass
class Source:
    """A function with its directives.

    Attributes:
        reporting: the module, made to report its loops and statements.
        ranks: the arrays it takes. names: every identifier it uses. variables: of
            these, those of loops.
        body: the statements of the function.
        uses: for every assignment, what it writes and what it touches: arrays and
            scalars.
        directives: the verbs in order, each with the line of the nest it stands on, 0
            for those of the function.
        named: ``nest`` directives: the names that loops have, by line.
    """

    reporting: CodeType
    ranks: dict[str, int]
    names: frozenset[str]
    variables: frozenset[str]
    body: list[ast.stmt]
    uses: list[tuple[frozenset[str], frozenset[str]]]
    directives: list[tuple[str, int]] = field(default_factory=list)
    named: dict[int, str] = field(default_factory=dict)


def read(text: str) -> Source:
    """A module with one function ``g(W, <arrays>, n, m)``."""
    tree = ast.parse(text)
    (function,) = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    arguments = {argument.arg for argument in function.args.args}
    ranks = dict.fromkeys(arguments - {"W", "n", "m"}, 1)
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
            ranks[ast.unparse(node.value)] = len(node.slice.elts)
    ranks.pop("W", None)
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    names |= arguments
    loops = (node.target for node in ast.walk(function) if isinstance(node, ast.For))
    variables = frozenset(map(ast.unparse, loops))
    body = ast.parse(text).body[0].body  # type: ignore[attr-defined]
    reporting = ast.fix_missing_locations(_Reporting().visit(tree))
    code = compile(reporting, "<original>", "exec")
    source = Source(code, ranks, frozenset(names), variables, body, list(_uses(body)))
    pending: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if found := DIRECTIVE.match(line):
            pending += found[1].split(" | ")
        elif pending:
            at = 0 if number == function.lineno else number
            for verb in pending:
                if verb.startswith("nest "):
                    source.named[at] = verb.split()[1]
                elif not verb.startswith("trust "):
                    source.directives.append((verb, at))
            pending = []
    return source


def _uses(body: list[ast.stmt]) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    for statement in body:
        if isinstance(statement, ast.For | ast.If):
            yield from _uses(statement.body)
            continue
        written, touched = set(), set()
        for node in ast.walk(statement):
            name = ast.unparse(node.value if isinstance(node, ast.Subscript) else node)
            if isinstance(node, ast.Subscript) or SCALAR.fullmatch(name):
                touched.add(name)
                if isinstance(node.ctx, ast.Store):
                    written.add(name)
        yield frozenset(written), frozenset(touched - {"W"})


@dataclass
class Memory:
    """What a run does to arrays: every access in order, and the numbers it leaves."""

    extents: Mapping[str, int] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    cells: dict[Cell, float] = field(default_factory=dict)

    def array(self, name: str, rank: int) -> Array:
        sizes = (
            self.extents.get(f"{name}.shape[{axis}]", EXTENT) for axis in range(rank)
        )
        return Array(self, name, tuple(sizes))


@dataclass
class Array:
    """An array of floats in a memory; negative subscripts count from the end."""

    memory: Memory
    name: str
    shape: tuple[int, ...]

    def _cell(self, key: Any) -> Cell:
        place = key if isinstance(key, tuple) else (key,)
        pairs = zip(place, self.shape, strict=True)
        return self.name, tuple(at + size * (at < 0) for at, size in pairs)

    def __getitem__(self, key: Any) -> float:
        cell = self._cell(key)
        self.memory.events.append(("read", cell))
        return self.memory.cells.get(cell) or _first(cell)

    def __setitem__(self, key: Any, value: float) -> None:
        cell = self._cell(key)
        self.memory.events.append(("write", cell))
        self.memory.cells[cell] = value

    def __len__(self) -> int:
        return self.shape[0]


@dataclass
class Tags:
    """``W``: reading it tells the memory which instance is running."""

    memory: Memory

    def __getitem__(self, key: Any) -> float:
        place = key if isinstance(key, tuple) else (key,)
        self.memory.events.append(("read", ("W", place)))
        return _first(("W", place))


def _first(cell: Cell) -> float:
    """What a cell holds before anything is written: no two neighbours the same."""
    name, place = cell
    number = ord(name)
    for coordinate in place:
        number = (number * 31 + coordinate * 7 + 5) % 1009
    return number / 64 + 1


def run(
    code: str | CodeType,
    ranks: Mapping[str, int],
    sizes: Mapping[str, int],
    extents: Mapping[str, int] | None = None,
    **more: object,
) -> Memory:
    """Call ``g`` of a module with traced arrays.

    Args:
        code: the module.
        ranks: the arrays that ``g`` takes.
        sizes: the integers that it takes.
        extents: the extents of arrays that are not the usual one, by name.
        more: names that the module may use.
    """
    memory = Memory(extents or {})
    scope: dict[str, Any] = dict(more)
    exec(code, scope)
    arrays = {name: memory.array(name, rank) for name, rank in ranks.items()}
    scope["g"](W=Tags(memory), **arrays, **sizes)
    return memory


def instances(memory: Memory) -> list[Instance]:
    """The instances in the order in which they ran."""
    return [place for _, (name, place) in memory.events if name == "W"]


@dataclass
class Original:
    """A function as it stands, run once at given sizes.

    Attributes:
        order: its instances, in order.
        instances: the same for each statement.
        touched: what each of them does to arrays, tags included.
        values: for every loop, by line, the values it takes.
        cells: what it leaves behind.
    """

    order: list[Instance] = field(default_factory=list)
    instances: dict[int, list[Instance]] = field(default_factory=dict)
    touched: dict[Instance, tuple[Event, ...]] = field(default_factory=dict)
    values: dict[int, set[int]] = field(default_factory=dict)
    cells: dict[Cell, float] = field(default_factory=dict)


def original(
    source: Source,
    sizes: Mapping[str, int],
    extents: Mapping[str, int] | None = None,
) -> Original:
    """Run a function as it stands, and note what every instance does."""
    found = Original()
    starts: list[int] = []

    def around(line: int, values: range) -> Iterable[int]:
        found.values.setdefault(line, set()).update(values)
        return values

    def begin(tags: Tags) -> None:
        starts.append(len(tags.memory.events))

    ran = run(
        source.reporting, source.ranks, sizes, extents, around=around, begin=begin
    )
    ends = [*starts[1:], len(ran.events)]
    for first, last in zip(starts, ends, strict=False):
        events = tuple(ran.events[first:last])
        (tag,) = (place for _, (name, place) in events if name == "W")
        found.order.append(tag)
        found.instances.setdefault(tag[0], []).append(tag)
        found.touched[tag] = events
    found.cells = ran.cells
    return found


class _Reporting(ast.NodeTransformer):
    def visit_For(self, node: ast.For) -> ast.For:
        self.generic_visit(node)
        line = ast.Constant(node.lineno)
        node.iter = ast.Call(ast.Name("around", ast.Load()), [line, node.iter], [])
        return node

    def visit_Assign(self, node: ast.stmt) -> list[ast.stmt]:
        return [*ast.parse("begin(W)").body, node]

    visit_AugAssign = visit_Assign


def conflicts(
    order: Iterable[Instance], touched: Mapping[Instance, tuple[Event, ...]]
) -> Mapping[Cell, Hashable]:
    """For every cell, its writes in order and the reads between two of them.

    Two orders agree here exactly if all conflicting accesses run in the same order.
    """
    found: dict[Cell, list[set[Instance] | Instance]] = {}
    for instance in order:
        for kind, cell in touched[instance]:
            history = found.setdefault(cell, [set()])
            if kind == "write":
                history += [instance, set()]
            else:
                between = history[-1]
                assert isinstance(between, set)
                between.add(instance)
    return {cell: history for cell, history in found.items() if len(history) > 1}


def same(one: Mapping[Cell, float], two: Mapping[Cell, float]) -> bool:
    """Whether two memories hold the same numbers, to the bit."""
    if one.keys() != two.keys():
        return False
    return all(one[cell].hex() == two[cell].hex() for cell in one)
