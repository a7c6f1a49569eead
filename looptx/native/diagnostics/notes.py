"""Notes on a compiled nest: the memory of temporaries, schedules not carried out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

CODE = "LX505"
"""The code of a schedule that is not carried out."""


@dataclass(frozen=True, slots=True)
class Notes:
    """Kept with a compiled nest, for warnings and reports.

    Attributes:
        memory: what its temporaries take, before and after, one line each.
        hazards: what may raise in the middle, so that the loops run in the order as
            written: lines of the function's text, each with a reason.
    """

    memory: tuple[str, ...] = ()
    hazards: tuple[tuple[int, str], ...] = ()

    def in_order(self, shift: int = 0) -> str:
        """Why a schedule is not carried out; empty when it is.

        Args:
            shift: from a line of the function's text to a line of the file.
        """
        if not self.hazards:
            return ""
        said = (f"line {line + shift}: {reason}" for line, reason in self.hazards)
        return f"ran in the order as written: {'; '.join(said)}"

    def lines(self, shift: int) -> tuple[str, ...]:
        """All notes, one line each; ``shift`` as for ``in_order``."""
        order = self.in_order(shift)
        return (*self.memory, order) if order else self.memory

    def as_record(self) -> dict[str, Any]:
        """The JSON form."""
        return {"memory": self.memory, "hazards": self.hazards}

    @staticmethod
    def from_record(record: Mapping[str, Any]) -> Notes:
        """The value of a JSON form."""
        hazards = tuple((line, reason) for line, reason in record["hazards"])
        return Notes(tuple(record["memory"]), hazards)


NO_NOTES = Notes()
