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

EVERY = 3
"""One function of so many that have arguments of some types has them in a run."""

FEW = 4
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
    "programs.counts": ("settled", "until_cells"),
    "programs.giving": ("of_elements",),
    "programs.returned": ("number",),
    "programs.tuples": ("counted_together",),
}
"""Functions that have all: some lines of looptx run for one of these types alone."""


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
        several = [*dict.fromkeys(own)]
        whole = table.function.__name__ in WHOLE.get(theme, ())
        kept = {*several} if whole or len(several) <= FEW else {*several[:1]}
        for one in several:
            seldom = one not in turn and owners[one] < EVERY
            turn[one] = turn.get(one, len(turn)) + 1
            if seldom or turn[one] % EVERY == 0:
                kept.add(one)
        rows = (r for r, one in zip(table.rows, own, strict=True) if one in kept)
        found.append(replace(table, rows=tuple(rows)))
    return tuple(found)


def kind(make: Make, folder: str) -> Hashable:
    """What of the arguments of a row decides which nest runs."""
    try:
        return tuple(map(_kind, make(Memory(folder))))
    except Exception as error:
        return type(error)


def _kind(value: Any) -> Hashable:
    match value:
        case np.ndarray(dtype=dtype, ndim=ndim, flags=flags):
            ordered = flags.c_contiguous, flags.f_contiguous, flags.aligned
            single = 1 in value.shape, 0 in value.strides
            return type(value), dtype.str, ndim, ordered, flags.writeable, single
        case list() | tuple():
            return type(value), tuple(map(_kind, value))
        case int():
            return type(value), -(2**63) <= value < 2**63
    return type(value)
