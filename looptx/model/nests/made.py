"""Arrays that native code makes where a nest begins, and nobody gives it."""

from __future__ import annotations

from dataclasses import dataclass

from looptx.model.expr import IntExpr


@dataclass(frozen=True, slots=True)
class Made:
    """An array that a nest makes where it begins; its loops fill it.

    Attributes:
        shape: its extents.
        element: Python of an array whose elements are of the same type. It is made of
            names in ``live_in`` and of NumPy, and may be of any shape.
        laid: arrays of which it has the layout that NumPy would give it only if they
            lie in memory row by row.
    """

    shape: tuple[IntExpr, ...]
    element: str
    laid: tuple[str, ...] = ()
