"""Types and layouts that go by turns through the functions of a theme.

Arguments of other types, or laid out in another way, are a nest of their own, which is
analysed and compiled: this is most of what a row costs. ``make test N=10`` runs all.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from kit.samples import TIMES

from semantics.memory import Memory
from semantics.table import Make, Table

EVERY = 8
"""One function of so many that have arguments of some types has them in a run."""

FEW = 2
"""A function with so many types or fewer has all of them."""

WHOLE = {
    "arrays.complexes": ("computed",),
    "arrays.extents": ("product",),
    "arrays.made": ("part",),
    "arrays.masks": ("together",),
    "arrays.parts": ("divided",),
    "arrays.reductions": ("compared", "mixed"),
    "arrays.statements": ("signs",),
    "arrays.taken": ("chosen_by_sizes", "counted", "parts_of_sizes", "powered"),
    "arrays.whole": ("numbers",),
    "programs.counts": ("settled",),
    "programs.giving": ("of_elements",),
    "programs.returned": ("number",),
    "programs.tuples": ("counted_together",),
}
"""Functions that have all: some lines of looptx run for one of these types alone."""

ROWS = {
    "arrays.bounded": (
        "assigned: 3 beyond of uint32",
        "filled: 3 beyond of uint32",
        "stepped: bool",
    ),
    "arrays.displays": ("quantiles: F",),
    "arrays.extents": (
        "backwards: int",
        "carried: uint8",
        "least: int64",
        "of_slices: empty",
        "unpacked: float",
    ),
    "arrays.flat": (
        "beside: bools",
        "handed: bools",
        "sliced: masked",
    ),
    "arrays.handed": ("until: complex128 1",),
    "arrays.made": ("typed: lists 7",),
    "arrays.reductions": (
        "absent: complex128",
        "distances: complex128",
        "largest_of_parts: float16",
        "parts_multiplied: bool",
    ),
    "arrays.rows": (
        "given_numbers: no axis 7",
        "numbers_and_rows: three axes 7",
    ),
    "arrays.sized": ("computed: sizes of uint64",),
    "arrays.statements": (
        "bare: complex 1j",
        "chosen: int8 of int8",
        "stepped: uint64 of int64",
    ),
    "arrays.whole": (
        "chained: of three axes",
        "functions: float32 float64",
        "ones: complex128",
        "returned: bool",
    ),
    "programs.called": (
        "given_and_updated: complex128",
        "updated_whole: flat",
    ),
    "programs.callees": ("lasts: int64 [], 0.5",),
    "programs.counts": (
        "decided: 1 beside np.int8(-1)",
        "moved: int16 into int64, 0",
        "moved: uint64 into int64, 0",
        "scaled: uint64 into uint8, 0",
    ),
    "programs.exchanges": ("slowly: integers 5 2",),
    "programs.floats": ("taken: (0.5, 1.5), int64, 0",),
    "programs.headers": ("counted_cells: one axis",),
    "programs.held": (
        "marked: [True, False, True, True, False], [False, True], float32, 0",
        "rows: [[True, False], [True, True]], [True, False], 0",
    ),
    "programs.sequences": (
        "cells_left: counted",
        "flat_inside: counted",
        "flat_inside: small integers",
        "neighbours: complex128",
    ),
    "programs.tuples": ("put_together: int64",),
    "programs.values": (
        "computed: int64",
        "missing: float32",
        "normalised: float32",
        "shifted: complex128",
    ),
}
"""Rows whose types their functions have besides, for the same reason."""


def taken(theme: str, tables: Sequence[Table]) -> tuple[Table, ...]:
    """The tables of a theme, with the rows that are run.

    A function has those of the types that come first, and by turns of those that others
    have, too: each goes through as many functions as any other. Where a number decides,
    every type does so in its own way, and none is left out.

    Args:
        theme: its name. tables: all of it.
    """
    if TIMES > 1 or theme.startswith("numbers."):
        return tuple(tables)
    with tempfile.TemporaryDirectory() as folder:
        kinds = [[kind(row.make, folder) for row in one.rows] for one in tables]
    owners = Counter(one for own in kinds for one in {*own})
    turn: dict[Hashable, int] = {}
    found = []
    for table, own in zip(tables, kinds, strict=True):
        several, name = [*dict.fromkeys(own)], table.function.__name__
        whole = len(several) <= FEW or name in WHOLE.get(theme, ())
        kept = {*several} if whole else {*several[:1]}
        named = (f"{name}: {row.name}" for row in table.rows)
        also = ROWS.get(theme, ())
        kept |= {one for row, one in zip(named, own, strict=True) if row in also}
        for one in several:
            seldom = one not in turn and owners[one] < EVERY
            turn[one] = turn.get(one, len(turn)) + 1
            if seldom or turn[one] % EVERY == 0:
                kept.add(one)
        rows = (r for r, one in zip(table.rows, own, strict=True) if one in kept)
        found.append(replace(table, rows=tuple(rows)))
    return tuple(found)


def kind(make: Make, folder: str) -> Hashable:
    """What of the arguments of a row decides which nest runs.

    Sizes do not, nor how long lists are: all rows of a kind are run, or none.
    """
    try:
        return tuple(map(_kind, make(Memory(folder))))
    except Exception as error:
        return type(error)


def _kind(value: Any) -> Hashable:
    match value:
        case np.ndarray(dtype=dtype, ndim=ndim, flags=flags):
            ordered = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
            return type(value), dtype.str, ndim, ordered, flags.aligned, flags.writeable
        case list() | tuple():
            return type(value), frozenset(map(_kind, value))
    return type(value)
