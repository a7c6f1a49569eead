"""Programs run on values that remember how they were made, and on cells that tell.

A value is a small number, which decides branches and subscripts, and a digest of the
expression that made it: no two executions of tagged statements make equal ones. What
each cell was given, in order, is then the same in two runs only if all conflicting
accesses ran in the same order (or nothing ever read and stored what was different).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from programs import Program
from programs_run import function, inputs

Cell = tuple[int, int]
"""An array, by the order of creation, and a position in it."""

Use = tuple[tuple[tuple[str, int], ...], bool]
"""The loops around an access with their values, and whether it is a write."""


def _binary(symbol: str) -> Callable[[Value, object], Value]:
    def combine(self: Value, other: object) -> Value:
        return Value(_apply(symbol, self, other), (symbol, self, other))

    return combine


def _swapped(symbol: str) -> Callable[[Value, object], Value]:
    def combine(self: Value, other: object) -> Value:
        return Value(_apply(symbol, other, self), (symbol, other, self))

    return combine


def _apply(symbol: str, left: object, right: object) -> int:
    one, two = _number(left), _number(right)
    if symbol == "+":
        return (one + two) % 9 - 4
    if symbol == "-":
        return (one - two) % 9 - 4
    if symbol == "*":
        return one * two % 9 - 4
    return one // two if symbol == "//" else one % two


def _number(value: object) -> int:
    return value.number if isinstance(value, Value) else int(value)  # type: ignore[call-overload]


class Value:
    """A number with a digest of the expression it comes from."""

    __slots__ = ("digest", "number")

    def __init__(self, number: int, origin: Hashable) -> None:
        self.number = number
        self.digest = hash(origin)

    __add__, __radd__ = _binary("+"), _swapped("+")
    __sub__, __rsub__ = _binary("-"), _swapped("-")
    __mul__, __rmul__ = _binary("*"), _swapped("*")
    __floordiv__, __mod__ = _binary("//"), _binary("%")

    def __neg__(self) -> Value:
        return Value(-self.number, ("neg", self))

    def __abs__(self) -> Value:
        return Value(abs(self.number), ("abs", self))

    def __hash__(self) -> int:
        return self.digest

    def __index__(self) -> int:
        return self.number

    def __float__(self) -> float:
        return float(self.number)

    def __eq__(self, other: object) -> bool:
        return self.number == _number(other)

    def __lt__(self, other: object) -> bool:
        return self.number < _number(other)

    def __le__(self, other: object) -> bool:
        return self.number <= _number(other)

    def __gt__(self, other: object) -> bool:
        return self.number > _number(other)

    def __ge__(self, other: object) -> bool:
        return self.number >= _number(other)


@dataclass
class Trace:
    """What a run does, and the tags of its statements (``W`` in the program).

    Attributes:
        stored: the digests every cell was given, in order.
        touched: for every cell, where it was read and written: the values of all loops
            around, by name.
        loops: the loops being executed, from outside in.
    """

    stored: dict[Cell, list[int]] = field(default_factory=dict)
    touched: dict[Cell, set[Use]] = field(default_factory=dict)
    loops: list[tuple[str, int]] = field(default_factory=list)
    arrays: int = 0

    def __getitem__(self, place: object) -> Value:
        numbers = place if isinstance(place, tuple) else (place,)
        return Value(0, ("tag", *map(_number, numbers)))

    def array(self, numbers: Any) -> Cells:
        """A fresh array whose cells hold these numbers."""
        self.arrays += 1
        values = np.empty(numbers.shape, dtype=object)
        for at, number in np.ndenumerate(numbers):
            values[at] = Value(int(number), ("start", self.arrays, at))
        ids = np.arange(numbers.size).reshape(numbers.shape)
        return Cells(self, self.arrays, values, ids)

    def zeros(self, shape: tuple[int, ...]) -> Cells:
        return self.array(np.zeros(shape))

    def ones(self, shape: tuple[int, ...]) -> Cells:
        return self.array(np.ones(shape))

    def around(self, name: str, values: range) -> Iterator[int]:
        """The iterations of a loop, which the trace follows."""
        for value in values:
            self.loops.append((name, value))
            yield value
            self.loops.pop()

    def touch(self, cell: Cell, write: bool) -> None:
        self.touched.setdefault(cell, set()).add((tuple(self.loops), write))


@dataclass
class Cells:
    """An array, or a view of one, that tells a trace what is done to it."""

    trace: Trace
    number: int
    values: Any
    ids: Any

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.values.shape)

    @property
    def T(self) -> Cells:
        return Cells(self.trace, self.number, self.values.T, self.ids.T)

    def copy(self) -> Cells:
        made = self.trace.array(np.zeros(self.shape))
        made.values[...] = self.values
        return made

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, key: Any) -> Any:
        found = self.values[key]
        if isinstance(found, np.ndarray):
            return Cells(self.trace, self.number, found, self.ids[key])
        self.trace.touch((self.number, int(self.ids[key])), False)
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, Cells):
            self._all_read(value)
            value = value.values
        self.values[key] = value
        stored = np.asarray(self.values[key], dtype=object)
        for at, made in zip(np.ravel(self.ids[key]), stored.flat, strict=True):
            cell = self.number, int(at)
            self.trace.stored.setdefault(cell, []).append(hash(made))
            self.trace.touch(cell, True)

    def __iadd__(self, value: object) -> Cells:
        self._all_read(self)
        self[...] = self.values + value
        return self

    def _all_read(self, cells: Cells) -> None:
        for at in cells.ids.flat:
            self.trace.touch((cells.number, int(at)), False)


def followed(text: str) -> str:
    """The program with loops that the trace follows and arrays that it makes."""

    class Follow(ast.NodeTransformer):
        def visit_For(self, node: ast.For) -> ast.For:
            self.generic_visit(node)
            if isinstance(node.iter, ast.Call) and isinstance(node.target, ast.Name):
                call = ast.parse(f"W.around({node.target.id!r})", mode="eval").body
                assert isinstance(call, ast.Call)
                call.args.append(node.iter)
                node.iter = call
            return node

    tree = ast.fix_missing_locations(Follow().visit(ast.parse(text)))
    return re.sub(r"\bnp\.(zeros|ones)\b", r"W.\1", ast.unparse(tree))


@dataclass(frozen=True)
class Sizes:
    """The sizes of a run; ``extents`` as in ``inputs``."""

    n: int
    m: int
    extents: Mapping[str, int] = field(default_factory=dict)


def some_sizes(message: str) -> Iterator[Sizes]:
    """The sizes that an error names, then small ones."""
    named = {
        text: int(number)
        for text, number in re.findall(r"([\w.]+(?:\[\d\])?)=(\d+)[,:]", message)
    }
    n, m = named.get("n", named.get("A.shape[0]", 4)), named.get("m", 4)
    yield Sizes(n, m, named)
    for size in (*range(7), 9, 13):
        yield Sizes(size, size)
    yield Sizes(4, 7)
    yield Sizes(11, 5)


def traced(
    program: Program, text: str, sizes: Sizes, seed: int
) -> tuple[Trace, object]:
    """The trace of a run of ``text``, and a digest of what it returns.

    The digest of a program that raises is its exception.
    """
    trace = Trace()
    given = inputs(program, sizes.n, sizes.m, seed, sizes.extents)
    arguments = {
        name: trace.array(value) if isinstance(value, np.ndarray) else value
        for name, value in given.items()
    }
    try:
        results = function(followed(text))(W=trace, **arguments)
    except Exception as error:
        return trace, error
    return trace, [hash(value) for value in results if not isinstance(value, Cells)]


def order_differs(program: Program, new: str, message: str) -> bool | None:
    """Whether some run stores other values, or stores them in another order.

    None when the program raises at the sizes that the message names, or at most others.
    """
    ran = []
    for sizes in some_sizes(message):
        for seed in range(2):
            before, left = traced(program, program.tagged, sizes, seed)
            if isinstance(left, Exception):
                continue
            ran.append(sizes)
            after, right = traced(program, new, sizes, seed)
            if left != right or before.stored != after.stored:
                return True
    return False if len(ran) > 12 and next(some_sizes(message)) in ran else None


def runs_together(program: Program, new: str, message: str) -> bool | None:
    """Whether different iterations of the loop that an error names touch one cell.

    None when the program raises at the sizes that the message names, or at most others.
    """
    named = re.search(r"different iterations of (\S+) ", message)
    assert named, message
    ran = []
    for sizes in some_sizes(message):
        for seed in range(2):
            trace, left = traced(program, new, sizes, seed)
            if any(_meet(uses, named[1]) for uses in trace.touched.values()):
                return True
            if not isinstance(left, Exception):
                ran.append(sizes)
    return False if len(ran) > 12 and next(some_sizes(message)) in ran else None


def _meet(uses: set[Use], loop: str) -> bool:
    """Whether iterations of one run of a loop touch a cell that one of them writes."""
    groups: dict[Hashable, set[tuple[int, bool]]] = {}
    for around, write in uses:
        for depth, (name, value) in enumerate(around):
            if name.strip("_").rstrip("0123456789") == loop:
                groups.setdefault(around[:depth], set()).add((value, write))
    return any(
        len({value for value, _ in group}) > 1 and any(write for _, write in group)
        for group in groups.values()
    )
