"""What a run of the fuzzer counts, and what it found wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

REFUSED_LEGAL = "refuses a legal schedule"
"""The kind of failure that is counted apart."""


@dataclass(frozen=True)
class Failure:
    """One thing that is wrong.

    Attributes:
        seed: of the case. kind: a few words, the same for faults of one sort.
        detail: what was seen. program: the smallest text that shows it.
        command: what repeats it.
    """

    seed: int
    kind: str
    detail: str
    program: str
    command: str

    def __str__(self) -> str:
        lines = [f"seed {self.seed}: {self.kind}", self.detail, self.program]
        return "\n".join([*lines, f"again: {self.command}", ""])


@dataclass
class Tally:
    """Counts that add up over cases, processes and machines.

    Attributes:
        cases: programs x schedules. accepted: those that looptx carried out.
        codes: the errors of the others. notes: what else is worth counting.
    """

    cases: int = 0
    accepted: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    def case(self, code: str) -> None:
        """One more case, with the code of its error or ``""``."""
        self.cases += 1
        if code:
            self.codes[code] += 1
        else:
            self.accepted += 1

    def add(self, other: Tally) -> None:
        """Everything of another tally."""
        self.cases += other.cases
        self.accepted += other.accepted
        self.codes.update(other.codes)
        self.notes.update(other.notes)
        self.failures += other.failures

    @property
    def refused_legal(self) -> int:
        """How many schedules were refused that are legal."""
        return sum(failure.kind == REFUSED_LEGAL for failure in self.failures)

    def table(self) -> str:
        """Everything, one thing a line."""
        share = 100 * self.accepted / max(self.cases, 1)
        kinds = Counter(failure.kind for failure in self.failures)
        rows = [
            ("cases", str(self.cases)),
            ("accepted", f"{self.accepted} ({share:.1f}%)"),
            *((code, str(count)) for code, count in sorted(self.codes.items())),
            *((note, str(count)) for note, count in sorted(self.notes.items())),
            ("refused though legal", str(self.refused_legal)),
            ("failures", str(len(self.failures))),
            *((f"  {kind}", str(count)) for kind, count in sorted(kinds.items())),
        ]
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)

    def line(self) -> str:
        """The same for a program that reads it."""
        return (
            f"cases={self.cases} accepted={self.accepted}"
            f" refused_legal={self.refused_legal} failures={len(self.failures)}"
        )
