"""Targets that are elements of a row in the model alone: ``A[i] = x, y``."""

from __future__ import annotations

import ast


def stored_as_row(target: ast.expr) -> None:
    """Note of a target that NumPy makes an array of what is stored there first."""
    vars(target)["row"] = True


def is_stored_as_row(target: ast.expr) -> bool:
    """Whether a target is one that was noted."""
    return "row" in vars(target)
