"""Ratios, their geometric means, and tables of both."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from examples.polybench.contenders import ALL, Contender
from examples.polybench.measure import Cells

Results = Mapping[str, Cells]


@dataclass(frozen=True)
class Ratio:
    """Times of looptx over the least of others.

    Attributes:
        title: in tables.
        meaning: below them.
        ours: which runs of looptx are meant; the fastest counts.
        theirs: which of the others are.
        exact: whether only results with every bit of the source count.
    """

    title: str
    meaning: str
    ours: tuple[str, ...]
    theirs: Callable[[Contender], bool]
    exact: bool = False

    def of(self, cells: Cells) -> tuple[float, str] | None:
        """The ratio on a kernel, and who was the fastest of the others."""
        ours = [cells[key].median for key in self.ours if _counts(cells, key)]
        theirs = [
            (cells[one.key].median, one.key)
            for one in ALL
            if not one.ours
            and self.theirs(one)
            and _counts(cells, one.key)
            and (cells[one.key].exact or not self.exact)
        ]
        if not ours or not theirs:
            return None
        time, key = min(theirs)
        return min(ours) / time, key


def _counts(cells: Cells, key: str) -> bool:
    return key in cells and not cells[key].error and bool(cells[key].times)


RATIOS = (
    Ratio(
        "plain / gcc",
        "looptx without directives over gcc -O3 -march=native",
        ("looptx plain:1",),
        lambda one: one.key == "gcc:1",
    ),
    Ratio(
        "exact, 1 thread",
        "scheduled, over the fastest other whose result is the source's to the bit",
        ("looptx:1",),
        lambda one: one.threads == 1,
        exact=True,
    ),
    Ratio(
        "best, 1 thread",
        "scheduled, exact or with fastmath, over the fastest of all others",
        ("looptx:1", "looptx fast:1"),
        lambda one: one.threads == 1,
    ),
    Ratio(
        "exact, 2 threads",
        "as above; others may also use one thread",
        ("looptx:2",),
        lambda one: True,
        exact=True,
    ),
    Ratio(
        "best, 2 threads",
        "as above; others may also use one thread",
        ("looptx:2", "looptx fast:2"),
        lambda one: True,
    ),
)


def mean(values: Iterable[float]) -> float | None:
    """The geometric mean."""
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs)) if logs else None


def means(results: Results) -> list[tuple[str, float | None, int, float | None]]:
    """Of each ratio: its title, its mean, how many kernels it has, and its largest."""
    lines = []
    for ratio in RATIOS:
        found = [pair[0] for cells in results.values() if (pair := ratio.of(cells))]
        lines.append((ratio.title, mean(found), len(found), max(found, default=None)))
    return lines


def noise(results: Results) -> float:
    """The geometric mean of the spreads of all samples."""
    spreads = [
        max(cell.spread, 1e-4)
        for cells in results.values()
        for cell in cells.values()
        if len(cell.times) >= 3
    ]
    return mean(spreads) or 0.0


def ratios_table(results: Results) -> str:
    """A Markdown table of ratios, with who was the fastest of the others."""
    shown = [
        ratio for ratio in RATIOS if any(ratio.of(one) for one in results.values())
    ]
    lines = [
        "| kernel | " + " | ".join(ratio.title for ratio in shown) + " |",
        "|---|" + "---|" * len(shown),
    ]
    for name, cells in results.items():
        line = [name]
        for ratio in shown:
            found = ratio.of(cells)
            other = found[1].rpartition(":")[0] if found else ""
            line.append(f"{found[0]:.2f} ({other})" if found else "-")
        lines.append("| " + " | ".join(line) + " |")
    averages = dict((title, value) for title, value, _, _ in means(results))
    line = ["**geometric mean**"]
    for ratio in shown:
        value = averages[ratio.title]
        line.append("-" if value is None else f"**{value:.2f}**")
    lines.append("| " + " | ".join(line) + " |")
    lines += ["", *(f"- {ratio.title}: {ratio.meaning}." for ratio in shown)]
    return "\n".join(lines)


def times_table(results: Results, threads: int) -> str:
    """A Markdown table of milliseconds, and below it why a time is missing.

    Args:
        results: the cells of each kernel.
        threads: 1 or 2.
    """
    shown = [
        one
        for one in ALL
        if one.threads == threads
        and any(one.key in cells for cells in results.values())
    ]
    lines = [
        "| kernel | " + " | ".join(one.name for one in shown) + " |",
        "|---|" + "---|" * len(shown),
    ]
    missing = []
    for name, cells in results.items():
        line = [name]
        for one in shown:
            cell = cells.get(one.key)
            if cell is None:
                line.append("")
            elif cell.error or not cell.times:
                line.append("**no**")
                missing.append(f"- {name}, {one.name}: {cell.error or 'not run'}")
            else:
                line.append(_milliseconds(cell.median))
        lines.append("| " + " | ".join(line) + " |")
    return "\n".join([*lines, "", *missing]).rstrip()


def _milliseconds(seconds: float) -> str:
    value = 1e3 * seconds
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def bits_table(results: Results) -> str:
    """Which of those that promise every bit do not keep it, in a sentence."""
    broken = [
        f"{name} ({one.name}, {one.threads})"
        for name, cells in results.items()
        for one in ALL
        if one.exact
        and one.key in cells
        and _counts(cells, one.key)
        and not cells[one.key].exact
    ]
    if not broken:
        return "All that promise every bit of the source's result keep it."
    return f"Last bits differ from the source's: {', '.join(broken)}."
