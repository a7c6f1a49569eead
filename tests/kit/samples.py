"""How much tests look at of what they could: random programs, and combinations.

``make test`` looks at few random programs, at combinations in which any two values meet
("pairwise testing": Cohen, Dalal, Fredman, Patton, TSE 1997), and at some of the
examples that other tests look at, too. ``make test N=10`` looks at ten times as many
programs, and at all combinations and examples.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from typing import Any, TypeVar

import pytest

T = TypeVar("T")

TIMES = float(os.environ.get("LOOPTX_SAMPLES", "1"))


def some(count: int) -> int:
    """So many, or as many times that as is asked for."""
    return round(count * TIMES)


def thinned(values: Sequence[T], step: int, first: int = 0) -> Sequence[T]:
    """One value of so many, or all of them where more is asked for.

    Args:
        values: all. step: of so many. first: which of these, for those who take turns.
    """
    return values[first % step :: step] if TIMES <= 1 else values


def crossed(meet: int = 2, /, **axes: Sequence[Any]) -> pytest.MarkDecorator:
    """A test with values of each of its arguments.

    Args:
        meet: how many values of different arguments meet in some test, whichever.
        axes: the values, by argument.
    """
    chosen = combined(meet, *axes.values())
    return pytest.mark.parametrize(tuple(axes), chosen)


def combined(meet: int, *axes: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Combinations of a value of each axis, as ``crossed`` wants them."""
    every = list(itertools.product(*map(range, map(len, axes))))
    if TIMES <= 1:
        left = {each for one in every for each in _meeting(one, meet)}
        kept = []
        while left:
            best = max(every, key=lambda one: len(left & _meeting(one, meet)))
            left -= _meeting(best, meet)
            kept.append(best)
        every = sorted(kept)
    return [
        tuple(axis[at] for axis, at in zip(axes, one, strict=True)) for one in every
    ]


def _meeting(one: tuple[int, ...], meet: int) -> set[tuple[tuple[int, int], ...]]:
    """What meets in a combination: positions with the numbers of their values."""
    return {*itertools.combinations(enumerate(one), meet)}
