"""The table of a run as Markdown, and what it comes to."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from examples.npbench.contenders import FORMS

Best = tuple[float, str]


@dataclass
class Row:
    """What became of a program.

    Attributes:
        name: of the program.
        times: seconds of a call, the best of some, by form.
        first: seconds of loading and of the first call, by form.
        errors: what went wrong, by form.
        native: how many nests ran natively. other: how many did not. why: the reasons.
    """

    name: str
    times: dict[str, float] = field(default_factory=dict)
    first: dict[str, float] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    native: int = 0
    other: int = 0
    why: list[str] = field(default_factory=list)

    def best(self, who: str) -> float | None:
        """The best time of a contender over its forms whose results are right."""
        forms = FORMS.get(who, (who,))
        known = [self.times[form] for form in forms if form in self.times]
        return min(known, default=None)

    def began(self, who: str) -> float | None:
        """The shortest first call of a contender."""
        known = [
            self.first[form] for form in FORMS.get(who, (who,)) if form in self.first
        ]
        return min(known, default=None)

    def over(self, whom: Sequence[str]) -> float | None:
        """The best time of others over that of looptx."""
        ours = self.best("looptx")
        known = [time for who in whom if (time := self.best(who)) is not None]
        return min(known) / ours if known and ours else None

    @property
    def ran(self) -> str:
        """How much of the program was native."""
        if not self.native:
            return "none"
        return f"{self.native} of {self.native + self.other}" if self.other else "all"


def _time(seconds: float | None) -> str:
    return "" if seconds is None else f"{1e3 * seconds:.3g}"


def _first(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.1f}"


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def line(row: Row, against: Sequence[str]) -> str:
    """A program as a row of the table.

    Args:
        row: what became of it.
        against: the rivals that take part.
    """
    wrong = row.errors.get("looptx", "")
    cells = [
        row.name,
        row.ran,
        wrong or "equal",
        *map(_time, map(row.best, ["numpy", "looptx"])),
    ]
    cells += [_ratio(row.over(["numpy"])), *(_time(row.best(who)) for who in against)]
    if against:
        cells.append(_ratio(row.over(against)))
    cells += [_first(row.began("looptx")), *(_first(row.began(who)) for who in against)]
    return f"| {' | '.join(cells)} |"


def table(rows: Sequence[Row], against: Sequence[str]) -> Iterator[str]:
    """The table of times, line by line.

    Args:
        rows: the programs.
        against: the rivals that take part.
    """
    titles = ["program", "native nests", "bits", "NumPy, ms", "looptx, ms"]
    titles += ["NumPy / looptx", *(f"{who.title()}, ms" for who in against)]
    titles += ["best other / looptx"] * bool(against)
    titles += ["first call, s", *(f"{who.title()}'s" for who in against)]
    yield f"| {' | '.join(titles)} |"
    yield f"|{'---|' * len(titles)}"
    yield from (line(row, against) for row in rows)


def summary(rows: Sequence[Row], against: Sequence[str]) -> Iterator[str]:
    """Geometric means, and how many programs are what.

    Args:
        rows: the programs.
        against: the rivals that take part.
    """
    for title, whom in (("NumPy", ["numpy"]), ("the best of the others", against)):
        known = [value for row in rows if (value := row.over(whom))]
        if known:
            mean = statistics.geometric_mean(known)
            slow = sum(value < 1 for value in known)
            yield (
                f"Time of {title} over that of looptx: geometric mean {mean:.2f} over "
                f"{len(known)} programs, looptx is slower on {slow}."
            )
    whole = sum(row.ran == "all" for row in rows)
    none = sum(row.ran == "none" for row in rows)
    wrong = sum("looptx" in row.errors for row in rows)
    yield (
        f"{whole} programs run natively, {len(rows) - whole - none} in part, {none} "
        f"as Python; {wrong} are wrong or failed."
    )


def reasons(rows: Sequence[Row]) -> Iterator[str]:
    """Why programs are not native as a whole, and what went wrong with rivals."""
    for row in rows:
        notes = [why.replace("|", "\\|") for why in row.why[:3]]
        notes += [f"{form}: {text}" for form, text in row.errors.items()]
        if notes:
            yield f"- {row.name}: {'; '.join(notes)}"
