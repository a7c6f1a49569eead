"""Values that remember the expression that made them.

A ``Symbol`` is a node of an expression and a number beside it. Nodes are hash-consed:
two symbols are the same object if and only if their expressions are the same, down to
the cells that a function was given. The number decides branches, subscripts and ranges.
It need not be what the machine would compute: operations are taken as total functions,
the same in every run, so that no overflow and no domain error ends one.

(Concrete and symbolic execution side by side: Godefroid, Klarlund, Sen, *DART*, 2005.)
"""

from __future__ import annotations

import operator
import random
import zlib
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from looptx.model.dtypes import ROWS
from looptx.validation.symbols.arithmetic import (
    COMBINING,
    COMPARISONS,
    OPERATORS,
    SAME,
    plain,
    total,
)

NARROW = {row.name: int if row.is_integer else float for row in ROWS if not row.python}
"""The others, by the Python type that has more values."""

_DEPTH = 8
"""How deep an expression is looked into for its type: rounding it again is harmless."""


class Symbol:
    """An expression. Made by a ``Table`` only.

    Attributes:
        op: ``cell`` and ``scalar`` for inputs, ``constant``, or what was done.
        args: the operands; of an input its name (and subscripts), of a constant it.
        number: what branches see.
    """

    __slots__ = ("_table", "args", "number", "op")

    def __init__(
        self, table: Table, op: str, args: tuple[Any, ...], number: Any
    ) -> None:
        self._table = table
        self.op = op
        self.args = args
        self.number = number

    def __bool__(self) -> bool:
        return bool(self.number)

    def __index__(self) -> int:
        return operator.index(self.number)

    def __format__(self, spec: str) -> str:
        """A text that is the same for the same expression only."""
        return f"<{id(self):x} {spec}>"

    def __neg__(self) -> Symbol:
        return self._table.apply("-x", operator.neg, self)

    def __pos__(self) -> Symbol:
        return self._table.apply("+x", operator.pos, self)

    def __invert__(self) -> Symbol:
        return self._table.apply("~x", operator.invert, self)

    def __abs__(self) -> Symbol:
        return self._table.apply("abs", abs, self)

    @property
    def real(self) -> Symbol:
        """The real part."""
        return self._table.apply("real", operator.attrgetter("real"), self)

    @property
    def imag(self) -> Symbol:
        """The imaginary part."""
        return self._table.apply("imag", operator.attrgetter("imag"), self)

    def conjugate(self) -> Symbol:
        """The complex conjugate."""
        return self._table.apply("conjugate", operator.methodcaller("conjugate"), self)


class Table:
    """All expressions of a validation, each once.

    Args:
        seed: of the pseudo-random numbers beside the inputs.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self._nodes: dict[Hashable, Symbol] = {}
        self._combined: dict[int, tuple[int, Any]] = {}
        self._marks: dict[int, int] = {}
        self._held: dict[int, str] = {}
        self._random = random.Random(seed)

    def __len__(self) -> int:
        return len(self._nodes)

    def leaf(
        self,
        op: str,
        args: tuple[Any, ...],
        number: Callable[[], Any],
        dtype: str = "",
    ) -> Symbol:
        """An input; ``number`` is asked the first time.

        Args:
            op: what kind of input it is.
            args: its name, and the subscripts of a cell.
            number: gives the number beside it.
            dtype: the type of the cell.

        Returns:
            The symbol, the same for the same input.
        """
        key = op, args
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = Symbol(self, op, args, number())
            self._held[id(node)] = dtype
        return node

    def constant(self, value: object) -> Symbol:
        """A number that is no input, by type and digits (0.0 is not -0.0)."""
        # Equal keys must be equal numbers: neither zeros nor NaNs are by themselves.
        plain_key = isinstance(value, (int, float)) and value == value and value != 0
        key = type(value), value if plain_key else repr(value)
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = Symbol(self, "constant", (value,), value)
        return node

    def symbol(self, value: object) -> Symbol:
        """The symbol of a value."""
        return value if type(value) is Symbol else self.constant(plain(value))

    def apply(self, op: str, function: Callable[..., Any], *values: object) -> Symbol:
        """What an operation makes of values, at least one of them a symbol.

        Args:
            op: its name in expressions. function: what it does to numbers.
            values: the operands.

        Returns:
            The one symbol of that operation on these values.
        """
        args = tuple([v if type(v) is Symbol else self.constant(v) for v in values])
        key = (op, *map(id, args))
        node = self._nodes.get(key)
        return self._make(key, op, function, args) if node is None else node

    def pair(
        self, op: str, function: Callable[[Any, Any], Any], one: Symbol, two: Symbol
    ) -> Symbol:
        """``apply`` for two symbols, which is nearly all of them.

        Args:
            op: the operation.
            function: what it does to numbers.
            one: the left operand.
            two: the right one.

        Returns:
            The symbol of the result.
        """
        key = op, id(one), id(two)
        node = self._nodes.get(key)
        return self._make(key, op, function, (one, two)) if node is None else node

    def _make(
        self,
        key: Hashable,
        op: str,
        function: Callable[..., Any],
        args: tuple[Symbol, ...],
    ) -> Symbol:
        number = total(function, [arg.number for arg in args])
        node = self._nodes[key] = Symbol(self, op, args, number)
        return node

    def combine(
        self, op: str, old: object, term: object, begins: bool = False
    ) -> object:
        """``old op term`` where the order of the terms is free.

        Two results are the same if they combine the same terms, each as often: what
        identifies one is the sum of a random number of 128 bits for every term. A term
        that was combined so itself is all of its terms.

        Args:
            op: the operation.
            old: what was combined so far.
            term: what is combined with it.
            begins: whether ``old`` is neutral, and so no term.

        Returns:
            The symbol of the result, or a number where both are.
        """
        function = COMBINING[op]
        if type(old) is Symbol and (old.op in SAME or old.op in NARROW):
            # What was combined so far, as a cell of another type holds it.
            old = self.uncast(op, old, old.op)
        if isinstance(old, int) and isinstance(term, int):
            return function(old, term)
        digest, exact = 0, None
        for value in (term,) if begins else (old, term):
            known = self._combined.get(id(value)) if type(value) is Symbol else None
            whole: Any = value if isinstance(value, int) else None
            if known is not None and type(value) is Symbol and value.op == f"any {op}":
                digest, whole = digest + known[0], known[1]
            elif whole is None:
                digest += self._mark(self.symbol(value))
            if whole is not None:
                exact = whole if exact is None else function(exact, whole)
        digest %= 2**128
        key = "any", op, digest, exact
        node = self._nodes.get(key)
        if node is None:
            args = self.symbol(old), self.symbol(term)
            number = total(function, [arg.number for arg in args])
            node = self._nodes[key] = Symbol(self, f"any {op}", args, number)
            self._combined[id(node)] = digest, exact
        return node

    def uncast(self, op: str, value: object, dtype: str) -> object:
        """What a cell of a type was given, where that was combined in any order.

        Args:
            op: the operation. value: the cell's. dtype: the type.
        """
        if type(value) is Symbol and value.op == dtype:
            (given,) = value.args
            return given if given.op == f"any {op}" else value
        return value

    def in_order(self, op: str, old: object, term: object) -> Symbol:
        """``old op term``, an expression even where both are plain numbers.

        Args:
            op: the operation.
            old: what was combined so far.
            term: what is combined with it.

        Returns:
            The symbol of the result.
        """
        return self.apply(op, COMBINING[op], old, term)

    def _mark(self, node: Symbol) -> int:
        """The random number of a term."""
        if id(node) not in self._marks:
            self._marks[id(node)] = self._random.getrandbits(128)
        return self._marks[id(node)]

    def cast(self, dtype: str, value: Any) -> Any:
        """A value as an element of an array of this type holds it."""
        kind = SAME.get(dtype)
        if type(value) is not Symbol:
            if kind is not None:
                return value if type(value) is kind else _plain_cast(kind, value)
            return self.apply(dtype, NARROW[dtype], value) if dtype in NARROW else value
        if kind is not None:
            return (
                value if type(value.number) is kind else self.apply(dtype, kind, value)
            )
        if dtype not in NARROW or self._has(dtype, value):
            return value
        if NARROW[dtype] is int and value.op == "int64":
            # ``int32(int(x))``: a float becomes an integer first, as in a cell.
            value = value.args[0]
        return self.apply(dtype, NARROW[dtype], value)

    def _has(self, dtype: str, value: Symbol, depth: int = _DEPTH) -> bool:
        """Whether a value is of a type that is not Python's, for sure (NEP 50)."""
        if value.op == dtype or self._held.get(id(value)) == dtype:
            return True
        whole = NARROW[dtype] is int
        known = value.op in ("+", "-", "*", "-x", "+x") or (
            value.op == "/" and not whole
        )
        if not (known and depth):
            return False
        numbers = [one.args[0] for one in value.args if one.op == "constant"]
        others = [one for one in value.args if one.op != "constant"]
        weak = all(type(x) is int or (type(x) is float and not whole) for x in numbers)
        if not (
            others and weak and all(self._has(dtype, x, depth - 1) for x in others)
        ):
            return False
        self._held[id(value)] = dtype
        return True

    def chance(self, *key: object) -> int:
        """A pseudo-random number of 32 bits, the same in every process."""
        text = repr((self.seed, key)).encode("utf-8", "surrogatepass")
        # A checksum alone is linear: similar texts would have related numbers.
        return zlib.crc32(text) * 0x9E3779B97F4A7C15 >> 24 & 0xFFFFFFFF

    def number(self, dtype: str, key: object) -> Any:
        """A pseudo-random number of a type."""
        chance = self.chance(key)
        if dtype == "bool":
            return bool(chance & 64)
        if "int" in dtype:
            return chance % 7
        value = chance / 2**30 - 2.0
        return complex(value, 1.0 - value) if dtype.startswith("complex") else value


def is_whole(value: Any) -> bool:
    """Whether a value is an integer, as far as it is known."""
    number = value.number if type(value) is Symbol else plain(value)
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool)


def adds_whole(op: str, old: Any, term: Any) -> bool:
    """Whether a term is an integer, or counts as one in a sum of integers.

    Args:
        op: the operation. old: what was combined so far. term: what comes to it.
    """
    number = term.number if type(term) is Symbol else plain(term)
    counts = op == "+" and isinstance(number, (bool, np.bool_)) and is_whole(old)
    return counts or is_whole(term)


def _plain_cast(kind: type, value: Any) -> Any:
    if isinstance(value, complex) and kind in (float, int):
        raise TypeError("a complex number in an array of real ones")
    return kind(value)


def _method(
    op: str, function: Callable[[Any, Any], Any], swapped: bool
) -> Callable[[Symbol, Any], Any]:
    def method(self: Symbol, other: Any) -> Any:
        table = self._table
        if type(other) is not Symbol:
            other = plain(other)
            if not isinstance(other, (int, float, complex)) and not _narrow(other):
                return NotImplemented
            other = table.constant(other)
        if swapped:
            return table.pair(op, function, other, self)
        return table.pair(op, function, self, other)

    return method


def _narrow(value: object) -> bool:
    """Whether a value is a single NumPy number."""
    return hasattr(value, "dtype") and getattr(value, "shape", None) == ()


for _name, (_op, _function) in OPERATORS.items():
    setattr(Symbol, f"__{_name}__", _method(_op, _function, False))
    setattr(Symbol, f"__r{_name}__", _method(_op, _function, True))
for _name, (_op, _function) in COMPARISONS.items():
    setattr(Symbol, f"__{_name}__", _method(_op, _function, False))
