"""Runs cases with a sanitized module: ``python sanitize_child.py FOLDER``.

What is running is written to ``FOLDER/at`` first, for the case that this process dies.
``FOLDER/found`` is how often nests ran natively, and which results are not CPython's.
"""

from __future__ import annotations

import pickle
import sys
from collections import Counter
from pathlib import Path

from programs_run import readable
from sanitize_cases import Case, left_behind

from looptx.errors import BuildFailed
from looptx.model.types import Type
from looptx.native import runtime
from looptx.native.call.dispatch import Version
from looptx.native.compile import load


def main(folder: Path) -> None:
    """Make every call of every case."""
    module = load.load(folder / "sanitized.so", "sanitized")
    counts: Counter[str] = Counter()
    different: list[str] = []
    for case in pickle.loads((folder / "cases").read_bytes()):
        ran, wrong = _run(case, module, folder / "at")
        counts += ran
        different += wrong
    (folder / "found").write_bytes(pickle.dumps((counts, different)))


def _run(case: Case, module: object, at: Path) -> tuple[Counter[str], list[str]]:
    """Counts of native runs and fallbacks, and the first result that is wrong."""

    def specialise(number: int, types: tuple[Type, ...]) -> Version:
        name = case.entries.get((number, types))
        if name is None:
            raise BuildFailed("LX504", "it is not compiled for these types")
        return Version(getattr(module, name), types, 0.0, "compiled", at)

    woven, dispatchers = case.woven(specialise)
    wrong: list[str] = []
    for call in case.calls:
        place = f"case {case.name}: {call}"
        at.write_text(f"{place}\n{case.text}", "utf-8")
        runtime._threads.limit = call.threads
        found = left_behind(woven, call.given())
        pairs = zip(found, call.expected, strict=True)
        wrong += [
            f"{place}\n{case.text}{readable(one)}, CPython has {readable(two)}"
            for one, two in pairs
            if one != two
        ]
    counts = Counter(calls=len(case.calls))
    for nest in dispatchers:
        counts["native"] += nest.calls
        counts.update(nest.fallbacks)
    return counts, wrong[:1]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
