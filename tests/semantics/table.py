"""Rows of a table: a function, arguments, and what running them leaves behind.

A row is one call. It is made twice, of the function and of its kernel, each time with
fresh arguments in fresh memory; what the two calls leave behind must be equal: the
value returned and its type, every byte of the memory around and between the cells of
every array, the exception and its message, and the warnings. The rows stand in the
folders beside this, one module per theme, each with a tuple ``TABLES``.
"""

from __future__ import annotations

import struct
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from semantics.memory import Memory

Make = Callable[[Memory], tuple[Any, ...]]

THEMES = (
    "numbers.operators",
    "numbers.numbers",
    "numbers.meeting",
    "numbers.python",
    "numbers.functions",
    "numbers.ufuncs",
    "numbers.mathematics",
    "numbers.powers",
    "numbers.rounding",
    "numbers.complexes",
    "numbers.widths",
    "numbers.unsigned",
    "arrays.stores",
    "arrays.layouts",
    "arrays.indices",
    "arrays.looked_up",
    "arrays.flat",
    "arrays.guards",
    "arrays.extents",
    "arrays.rows",
    "arrays.blocks",
    "arrays.slices",
    "arrays.statements",
    "arrays.masks",
    "arrays.reductions",
    "arrays.taken",
    "arrays.searched",
    "arrays.neighbours",
    "arrays.ordered",
    "arrays.displays",
    "arrays.made",
    "arrays.begun",
    "arrays.sized",
    "arrays.bounded",
    "arrays.handed",
    "arrays.parts",
    "arrays.whole",
    "arrays.repeated",
    "arrays.complexes",
    "programs.headers",
    "programs.sequences",
    "programs.contained",
    "programs.tuples",
    "programs.exchanges",
    "programs.foreign",
    "programs.names",
    "programs.jumps",
    "programs.rounds",
    "programs.counts",
    "programs.tables",
    "programs.lists",
    "programs.comprehended",
    "programs.resized",
    "programs.callees",
    "programs.appended",
    "programs.called",
    "programs.values",
    "programs.rooted",
    "programs.returned",
    "programs.settled",
    "programs.giving",
    "programs.generated",
    "programs.positions",
    "programs.nothing",
    "programs.given",
    "programs.recursive",
    "programs.floats",
    "programs.held",
)
"""The modules that hold rows."""


@dataclass(frozen=True)
class Row:
    """One call.

    Attributes:
        name: the operation's types and values, or the layout.
        make: builds the arguments.
        native: whether native code must take it (True), must not (False), or may
            (None): where looptx is free to fall back, the result counts alone.
    """

    name: str
    make: Make
    native: bool | None = True


@dataclass(frozen=True)
class Table:
    """The rows of one function."""

    function: Callable[..., Any]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Left:
    """What a call leaves behind.

    Attributes:
        result: the value returned, exactly.
        memory: every byte of every argument, and other arguments as text.
        error: the exception's type and message.
        warned: the warnings, without looptx's own.
    """

    result: object
    memory: tuple[object, ...]
    error: tuple[str, str] | None
    warned: tuple[tuple[str, str], ...]
    count: int


def exactly(value: object) -> object:
    """A value to the bit and the type, as something that ``==`` compares."""
    name = type(value).__name__
    if isinstance(value, (tuple, list)):
        return name, tuple(map(exactly, value))
    if isinstance(value, np.ma.MaskedArray):
        return name, exactly(value.data), exactly(np.ma.getmaskarray(value))
    if isinstance(value, np.ndarray):
        data = value.tolist() if value.dtype.hasobject else value.tobytes()
        return name, value.dtype.str, value.shape, repr(data)
    if isinstance(value, np.flatiter):
        # What is written of one is where it lies in memory, which is chance.
        return name, value.index, exactly(value.base)
    if isinstance(value, (complex, np.complexfloating)):
        # Two NaNs meet in a product: the C compiler, NumPy's too, chooses one.
        parts = value.real, value.imag
        return name, *("nan" if part != part else exactly(part) for part in parts)
    if isinstance(value, np.generic):
        return name, value.tobytes().hex()
    if isinstance(value, float):
        return name, struct.pack("<d", value).hex()
    return name, repr(value)


def left_by(called: Callable[..., Any], make: Make, folder: str) -> Left:
    """Call, and collect everything that can be seen of it afterwards."""
    memory = Memory(folder)
    arguments = make(memory)
    result: Any = None
    error = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = called(*arguments)
        except Exception as raised:
            error = (type(raised).__name__, str(raised))
    warned = tuple(
        (one.category.__name__, str(one.message))
        for one in caught
        if not str(one.message).startswith("looptx")
    )
    others = tuple(map(exactly, arguments))
    count = len(result) if isinstance(result, tuple) else 1
    left = (*memory.contents(), *others)
    return Left(exactly(result), left, error, warned, count)


def difference(python: Left, native: Left, ran_native: bool) -> str:
    """How two calls differ; empty when they do not.

    Native code gives none of the warnings with which NumPy reports overflow, division
    by zero and invalid values.
    """
    before, after = python.warned, native.warned
    if ran_native:
        before = tuple(one for one in before if " encountered in " not in one[1])
    parts = [
        ("result", python.result, native.result),
        ("memory", python.memory, native.memory),
        ("error", python.error, native.error),
        ("warnings", before, after),
    ]
    return "; ".join(
        f"{what} is {_short(two, one)}, not {_short(one, two)}"
        for what, one, two in parts
        if one != two
    )


def _short(one: object, two: object) -> str:
    """What of a nested tuple differs from another, as text."""
    if isinstance(one, tuple) and isinstance(two, tuple) and len(one) == len(two):
        different = [
            f"[{at}] {_short(left, right)}"
            for at, (left, right) in enumerate(zip(one, two, strict=True))
            if left != right
        ]
        return ", ".join(different)
    return str(one)
