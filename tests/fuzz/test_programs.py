"""Random programs: what is rewritten leaves the same bits, what is refused has reasons.

``LOOPTX_CASES`` says how many programs are tried, ``LOOPTX_SEED`` which.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import black
import pytest
from hypothesis import HealthCheck, given, settings
from programs import Program, programs, write
from programs_run import difference, rewritten
from programs_trace import order_differs, runs_together

CASES = int(os.environ.get("LOOPTX_CASES", "500"))
PARTS = 4
"""The cases are shared between so many tests, for parallel test runs."""

FAMILIES = 100_000
"""How many programs a part may try."""


def numbered(seed: int) -> Program:
    """A program that is always the same for a number."""
    return write(random.Random(seed).randint)


@pytest.mark.parametrize("part", range(PARTS))
def test_rewritten_programs_do_the_same(part: int) -> None:
    codes: Counter[str] = Counter()
    start = int(os.environ.get("LOOPTX_SEED", "0")) * PARTS + part
    for number in range(max(CASES // PARTS, 1)):
        seed = start * FAMILIES + number
        program = numbered(seed)
        found = rewritten(program.text)
        codes[found.code] += 1
        if not found.code:
            why = difference(program, found.text, seed)
            assert not why, f"{why}, seed {seed}\n{program.text}\n{found.text}"
    assert codes[""] >= 0.3 * codes.total()


@settings(
    max_examples=max(CASES // 10, 1),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(programs())
def test_drawn_programs_do_the_same(program: Program) -> None:
    """The same with programs that hypothesis shrinks."""
    found = rewritten(program.text)
    if not found.code:
        why = difference(program, found.text)
        assert not why, f"{why}\n{program.text}\n{found.text}"


def confirmed(program: Program) -> bool | None:
    """Whether a refusal is seen to be needed; None where that cannot be judged."""
    first, tagged = rewritten(program.text), rewritten(program.tagged)
    if first.code not in ("LX201", "LX202") or first.code != tagged.code:
        return None
    if first.code == "LX201":
        new = rewritten(program.trusting().tagged)
        return None if new.code else order_differs(program, new.text, tagged.message)
    if not re.search(r"(read|write) \S+\[", tagged.message):
        # Scalars are not traced.
        return None
    plain = program.without("parallel", "vectorize")
    new = rewritten(plain.tagged)
    return None if new.code else runs_together(plain, new.text, tagged.message)


def test_most_refusals_can_be_observed() -> None:
    """Dead values and conditions that never hold may hide a dependence from a run."""
    found = Counter(confirmed(numbered(-seed)) for seed in range(1, CASES // 5 + 2))
    assert found[False] <= 0.25 * (found[True] + found[False]), found


def test_rewritten_files_stay_clean(tmp_path: Path) -> None:
    pytest.importorskip("ruff")
    folders = tmp_path / "before", tmp_path / "after"
    for folder in folders:
        folder.mkdir()
    for seed in range(max(CASES // 10, 3)):
        text = black.format_str(numbered(FAMILIES + seed).text, mode=black.Mode())
        found = rewritten(text)
        if found.code:
            continue
        assert black.format_str(found.text, mode=black.Mode()) == found.text, text
        again = rewritten(found.text)
        assert (again.code, again.text) == ("", found.text)
        for folder, content in zip(folders, (text, found.text), strict=True):
            (folder / f"p{seed}.py").write_text(content)
    complaints = [_complaints(folder) for folder in folders]
    new = set(complaints[1]) - set(complaints[0])
    assert not new


def _complaints(folder: Path) -> list[tuple[str, str]]:
    """(file, rule) of everything that ruff dislikes."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache"]
    options = ["--select", "E4,E7,E9,F,ERA", "--output-format", "concise", str(folder)]
    run = subprocess.run([*command, *options], capture_output=True, text=True)
    assert run.returncode in (0, 1), run.stderr
    return [
        (match[1], match[2])
        for line in run.stdout.splitlines()
        if (match := re.search(r"(p\d+\.py):\d+:\d+: (\w+)", line))
    ]
