"""Failures made small, on the program and not on its bytes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar


class Shrinkable(Protocol):
    """What knows smaller values of its own kind."""

    def smaller(self: S) -> Iterator[S]:
        """Values with one thing less."""
        ...


S = TypeVar("S", bound=Shrinkable)


def shrunk(value: S, fails: Callable[[S], bool], seconds: float = 60) -> S:
    """The smallest value found that still fails.

    Greedy: whatever fails with one thing less is taken at once.

    Args:
        value: one that fails.
        fails: whether another one fails in the same way; what it raises counts as no.
        seconds: when to be content with what there is.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for less in value.smaller():
            if time.monotonic() > end:
                return value
            try:
                found = fails(less)
            except Exception:
                continue
            if found:
                value = less
                break
        else:
            return value
    return value
