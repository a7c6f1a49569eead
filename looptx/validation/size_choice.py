"""Which sizes are compared: small ones, and those where blocks begin and end.

Loops change their form where an extent passes a number of the schedule: 32 iterations
in blocks of 32 are one full block, one more leaves a remainder, one less is nothing but
a remainder. So every kernel runs at small sizes first, then beside the numbers that its
directives give to the loops of an extent, all extents together and one by one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

from looptx.looptree.planned import Planned
from looptx.model.expr import variables
from looptx.model.expr.evaluate import value
from looptx.model.program import Loop, Nest

SMALL = (0, 1, 2, 3)
UNEVEN = (5, 7, 3, 4)
ENOUGH_FOR_CHANCE = 9
THIN = (2, 3)
LARGEST = 4096
"""Larger numbers of directives are not tried."""

CANDIDATES = 16
"""How many choices of large sizes are looked at."""

_LONG = 1000

Sizes = dict[str, int]
Blocks = Mapping[str, Sequence[int]]


def blocks(planned: Sequence[Planned], shown: Mapping[str, str]) -> Blocks:
    """The extents at which loops are as long as a number that directives give them.

    A loop over ``range(1, n - 1)`` in blocks of 32 has one full block at n = 34.

    Args:
        planned: the nests with their directives.
        shown: the sizes, each with the name that the function's text has for it.

    Returns:
        The extents of each size, in order.
    """
    found: dict[str, set[int]] = {name: set() for name in shown}
    for schedule in (each.schedule for each in planned):
        for directive in schedule.applied:
            for name, counts in directive.thresholds.items():
                loop = schedule.nest.loops[name]
                names = _names(schedule.nest, loop)
                values = {n + _shorter(loop) for n in counts if 1 < n <= LARGEST}
                for size, spelled in shown.items():
                    if not names or not names.isdisjoint((size, spelled)):
                        found[size] |= values
    return {name: sorted(values) for name, values in found.items()}


def _names(nest: Nest, loop: Loop) -> frozenset[str]:
    """What the bounds of a loop depend on, those of the loops around it included."""
    names = variables(loop.start) | variables(loop.stop)
    outer = (nest.loops[name] for name in names & nest.loops.keys())
    return names.union(*(_names(nest, each) for each in outer))


def _shorter(loop: Loop) -> int:
    """By how much a loop is shorter than the extent in its bounds, if by little."""
    names = variables(loop.start) | variables(loop.stop)
    sizes = dict.fromkeys(names, _LONG)
    less = _LONG - (value(loop.stop, sizes) - value(loop.start, sizes))
    return less if 0 < less < 9 else 0


def first(names: Sequence[str], chance: bool = False) -> list[Sizes]:
    """Small sizes, which every kernel is compared at.

    Args:
        chance: whether what is to be seen needs one more, as indices that collide do.
    """
    if not names:
        return [{}]
    small = (*SMALL, ENOUGH_FOR_CHANCE) if chance else SMALL
    uneven = _alternating(names, UNEVEN)
    return [*(dict.fromkeys(names, size) for size in small), uneven]


def further(names: Sequence[str], around: Blocks) -> list[Sizes]:
    """Sizes beside the numbers of directives.

    Args:
        names: of the sizes.
        around: the numbers for each name, as ``blocks`` finds them.

    Returns:
        What runs most loops first, then the rest by the work that it takes.
    """
    together = list(_together(names, around))
    single = [
        {**_alternating(names, THIN), name: edge + step}
        for name in names
        for edge in around[name]
        for step in (1, 0, -1)
    ]
    most = len(together) // 3
    ordered = [*together[:most], *sorted([*single, *together[most:]], key=work)]
    if together:
        ordered += [
            {name: _longer(around[name])[at] for name in names} for at in range(2)
        ]
    unique = {tuple(sizes.items()): sizes for sizes in ordered}
    return list(unique.values())


def beyond(names: Sequence[str], around: Blocks, most: int) -> Iterator[Sizes]:
    """Sizes at which whole blocks run, as few as run most loops first.

    Args:
        names: of the sizes.
        around: the numbers for each name, as ``blocks`` finds them.
        most: how much work they may be.

    Yields:
        At most ``CANDIDATES`` choices.
    """
    if not any(around.values()):
        return
    small = _alternating(names, THIN)
    lengths = {
        name: [around[name][-1], around[name][-1] + 1, *_longer(around[name])]
        if around[name]
        else [small[name]]
        for name in names
    }
    together = [
        {name: long[min(at, len(long) - 1)] for name, long in lengths.items()}
        for at in range(4)
    ]
    mixed = (
        dict(zip(names, chosen, strict=True))
        for chosen in itertools.product(
            *([*long, small[name]] for name, long in lengths.items())
        )
    )
    ordered = [*together, *sorted(mixed, key=work, reverse=True)]
    unique = {tuple(sizes.items()): sizes for sizes in ordered if work(sizes) <= most}
    yield from itertools.islice(unique.values(), CANDIDATES)


def _longer(around: Sequence[int]) -> list[int]:
    """Extents of several blocks."""
    return [factor * sum(around) + 3 for factor in (2, 4)]


def _together(names: Sequence[str], around: Blocks) -> Iterator[Sizes]:
    """All extents beside numbers of their own; then all but one of them."""
    small = _alternating(names, THIN)
    if not any(around.values()):
        return
    for step in (1, 0, -1):
        whole = {n: around[n][-1] + step if around[n] else small[n] for n in names}
        yield whole
        if len(names) > 2:
            for name in names:
                yield {**whole, name: small[name]}


def _alternating(names: Sequence[str], values: Sequence[int]) -> Sizes:
    return {name: values[at % len(values)] for at, name in enumerate(names)}


def work(sizes: Mapping[str, int]) -> int:
    """What a run at these sizes may cost, to compare it with other runs."""
    return math.prod(size + 1 for size in sizes.values())
