"""Notes on a compiled nest: the memory of temporaries, schedules not carried out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from looptx.model.records import dataclass, replace

CODE = "LX505"
"""The code of a schedule that is not carried out."""

NO_VECTORS = "LX506"
"""The code of a vector loop that runs one iteration after the other."""


@dataclass(frozen=True, slots=True)
class Notes:
    """Kept with a compiled nest, for warnings and reports.

    Attributes:
        memory: what its temporaries take, before and after, one line each.
        hazards: what may raise in the middle, so that the loops run in the order as
            written: lines of the file, each with a reason.
        scalar: where vector loops run one iteration after the other, why, and what
            helps.
        vector: the bytes of its widest explicit vector; 0 where it has none.
    """

    memory: tuple[str, ...] = ()
    hazards: tuple[tuple[int, str], ...] = ()
    scalar: tuple[tuple[int, str, str], ...] = ()
    vector: int = 0

    def in_order(self) -> str:
        """Why a schedule is not carried out; empty when it is."""
        if not self.hazards:
            return ""
        said = (f"line {line}: {reason}" for line, reason in self.hazards)
        return f"ran in the order as written: {'; '.join(said)}"

    def lines(self) -> tuple[str, ...]:
        """All notes, one line each."""
        width = f"in vectors of {self.vector} bytes" if self.vector else ""
        others = self.in_order(), width, self.one_by_one()
        return (*self.memory, *filter(None, others))

    def one_by_one(self) -> str:
        """Why vector loops run one iteration after the other; empty when none does."""
        if not self.scalar:
            return ""
        said = (f"line {line}: {reason}" for line, reason, _ in self.scalar)
        return f"runs without explicit vectors: {'; '.join(said)}"

    @property
    def hint(self) -> str:
        """What helps the first of these loops; empty when there is none."""
        return self.scalar[0][2] if self.scalar else ""

    def moved(self, lines: int) -> Notes:
        """The same of a function that stands so many lines further down."""
        return replace(
            self,
            hazards=tuple((line + lines, why) for line, why in self.hazards),
            scalar=tuple((line + lines, why, hint) for line, why, hint in self.scalar),
        )

    def as_record(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "memory": self.memory,
            "hazards": self.hazards,
            "scalar": self.scalar,
            "vector": self.vector,
        }

    @staticmethod
    def from_record(record: Mapping[str, Any]) -> Notes:
        """The value of a JSON form."""
        hazards = tuple((line, reason) for line, reason in record["hazards"])
        scalar = tuple((line, why, helps) for line, why, helps in record["scalar"])
        return Notes(tuple(record["memory"]), hazards, scalar, record["vector"])


NO_NOTES = Notes()
