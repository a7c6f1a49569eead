"""Values that are the expressions they come from, and arrays of them.

A value is a node of a table in which every expression stands once, so that two runs
compute the same only if they give the same nodes. A node also has a small number, which
follows from its expression: it decides branches and is a position where it must be one.
The numbers of sums and products are those of a ring, so that they do not depend on the
order in which a reduction is combined.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import copysign, isinf, prod
from operator import index
from typing import Any

import numpy as np

PRIME = 101

LARGEST = 2**31 - 1
"""What no number is beyond but those with which minima and maxima begin."""

Key = tuple[object, ...]


class Uninitialised(Exception):
    """A cell of ``np.empty`` is read before it is written."""


class Node:
    """An expression; ``uid`` is its place in the table."""

    __slots__ = ("args", "number", "op", "uid")
    __array_ufunc__ = None
    """An integer of NumPy's leaves it to a node what the two make."""

    def __init__(self, op: str, args: Key, number: int, uid: int) -> None:
        self.op = op
        self.args = args
        self.number = number
        self.uid = uid

    def __index__(self) -> int:
        return self.number

    __int__ = __index__

    def __float__(self) -> float:
        return float(self.number)

    def __bool__(self) -> bool:
        return self.number != 0

    def __eq__(self, other: object) -> bool:
        return bool(self.number == number(other))

    def __lt__(self, other: object) -> bool:
        return bool(self.number < number(other))

    def __le__(self, other: object) -> bool:
        return bool(self.number <= number(other))

    def __gt__(self, other: object) -> bool:
        return bool(self.number > number(other))

    def __ge__(self, other: object) -> bool:
        return bool(self.number >= number(other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return shown(self)

    def __add__(self, other: object) -> Node:
        return binary("+", self, other)

    def __radd__(self, other: object) -> Node:
        return binary("+", other, self)

    def __sub__(self, other: object) -> Node:
        return binary("-", self, other)

    def __rsub__(self, other: object) -> Node:
        return binary("-", other, self)

    def __mul__(self, other: object) -> Node:
        return binary("*", self, other)

    def __rmul__(self, other: object) -> Node:
        return binary("*", other, self)

    def __floordiv__(self, other: object) -> Node:
        return binary("//", self, other)

    def __mod__(self, other: object) -> Node:
        return binary("%", self, other)

    def __neg__(self) -> Node:
        return intern("neg", (self.uid,), (self,), -self.number)

    def __abs__(self) -> Node:
        return intern("abs", (self.uid,), (self,), abs(self.number))


_TABLE: dict[Key, Node] = {}

_RESULT: dict[str, Callable[[int, int], int]] = {
    "+": lambda left, right: _ring(left + right),
    "-": lambda left, right: _ring(left - right),
    "*": lambda left, right: _ring(left * right),
    "//": lambda left, right: left // right,
    "%": lambda left, right: left % right,
    "min": min,
    "max": max,
}


def _ring(value: int) -> int:
    return (value + PRIME // 2) % PRIME - PRIME // 2


def clear() -> None:
    """Forget all expressions, between programs."""
    _TABLE.clear()


def intern(op: str, key: Key, args: Key, number: int) -> Node:
    """The one node of an expression, made if there is none yet."""
    full = (op, *key)
    found = _TABLE.get(full)
    if found is None:
        found = _TABLE[full] = Node(op, args, number, len(_TABLE))
    return found


def node(value: object) -> Node:
    """The node of a value, which may be a plain number: Python's own, or NumPy's."""
    if type(value) is Node:
        return value
    # NumPy's integers are as large as Python's, but what is made of them is not.
    kind = type(value).__name__ if isinstance(value, np.integer) else ""
    large = isinstance(value, float) and isinf(value)
    number = int(copysign(LARGEST, value)) if large else int(value)  # type: ignore
    return intern("number", (kind, value), (value,), number)


def number(value: object) -> Any:
    """The number of a value."""
    return value.number if type(value) is Node else value


def binary(op: str, left: object, right: object) -> Node:
    """The expression of an operator between two values."""
    one, two = node(left), node(right)
    result = _RESULT[op](one.number, two.number)
    return intern(op, (one.uid, two.uid), (one, two), result)


def combined(op: str, old: object, new: object) -> Node:
    """One more term of a reduction whose order does not matter.

    Args:
        op: ``+``, ``*``, ``min`` or ``max``.
        old: what it was so far. new: the term.
    """
    one, two = node(old), node(new)
    if _is_neutral(op, two):
        return one
    name = f"any order {op}"
    terms = [
        term
        for each in (one, two)
        for term in (each.args if each.op == name else (each,))
        if not _is_neutral(op, term)
    ]
    ordered = sorted(terms, key=lambda term: term.uid)  # type: ignore[attr-defined]
    key = tuple(term.uid for term in ordered)  # type: ignore[attr-defined]
    return intern(name, key, tuple(ordered), _RESULT[op](one.number, two.number))


def _is_neutral(op: str, term: object) -> bool:
    """Whether a term is a number with which the parts of a reduction begin."""
    if not isinstance(term, Node) or term.op != "number":
        return False
    match op:
        case "+":
            return term.number == 0
        case "*":
            return term.number == 1
    return abs(term.number) >= LARGEST


def leaf(name: str, at: object, value: int) -> Node:
    """What a cell holds before a run."""
    return intern("cell", (name, at), (name, at), value)


def shown(value: object, depth: int = 4) -> str:
    """An expression as text, cut where it is deep."""
    if not isinstance(value, Node):
        return str(value)
    if depth == 0:
        return "..."
    if value.op == "number":
        return repr(value.args[0])
    if value.op == "cell":
        return f"{value.args[0]}[{value.args[1]}]"
    parts = [shown(arg, depth - 1) for arg in value.args]
    if len(parts) == 2 and not value.op[0].isalpha():
        return f"({parts[0]} {value.op} {parts[1]})"
    return f"{value.op}({', '.join(parts)})"


class Grid:
    """An array of nodes that is used as NumPy's are.

    Args:
        shape: its extents.
        filled: what every cell holds first, None for nothing, or for what ``start``
            gives at its place when it is read first.
        start: what an argument holds.
    """

    dtype = np.dtype(float)

    def __init__(
        self,
        shape: tuple[int, ...],
        filled: Node | None = None,
        start: Callable[[int], Node] | None = None,
    ) -> None:
        # NumPy's own extents are Python integers, whatever an array is made with.
        self.shape = tuple(map(index, shape))
        self.values = [filled] * prod(shape)
        self.start = start

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def _at(self, key: Any) -> int:
        place = 0
        keys = key if type(key) is tuple else (key,)
        for one, extent in zip(keys, self.shape, strict=True):
            if type(one) is not int:
                one = index(one)
            if one < 0:
                one += extent
            if not 0 <= one < extent:
                raise IndexError(f"position {key} of {self.shape}")
            place = place * extent + one
        return place

    def __getitem__(self, key: Any) -> Any:
        if type(key) is slice:
            return View(self, self._numbers()[key])
        if type(key) is not tuple and len(self.shape) > 1:
            return Row(self, (key,))
        return self.cell(self._at(key))

    def cell(self, at: int) -> Node:
        """What the cell of that number holds."""
        found = self.values[at]
        if found is None:
            if self.start is None:
                raise Uninitialised
            found = self.values[at] = self.start(at)
        return found

    def __setitem__(self, key: Any, value: object) -> None:
        keys = key if type(key) is tuple else (key,)
        whole = len(keys) == len(self.shape)
        if whole and not any(isinstance(one, slice) for one in keys):
            self.put(self._at(key), node(value))
            return
        every = (*keys, *[slice(None)] * (len(self.shape) - len(keys)))
        ranges = (
            range(*one.indices(extent)) if isinstance(one, slice) else (one,)
            for one, extent in zip(every, self.shape, strict=True)
        )
        for at in product(*ranges):
            self.put(self._at(at), node(value))

    def put(self, at: int, value: Node) -> None:
        """Give the cell of that number a value."""
        self.values[at] = value

    @property
    def T(self) -> View:
        """The array turned round."""
        return View(self, self._numbers().T)

    def copy(self) -> Grid:
        """An array of its own."""
        return Grid(
            self.shape, start=[*map(self.cell, range(prod(self.shape)))].__getitem__
        )

    def _numbers(self) -> Any:
        return np.arange(prod(self.shape)).reshape(self.shape)


class View(Grid):
    """An array with the cells of another in other places."""

    def __init__(self, base: Grid, numbers: Any) -> None:
        super().__init__(numbers.shape)
        self.base = base
        self.numbers = numbers.ravel().tolist()

    def cell(self, at: int) -> Node:
        """What the other array holds there."""
        return self.base.cell(self.numbers[at])

    def put(self, at: int, value: Node) -> None:
        """Give it to the other array."""
        self.base.put(self.numbers[at], value)


class Row:
    """A part of an array whose first positions are given."""

    def __init__(self, grid: Grid, at: tuple[Any, ...]) -> None:
        self.grid = grid
        self.at = at

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents that are left."""
        return self.grid.shape[len(self.at) :]

    def __getitem__(self, key: Any) -> Node:
        return self.grid.cell(self.grid._at((*self.at, key)))

    def __setitem__(self, key: Any, value: object) -> None:
        whole = (*self.at, key)
        self.grid[whole] = value


class Numpy:
    """What stands for NumPy: arrays are grids, and types change nothing."""

    def __init__(self) -> None:
        self.zeros = _maker(0)
        self.ones = _maker(1)
        self.empty = _maker(None)
        self.zeros_like = _liker(0)
        self.ones_like = _liker(1)
        self.empty_like = _liker(None)

    @staticmethod
    def full(shape: Any, value: object, dtype: object = None) -> Grid:
        """``np.full``."""
        return _maker(value)(shape, dtype)

    @staticmethod
    def maximum(left: object, right: object) -> Node:
        """``np.maximum``."""
        return binary("max", left, right)

    def __getattr__(self, name: str) -> Callable[[object], Node]:
        if name.rstrip("_0123456789") in ("float", "int", "complex", "bool", "uint"):
            return node
        raise AttributeError(name)


def _liker(value: object) -> Callable[..., Any]:
    def make(array: Grid, dtype: object = None, shape: Any = None) -> Any:
        return _maker(value)(array.shape if shape is None else shape)

    return make


def _maker(value: object) -> Callable[..., Grid]:
    def make(shape: Any, dtype: object = None) -> Any:
        if dtype is object:
            return [None] * index(shape)
        sizes = tuple(map(index, shape if isinstance(shape, tuple) else (shape,)))
        if any(size < 0 for size in sizes):
            raise ValueError("negative dimensions are not allowed")
        return Grid(sizes, None if value is None else node(value))

    return make
