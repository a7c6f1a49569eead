"""The variables that stand for a list."""

from __future__ import annotations

from looptx.model.records import dataclass


@dataclass(frozen=True)
class Names:
    """The variables of a list.

    Attributes:
        cells, count, base: as of ``Listed``.
        start: of that which says how many were taken from its front; empty where none
            are.
        collected: as of ``Listed``.
    """

    cells: tuple[str, ...]
    count: str
    start: str
    base: str
    collected: bool

    @property
    def length(self) -> str:
        """How many elements the list has."""
        if self.collected:
            return f"({self.base} + {self.count})"
        return f"({self.count} - {self.start})" if self.start else self.count

    def element(self, at: str, part: int | None) -> str:
        """An element, or a part of it.

        Args:
            at: the text of its place. part: which part; None for all.
        """
        parts = self.cells if part is None else (self.cells[part],)
        each = ", ".join(f"{cells}[{at}]" for cells in parts)
        return each if len(parts) == 1 else f"({each})"
