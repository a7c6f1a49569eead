"""Random choices."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Choices that follow from a seed, a number or a text."""

    def __init__(self, seed: int | str) -> None:
        self.random = random.Random(seed)

    def pick(self, *items: T) -> T:
        """One of the items."""
        return items[self.random.randrange(len(items))]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """So many of the items, at most all, in any order."""
        return self.random.sample(items, min(count, len(items)))

    def chance(self, percent: float) -> bool:
        """True so often."""
        return self.random.random() * 100 < percent
