"""Nests of random programs with their schedules, for what works on looptx's model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice

from fuzz.generate.program import program

from kit.nests import Run
from looptx import source
from looptx.directives import parse
from looptx.directives.marks import mark
from looptx.errors import LooptxError, Place
from looptx.model.program import Directive, Nest
from looptx.model.schedule import Schedule, bands, initial

SIZES = [{"n": n, "m": m} for n, m in ((0, 0), (1, 2), (2, 1), (3, 4), (5, 3), (7, 6))]

EXTREME = [
    {"n": n, "m": m} for n, m in ((1, 7), (7, 1), (0, 7), (7, 0), (3, 7), (7, 3))
]
MARKS = (
    *("parallel ", "vectorize ", "temp ", "trust ", "assume ", "fuse "),
    *("compute_", "reverse_compute_", "simple_compute_", "cache_", "set_buffer "),
)
"""What is no order of one nest: it marks loops, moves nests, or changes statements."""


def affine(number: int, seed: int = 0) -> Iterator[tuple[Nest, Schedule]]:
    """So many nests over ``n`` and ``m`` alone, every access known, each scheduled."""
    return islice(_affine(seed), number)


def _affine(seed: int) -> Iterator[tuple[Nest, Schedule]]:
    for at in count(seed):
        made = program(at)
        for kernel in source.read(made.bare, "f.py").kernels:
            texts = [x for x in made.functions[0].clauses() if not x.startswith(MARKS)]
            for nest in kernel.nests:
                if plain(nest):
                    yield nest, scheduled(nest, texts)


def plain(nest: Nest) -> bool:
    """Whether accesses conflict, and an order is legal exactly if those keep theirs."""
    touched = [x for one in nest.statements.values() for x in one.accesses]
    arrays = [access.array for access in touched]
    if not any(access.write and arrays.count(access.array) > 1 for access in touched):
        return False
    if nest.scalars or not {*nest.parameters} <= {"n", "m"}:
        return False
    for one in nest.statements.values():
        if one.reduction is not None or any(None in x.subscripts for x in one.accesses):
            return False
    runs = (Run(nest, sizes) for sizes in (*SIZES, *EXTREME))
    return all(
        min(cell, default=0) >= 0
        for run in runs
        for one in run.instances
        for (_, cell), _ in run.cells(one)
    )


def scheduled(nest: Nest, texts: list[str]) -> Schedule:
    """The schedule after every directive that applies to the nest.

    Loops that are bound to threads are so while directives apply: these move what waits
    for all threads. The order alone is what is left.
    """
    schedule = initial(nest)
    for text in texts:
        try:
            for verb in parse(Directive(text, Place("f.py", 1))):
                schedule = verb.apply(schedule)
        except LooptxError:
            continue
    for dim in [band.dim for band in bands(schedule.tree)]:
        schedule = mark(schedule, dim, replace(dim.marks, bind=""))
    return schedule
