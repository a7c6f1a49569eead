"""The executions of a function's statements and what each of them touches.

They are read off the tree of the program, not off a run of its text: every loop and
affine condition is carried out, every subscript evaluated, nothing is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from fuzz.programs.model import Assign, For, Function, If, Node, Odd
from fuzz.programs.terms import (
    Cell,
    Choice,
    Expr,
    Name,
    Op,
    cells,
    extents,
    names,
    parts,
    text,
)

ROOM = 24
"""The extent of arrays where nothing else is said."""

LIMIT = 20_000
"""How many executions are too many."""

Instance = tuple[int, tuple[int, ...]]
"""The number of a statement, from 1 on, and the values of its loops."""

Place = tuple[str, tuple[int, ...]]
"""A cell of an array, or a scalar, which has no subscripts."""


NOTHING: Place = ("", ())
"""What an execution writes that raises."""


class TooMany(Exception):
    """There are more executions than it makes sense to look at."""


@dataclass
class Access:
    """One execution: what it reads, and what it writes.

    Attributes:
        op: how it combines what was there, ``+``, ``*``, ``<`` or ``>``; else ``""``.
    """

    reads: list[Place]
    write: Place
    op: str


@dataclass
class Extents:
    """The extents of the arrays at some sizes.

    Attributes:
        known: those that are given, as ``{"A.shape[0]": 4}``; where sizes are those of
            an array, its extents are the sizes.
    """

    function: Function
    n: int
    m: int
    known: Mapping[str, int] = field(default_factory=dict)

    def of(self, name: str) -> tuple[int, ...]:
        """The shape of an array."""
        for local in self.function.locals:
            if local.name == name and local.like:
                return self.of(self.function.setting.owner(local.like))
            if local.name == name:
                values = {"n": self.n, "m": self.m}
                return tuple(eval(text(size), values) for size in local.shape)
        rank = next(array.rank for array in self.function.arrays if array.name == name)
        if self.function.shaped and name == self.function.giver:
            return self.n, self.m
        usual = [max(ROOM, 4 * max(self.n, self.m) + 9)] * rank
        return tuple(
            self.known.get(f"{name}.shape[{axis}]", extent)
            for axis, extent in enumerate(usual)
        )


def positions(n: int) -> list[int]:
    """What index arrays hold."""
    return [(3 * at + 1) % max(n, 1) for at in range(2 * ROOM)]


def analysable(nodes: Sequence[Node]) -> bool:
    """Whether all is known of statements and branches, whatever arrays hold."""
    for node in nodes:
        match node:
            case If(condition, body, orelse):
                if any(cells(condition)) or not analysable((*body, *orelse)):
                    return False
            case For(_, start, stop, _, body):
                bounds = start, stop
                if any(any(extents(x)) or any(cells(x)) for x in bounds):
                    return False
                # A nest in a loop that is none of its own is not looked at alone.
                if any(isinstance(x, For) and x.directives for x in body):
                    return False
                if not analysable(body):
                    return False
            case Odd():
                return False
    return True


class Enumerated:
    """The executions of a function, at any sizes.

    Args:
        function: the function.
        unchecked: arrays that may be used outside of their size.

    Attributes:
        wraps: whether some subscript counted from the end of its array.
        outside: whether some unchecked array was used outside of its size.
    """

    def __init__(
        self, function: Function, unchecked: frozenset[str] = frozenset()
    ) -> None:
        self.function = function
        self.unchecked = unchecked
        self.wraps = False
        self.outside = False
        derived = function.setting.derived
        sizes = {"n", "m", *(name for name, _, _ in derived)}
        numbers = count(1)
        lines = ["def run(put, n, m, idx):"]
        lines += [f"    {name} = {value}" for name, _, value in derived]
        lines += block(
            function.body, lambda node, loops: _put(next(numbers), node, loops, sizes)
        )
        scope: dict[str, Any] = {}
        exec(compile("\n".join(lines), "<enumeration>", "exec"), scope)
        self._run: Callable[..., None] = scope["run"]

    def at(
        self, extents: Extents, found: dict[Instance, Access] | None = None
    ) -> dict[Instance, Access]:
        """All executions in their order.

        Args:
            extents: at which. found: what they are put into, if all raises, too.

        Raises:
            IndexError: one touches a cell that there is not.
            TooMany: they are.
        """
        found = {} if found is None else found
        shapes: dict[str, tuple[int, ...]] = {}

        def place(name: str, at: tuple[int, ...]) -> Place:
            if not at:
                return name, at
            name = self.function.setting.owner(name)
            shape = shapes.get(name)
            if shape is None:
                shape = shapes[name] = extents.of(name)
            if name in self.unchecked:
                inside = all(0 <= x < size for x, size in zip(at, shape, strict=True))
                self.outside = self.outside or not inside
                return name, at
            for one, extent in zip(at, shape, strict=True):
                if not -extent <= one < extent:
                    raise IndexError
            if min(at) < 0:
                self.wraps = True
                pairs = zip(at, shape, strict=True)
                return name, tuple(x + size if x < 0 else x for x, size in pairs)
            return name, at

        def put(
            number: int,
            loops: tuple[int, ...],
            reads: list[Place],
            write: Place,
            op: str,
        ) -> None:
            if len(found) > LIMIT:
                raise TooMany
            # One that raises has done what comes before.
            access = found[number, loops] = Access([], NOTHING, op)
            for one in reads:
                access.reads.append(place(*one))
            access.write = place(*write)

        self.outside = False
        self._run(put, extents.n, extents.m, positions(extents.n))
        return found


def block(
    nodes: Sequence[Node],
    told: Callable[[Assign, tuple[str, ...]], str],
    around: Callable[[str], str] = str,
    loops: tuple[str, ...] = (),
) -> list[str]:
    """The body of a function that carries out loops and conditions, and only tells.

    Args:
        nodes: statements.
        told: what stands for a statement in loops of these names.
        around: what a loop runs over, given its range.
        loops: those around the statements.

    Returns:
        Its lines, which are not empty.
    """
    found: list[str] = []
    for node in nodes:
        match node:
            case For(var, start, stop, step, body):
                values = around(f"range({text(start)}, {text(stop)}, {step})")
                found.append(f"for {var} in {values}:")
                found += block(body, told, around, (*loops, var))
            case If(condition, body, orelse):
                found += [f"if {text(condition)}:", *block(body, told, around, loops)]
                found += ["else:", *block(orelse, told, around, loops)]
            case Assign():
                found.append(told(node, loops))
    return [f"    {line}" for line in found or ["pass"]]


def _put(number: int, node: Assign, loops: tuple[str, ...], sizes: set[str]) -> str:
    """The line that puts an execution among those found."""
    target, op, value = node.target, node.op, node.value
    at = "".join(f"{loop}, " for loop in loops or ("0",))
    known = {*loops, *sizes}
    reads = list(_reads(value, known))
    if isinstance(target, Cell):
        reads += [x for one in target.at for x in _reads(one, known)]
    kind = {"+=": "+", "-=": "+", "*=": "*", "=": ""}.get(op, op)
    if op == "=" and _summed(target, value):
        kind = "+"
        reads.remove(_place(target))
    listed = ", ".join(reads)
    return f"put({number}, ({at}), [{listed}], {_place(target)}, {kind!r})"


def _summed(target: Cell | Name, value: Expr) -> bool:
    """Whether ``target = value`` adds something to its target."""
    while isinstance(value, Op) and value.op in "+-":
        value = value.left
    return value == target


def _reads(value: Expr, known: set[str]) -> Iterator[str]:
    """What an expression reads, as items of a list; ``known`` are loops and sizes.

    Where loops and sizes decide, only what is chosen is read.
    """
    match value:
        case Name(name) if name not in known:
            yield _place(value)
        case Choice(condition, then, other) if names(condition) <= known:
            one, two = (", ".join(_reads(x, known)) for x in (then, other))
            yield f"*([{one}] if {text(condition)} else [{two}])"
        case _:
            for part in parts(value):
                yield from _reads(part, known)
            if isinstance(value, Cell):
                yield _place(value)


def _place(target: Cell | Name) -> str:
    if isinstance(target, Name):
        return f"({target.name!r}, ())"
    return f"({target.array!r}, ({''.join(f'{text(one)}, ' for one in target.at)}))"
