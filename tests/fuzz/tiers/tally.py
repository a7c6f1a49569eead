"""What a run of the fuzzer counts, and what it found wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

REFUSED_LEGAL = "refuses a legal schedule"
"""The kind of failure that is counted apart."""

REFUSED_KEPT = "refuses what keeps its order"
"""The kind of failure where calls that nobody knows stay in their order."""

FALSE_WITNESS = "names a witness that cannot be"
"""The kind of failure where no run does what a refusal says."""

ORDER_ONLY = "order only"
"""Of a refusal: runs turn an order round, but all values seen are the same."""

ARRAY_ONLY = "array only"
"""Of a refusal: a statement shares an array with a nest, but no cell in any run."""

CHOSEN = "choice by sizes"
"""Of what is unknown: it is legal, as sizes and loops decide which cells are read."""

UNSEEN = "mark not seen"
"""Of an accepted program: no run has a loop that was marked."""

LISTED = (ORDER_ONLY, ARRAY_ONLY, CHOSEN, UNSEEN)
"""The notes whose cases are named."""

SHOWN = 8
"""How many of them the table shows."""


@dataclass(frozen=True)
class Failure:
    """One thing that is wrong.

    Attributes:
        seed: of the case; None for what only all cases together show.
        kind: a few words, the same for faults of one sort.
        detail: what was seen. program: the smallest text that shows it.
        command: what repeats it.
    """

    seed: int | None
    kind: str
    detail: str
    program: str
    command: str

    def __str__(self) -> str:
        where = "all cases" if self.seed is None else f"seed {self.seed}"
        again = f"again: {self.command}" if self.command else ""
        lines = [f"{where}: {self.kind}", self.detail, self.program, again]
        return "\n".join([*filter(None, lines), ""])


@dataclass
class Tally:
    """Counts that add up over cases, processes and machines.

    Attributes:
        cases: programs x schedules. accepted: those that looptx carried out.
        codes: the errors of the others. notes: what else is worth counting.
        seeds: by note, the cases that it was seen in, where that is known.
    """

    cases: int = 0
    accepted: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    seeds: dict[str, set[int]] = field(default_factory=dict)

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
        for note, seeds in other.seeds.items():
            self.seeds[note] = self.seeds.get(note, set()) | seeds

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
            *((note, self._seen(note)) for note in sorted(self.notes)),
            ("refused though legal", str(self.refused_legal)),
            ("failures", str(len(self.failures))),
            *((f"  {kind}", str(count)) for kind, count in sorted(kinds.items())),
        ]
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)

    def _seen(self, note: str) -> str:
        """How often something was noted, and in which cases if that matters."""
        if not note.endswith(LISTED):
            return str(self.notes[note])
        seeds = sorted(self.seeds.get(note, ()))
        more = ", ..." if len(seeds) > SHOWN else ""
        named = ", ".join(map(str, seeds[:SHOWN]))
        return f"{self.notes[note]} (seeds {named}{more})"

    def line(self) -> str:
        """The same for a program that reads it."""
        return (
            f"cases={self.cases} accepted={self.accepted}"
            f" refused_legal={self.refused_legal} failures={len(self.failures)}"
        )
