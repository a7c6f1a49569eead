"""Functions as they stand at given sizes: their instances, and the values of loops.

An *instance* is one execution of a statement: the statement's number in the text, then
the values of the loops around it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count

from fuzz.oracles import enumeration
from fuzz.programs.model import Assign, For, Function, If, Node, walk
from fuzz.programs.nodes import SIZES, Printer, block, every, surrounding
from fuzz.programs.terms import Name, cells, names

Instance = tuple[int, ...]


@dataclass
class Source:
    """A function with its directives.

    Attributes:
        function: the function.
        names: every identifier it uses. variables: of these, those of loops.
        scalars: of these, those that it sets.
        uses: for every statement, what it writes and what it touches: arrays and
            scalars.
        directives: the verbs in order, each with the number of the loop it stands on,
            0 for those of the function.
        named: ``nest`` directives: the names that loops have, by number.
        single: the same of statements.
        around: for every statement, the loops around it, outermost first.
        known: the names in bounds, subscripts and conditions of the nest that it is in.
    """

    function: Function
    names: frozenset[str]
    variables: frozenset[str]
    scalars: frozenset[str]
    uses: list[tuple[frozenset[str], frozenset[str]]]
    directives: list[tuple[str, int]]
    named: dict[int, str]
    single: dict[int, str]
    around: list[tuple[For, ...]]
    known: list[frozenset[str]]


def read(function: Function) -> Source:
    """What is to be known of a function besides its instances."""
    loops = [node for node in walk(function.body) if isinstance(node, For)]
    assigned = [node for node in walk(function.body) if isinstance(node, Assign)]
    variables = frozenset(loop.var for loop in loops)
    known = {*variables, *SIZES}
    texts = [(text, 0) for text in function.directives]
    texts += [
        (text, number)
        for number, loop in enumerate(loops, 1)
        for text in loop.directives
    ]
    return Source(
        function,
        function.used() | known | {array.name for array in function.arrays},
        variables,
        frozenset(x.target.name for x in assigned if isinstance(x.target, Name)),
        [
            (names(one.target) - known & names(one.target), every(one) - known)
            if isinstance(one.target, Name)
            else (frozenset((one.target.array,)), every(one) - known)
            for one in assigned
        ],
        [
            (verb, at)
            for text, at in texts
            for verb in text.split(" | ")
            if not verb.startswith("trust ")
        ],
        {number: loop.label for number, loop in enumerate(loops, 1) if loop.label},
        {number: one.label for number, one in enumerate(assigned) if one.label},
        list(surrounding(function.body)),
        [
            frozenset().union(*map(_known, walk([top])))
            for top in function.body
            for node in walk([top])
            if isinstance(node, Assign)
        ],
    )


def _known(node: Node) -> frozenset[str]:
    """The names that say where and when something runs or is."""
    match node:
        case For(_, start, stop):
            return names(start) | names(stop)
        case If(condition):
            return names(condition)
        case Assign(target, _, value):
            places = [x for cell in (*cells(target), *cells(value)) for x in cell.at]
            return frozenset().union(*map(names, places))
    return frozenset()


@dataclass
class Original:
    """A function as it stands, run once at given sizes.

    Attributes:
        sizes: those that it is run at.
        order: its instances, in order.
        instances: the same for each statement.
        values: for every loop, by number, the values it takes.
    """

    sizes: Mapping[str, int]
    order: list[Instance] = field(default_factory=list)
    instances: dict[int, list[Instance]] = field(default_factory=dict)
    values: dict[int, set[int]] = field(default_factory=dict)


def original(function: Function, sizes: Mapping[str, int]) -> Original:
    """What a function runs at some sizes."""
    bare = "\n".join(block(function.body, Printer(directed=False)))
    return _original(_Bare(bare, function.body), tuple(sizes.items()))


@dataclass(frozen=True)
class _Bare:
    """Statements that are told apart by their text, without directives."""

    text: str
    body: tuple[Node, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Bare) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


@lru_cache(maxsize=256)
def _original(bare: _Bare, sizes: tuple[tuple[str, int], ...]) -> Original:
    statements, loops = count(), count(1)
    body = enumeration.block(
        bare.body,
        lambda _, names: f"instance({', '.join((str(next(statements)), *names))})",
        lambda values: f"around({next(loops)}, {values})",
    )
    lines = ["def run(instance, around, n, m):", *body]
    scope: dict[str, object] = {}
    exec(compile("\n".join(lines), "<original>", "exec"), scope)
    found = Original(dict(sizes))

    def instance(*one: int) -> None:
        found.order.append(one)
        found.instances.setdefault(one[0], []).append(one)

    def around(number: int, values: range) -> range:
        found.values.setdefault(number, set()).update(values)
        return values

    scope["run"](instance, around, **dict(sizes))  # type: ignore[operator]
    return found
