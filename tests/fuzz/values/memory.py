"""Arguments in memory that is watched: arrays of any layout between guard bands."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fuzz.values.numbers import numbers

Array = np.ndarray[Any, Any]

TIGHT = "LOOPTX_TIGHT"
"""Set where sanitizers watch: a buffer ends where the last cell ends, then."""

GUARD = 0 if TIGHT in os.environ else 256
"""Bytes of poison before and behind every buffer."""


@dataclass(frozen=True)
class Layout:
    """How the cells of an array lie.

    Attributes:
        order: ``C``, ``F``, or ``K``: the axes in turn, as ``transpose`` leaves them.
        step: how many cells apart neighbours are, along every axis.
        room: how many cells are left free behind every row.
        back: whether every axis runs backwards.
        shift: bytes between the first cell and an aligned address.
    """

    order: str = "C"
    step: int = 1
    room: int = 0
    back: bool = False
    shift: int = 0


LAYOUTS = {
    "C": Layout(),
    "F": Layout("F"),
    "backwards": Layout(back=True),
    "every second": Layout(step=2),
    "cut out": Layout(room=3),
    "turned": Layout("K", room=1),
    "turned, backwards": Layout("F", step=2, back=True),
    "unaligned": Layout(shift=1),
}

FREE = ("backwards", "every second", "cut out", "turned", "turned, backwards")
"""The aligned layouts that are neither C nor F."""

TURNS = {
    "itself": (1, slice(None), slice(None)),
    "the reverse of": (1, slice(None), slice(None, None, -1)),
    "in turn with": (2, slice(0, None, 2), slice(1, None, 2)),
}
"""How two arrays of one shape share a buffer: the extent of what they are cut from, as
a multiple, and the part of each along the first axis."""


@dataclass(frozen=True)
class Given:
    """One array of a call.

    Attributes:
        style: of its numbers, a key of ``numbers.STYLES``; seed: what they follow from.
        fixed: whether it is read-only.
        of: the array before it that has the same buffer; how: a key of ``TURNS``, or
            ``""`` for an array that begins so many cells ``behind`` the other one.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    layout: str = "C"
    style: str = "plain"
    seed: str = ""
    fixed: bool = False
    of: str = ""
    how: str = ""
    behind: int = 0

    @property
    def strides(self) -> tuple[int, ...]:
        """How many cells neighbours are apart, whichever way it runs."""
        return spread(self.shape, LAYOUTS[self.layout])[0]

    def __str__(self) -> str:
        words = f"{self.name}: {self.dtype}{list(self.shape)} {self.layout}"
        if self.of:
            return f"{words}, {self.how or f'{self.behind} cells behind'} {self.of}"
        return f"{words}{', read-only' if self.fixed else ''}, {self.style}"


def spread(shape: tuple[int, ...], how: Layout) -> tuple[tuple[int, ...], int]:
    """The strides of an array in cells, and how many cells it takes up."""
    axes = list(range(len(shape)))
    nested = {"C": axes[::-1], "F": axes, "K": [*axes[:-1][::-1], axes[-1]]}
    strides = dict.fromkeys(axes, 0)
    size = 1
    for axis in nested[how.order]:
        size *= how.step
        strides[axis] = size
        size *= max(shape[axis], 1)
        size += how.room
    if not GUARD:
        last = sum((shape[axis] - 1) * strides[axis] for axis in axes)
        size = last + 1 if all(shape) else 0
    return tuple(strides[axis] for axis in axes), size


class Memory:
    """The arrays of one call and all the bytes around them.

    Attributes:
        arrays: by name. buffers: every byte that is watched.
    """

    def __init__(self, given: tuple[Given, ...], poison: int) -> None:
        self.poison = poison
        self.arrays: dict[str, Array] = {}
        self.buffers: list[Array] = []
        parts = {one.of: one for one in given if one.of}
        for one in given:
            other = parts.get(one.name)
            if one.of:
                continue
            if other is not None and other.how:
                self._turn(one, other)
            else:
                self._place(one, other)
        self.arrays = {one.name: self.arrays[one.name] for one in given}
        for one in given:
            self.arrays[one.name].flags.writeable &= not one.fixed

    def _turn(self, one: Given, other: Given) -> None:
        """Make two arrays of one that is larger."""
        factor, own, rest = TURNS[other.how]
        first, *inner = one.shape
        name = f"{one.name} and {other.name}"
        self._place(replace(one, name=name, shape=(factor * first, *inner)), None)
        whole = self.arrays.pop(name)
        self.arrays[one.name] = part = whole[own]
        self.arrays[other.name] = part if other.how == "itself" else whole[rest]

    def _place(self, one: Given, other: Given | None) -> None:
        """Make an array, and the one that lies so many cells behind it."""
        given = [one] if other is None else [one, other]
        first = min(0, *(each.behind for each in given))
        room = max(
            each.behind + spread(each.shape, LAYOUTS[each.layout])[1] for each in given
        )
        shift = LAYOUTS[one.layout].shift
        item = np.dtype(one.dtype).itemsize
        count = (room - first) * item + 2 * GUARD + shift
        block = np.full(count + 64 if GUARD else max(count, 1), self.poison, np.uint8)
        aligned = -block.ctypes.data % 64 if GUARD else 0
        whole = block[aligned : aligned + count] if count else block
        self.buffers.append(whole)
        for each in reversed(given):
            how = LAYOUTS[each.layout]
            start = GUARD + shift + (each.behind - first) * item
            strides = [step * item for step in each.strides]
            found: Array = np.ndarray(
                each.shape, each.dtype, whole.data, start, strides
            )
            if how.back:
                found = found[(slice(None, None, -1),) * found.ndim]
            if each.style != "poison":
                found[...] = numbers(each.dtype, each.shape, each.style, each.seed)
            self.arrays[each.name] = found

    def left(self) -> tuple[bytes, ...]:
        """All bytes; of NaNs only that they are.

        Where two meet, the C compiler chooses which of them the result is.
        """
        for part in self._floats():
            part[np.isnan(part)] = np.nan
        return tuple(buffer.tobytes() for buffer in self.buffers)

    def _floats(self) -> Iterator[Array]:
        for one in self.arrays.values():
            if one.dtype.kind == "c" and one.flags.writeable:
                yield from (one.real, one.imag)
            elif one.dtype.kind == "f" and one.flags.writeable:
                yield one

    def difference(self, right: Memory) -> str:
        """The first cell, or byte around cells, that is not as in the other memory."""
        for name, one in self.arrays.items():
            two = right.arrays[name]
            for at in np.ndindex(one.shape):
                here, there = one[at], two[at]
                if here.tobytes() != there.tobytes():
                    cell = f"{name}[{', '.join(map(str, at))}]"
                    return f"{cell} is {here!r}, CPython has {there!r}"
        pairs = zip(self.buffers, right.buffers, strict=True)
        for number, (own, other) in enumerate(pairs):
            wrong = np.flatnonzero(own != other)
            if wrong.size:
                return (
                    f"byte {wrong[0] - GUARD} of buffer {number}, which belongs to no"
                    f" array, is {own[wrong[0]]:#x}"
                )
        return ""
