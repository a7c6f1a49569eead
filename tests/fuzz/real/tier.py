"""The tier of people's functions: ``python -m fuzz.run --tier real``.

A case is a field of the corpus with all its functions changed.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

from fuzz.real.child import Found
from fuzz.tiers.tally import Failure, Tally

TIMEOUT = 300
SHOWN = 1500


def part(work: tuple[int, int]) -> Tally:
    """Some cases: the first seed and how many."""
    first, count = work
    tally = Tally()
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory(prefix="looptx-fuzz-") as name:
            tally.add(_tried(seed, Path(name)))
    return tally


def _tried(seed: int, folder: Path) -> Tally:
    """What becomes of one case, in a process that may die of it."""
    tally = Tally()
    command = [sys.executable, "-m", "fuzz.real.child", str(seed), str(folder)]
    path = os.pathsep.join(one for one in sys.path if one)
    own = {**os.environ, "PYTHONPATH": path, "LOOPTX_ALWAYS_PARALLEL": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, env=own, timeout=TIMEOUT
        )
    except subprocess.TimeoutExpired:
        status, said = f"is not done after {TIMEOUT} s", ""
    else:
        status, said = f"exit status {done.returncode}", done.stderr[-SHOWN:]
    written = folder / "changed.py"
    text = written.read_text("utf-8") if written.exists() else ""
    if not (folder / "found").exists():
        at = folder / "at"
        where = at.read_text("utf-8") if at.exists() else "before any call"
        tally.case("")
        tally.failures.append(
            _failure(seed, "dies", f"{where}: {status}\n{said}", text)
        )
        return tally
    found = pickle.loads((folder / "found").read_bytes())
    assert isinstance(found, Found)
    for code in found.codes:
        tally.case(code)
    tally.notes["native functions"] += found.native
    for name, detail in found.wrong.items():
        detail = f"{name}: {detail}"
        tally.failures.append(_failure(seed, "computes something else", detail, text))
    return tally


def _failure(seed: int, kind: str, detail: str, text: str) -> Failure:
    command = f"python -m fuzz.run --tier real --seed {seed} --cases 1"
    return Failure(seed, kind, detail, text, command)
