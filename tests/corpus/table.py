"""What runs natively today: the recorded table, its shares, what blocks the rest."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from corpus.running import NATIVE, PART

PATH = Path(__file__).with_name("table.json")
README = Path(__file__).parents[2] / "README.md"
FIRST, LAST = "<!-- corpus -->\n", "<!-- end of corpus -->\n"
"""What stands around the tables in the README."""

MOST = 12
"""Reasons that the README names."""

_NAMED = re.compile(r"`(?!while`|for NAME |/`)[^`]*`")
"""What a reason says of one function alone."""

Table = Mapping[str, Mapping[str, str]]


def recorded() -> dict[str, dict[str, str]]:
    """The table: fields, functions, and what ran of each."""
    table: dict[str, dict[str, str]] = json.loads(PATH.read_text("utf-8"))
    return table


def record(table: Table) -> None:
    """Write the table, and what the README tells of it."""
    PATH.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n", "utf-8")
    text = README.read_text("utf-8")
    before, _, rest = text.partition(FIRST)
    after = rest.partition(LAST)[2]
    README.write_text(f"{before}{FIRST}{told(table)}{LAST}{after}", "utf-8")


def told(table: Table) -> str:
    """What the README tells: shares of fields, and the reasons that stop the most."""
    reasons = blocking(table)
    said = {why: why.replace("not compiled natively: ", "") for why, _ in reasons}
    rows = [f"| {said[why]} | {len(who)} |" for why, who in reasons[:MOST]]
    if others := reasons[MOST:]:
        stopped = sum(len(who) for _, who in others)
        rows.append(f"| {len(others)} other reasons | {stopped} |")
    head = [
        "",
        "| the first reason of what does not run natively | functions |",
        "|---|---|",
    ]
    return "\n".join([*shares(table), *head, *rows, ""])


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
                reason = _NAMED.sub("...", ran.removeprefix(PART))
                found.setdefault(reason, []).append(f"{field}.{name}")
    return sorted(found.items(), key=lambda one: (-len(one[1]), one[0]))
