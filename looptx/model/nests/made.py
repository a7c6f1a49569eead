"""Arrays that native code makes where a nest begins, and nobody gives it."""

from __future__ import annotations

from looptx.model.expr import IntExpr
from looptx.model.records import dataclass

LONGEST = 1 << 27
"""How many elements a list has in an array at most. Memory is only there for those that
it has; a list of as many Python numbers would take gigabytes."""


@dataclass(frozen=True, slots=True)
class Made:
    """An array that a nest makes where it begins; its loops fill it.

    Attributes:
        shape: its extents.
        element: Python of an array whose elements are of the same type. It is made of
            names in ``live_in`` and of NumPy, and may be of any shape. It is empty for
            the elements of a list, which are of the types of what is stored.
        laid: arrays of which it has the layout that NumPy would give it only if they
            lie in memory row by row.
        count: the scalar that says how many elements a list has; empty for an array.
        parts: the arrays of all parts of its elements, in order.
        old: how many elements the function has in the list already.
        array: the type of an array that the function may get in place of a list, empty
            for that of its elements; None where it has to be a list.
        own: the scalars that the nest computes of which ``element`` is made.
    """

    shape: tuple[IntExpr, ...]
    element: str
    laid: tuple[str, ...] = ()
    count: str = ""
    parts: tuple[str, ...] = ()
    old: int = 0
    array: str | None = None
    own: tuple[str, ...] = ()

    @property
    def listed(self) -> bool:
        """Whether it has the elements of a list."""
        return bool(self.count)
