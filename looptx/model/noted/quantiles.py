"""Quantiles that NumPy finds at once, which are one by one in the model alone."""

from __future__ import annotations

import ast

from looptx.model.records import dataclass


@dataclass(frozen=True, slots=True)
class Together:
    """What was asked for at once.

    Attributes:
        parts: how much of the row is in front of each. at: which one is meant.
    """

    parts: tuple[float, ...]
    at: int


def found_together(call: ast.Call, known: Together) -> ast.Call:
    """Note of a call for one quantile that NumPy finds it with others."""
    vars(call)["together"] = known
    return call


def together(call: ast.Call) -> Together | None:
    """What a call was asked for with; None for nothing else."""
    found = vars(call).get("together")
    assert found is None or isinstance(found, Together)
    return found
