"""Pairs of accesses, of which the analysis of dependences looks at each."""

from __future__ import annotations

from looptx.model.program import Nest

MOST_PAIRS = 30_000
"""More of them isl's budget would not last for."""


def pairs(nest: Nest) -> int:
    """How many pairs of accesses a nest has; two reads are none.

    Args:
        nest: the nest.
    """
    uses = [x for one in nest.statements.values() for x in dict.fromkeys(one.accesses)]
    reads = sum(not access.write for access in uses)
    return len(uses) ** 2 - reads**2
