"""Faults in what a nest takes from its surroundings, and in what refusals show."""

from __future__ import annotations

from fuzz.mutation import Mutation

AROUND = (
    Mutation(
        "start-of-a-reduction-ignored",
        "source/exact.py",
        "inside = set(nest.scalars) - set(nest.live_in)",
        "inside = set(nest.scalars)",
        "c = 0.3, c *= i + 2: reorder j i",
    ),
    Mutation(
        "size-made-of-sizes-unknown",
        "source/facts.py",
        "if size(found) <= _LONG:",
        "if size(found) <= 0:",
        "h = m % 3 and m is used, too: parallel i, with h=5, m=4",
    ),
)

SHOWN = (
    Mutation(
        "cell-from-the-end-named-by-its-subscript",
        "poly/legality.py",
        "str(number + extent if number < 0 else number)",
        "str(number)",
        "A[i - 1] = A[i]: parallel i",
    ),
    Mutation(
        "iterations-of-a-witness-exchanged",
        "poly/legality.py",
        "tuple(numbers[parameters:split]),",
        "tuple(numbers[split:]),",
        "A[i, j] = A[i - 1, j + 1]: reorder j i",
    ),
)
