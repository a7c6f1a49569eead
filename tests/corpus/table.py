"""What runs natively today: the recorded table, its shares, what blocks the rest."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from corpus.running import NATIVE, PART

PATH = Path(__file__).with_name("table.json")

Table = Mapping[str, Mapping[str, str]]


def recorded() -> dict[str, dict[str, str]]:
    """The table: fields, functions, and what ran of each."""
    table: dict[str, dict[str, str]] = json.loads(PATH.read_text("utf-8"))
    return table


def record(table: Table) -> None:
    """Write the table."""
    PATH.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n", "utf-8")


def kind(ran: str) -> str:
    """The column a function counts in: ``native``, ``part`` or ``python``."""
    if ran == NATIVE:
        return NATIVE
    return "part" if ran.startswith(PART) else "python"


def shares(table: Table) -> Iterator[str]:
    """The table of fields as Markdown, all together last."""
    yield "| field | functions | native | in part | as Python |"
    yield "|---|---|---|---|---|"
    whole = Counter[str]()
    for field, ran in table.items():
        counts = Counter(map(kind, ran.values()))
        whole += counts
        yield _row(field, counts)
    yield _row("all", whole)


def _row(name: str, counts: Counter[str]) -> str:
    numbers = [counts.total(), *(counts[one] for one in (NATIVE, "part", "python"))]
    return f"| {name} | {' | '.join(map(str, numbers))} |"


def blocking(table: Table) -> list[tuple[str, list[str]]]:
    """The reasons, names left out of them, with the functions that each stops."""
    found: dict[str, list[str]] = {}
    for field, functions in table.items():
        for name, ran in functions.items():
            if ran != NATIVE:
                reason = re.sub(r"`[^`]*`", "...", ran.removeprefix(PART))
                found.setdefault(reason, []).append(f"{field}.{name}")
    return sorted(found.items(), key=lambda one: (-len(one[1]), one[0]))
