"""Put each deliberate fault into a copy of looptx, and let the fuzzer find it.

``python -m fuzz.mutate`` in ``tests/``; ``--only NAME`` for one fault. A fault that the
fuzzer does not find within so many cases is a blind spot of its programs or oracles.
The status is 1 if there is one, or if as many cases find looptx at fault as it is.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fuzz.faults import FAULTS
from fuzz.faults.fault import Fault

ROOT = Path(__file__).parents[2]
WITHOUT = shutil.ignore_patterns("__pycache__")
READ = ("directives", "examples", "README.md")
"""What the fuzzer reads besides the code."""

FOUND = re.compile(r"^seed (\d+): (.+)$", re.MULTILINE)
WHOLE = re.compile(r"^all cases: (.+)$", re.MULTILINE)
LAST = re.compile(r"^cases=(\d+) .*failures=(\d+)$", re.MULTILINE)
SHOWN = 3000
"""How much of its last words is shown of a fuzzer that does not work."""


class Broken(Exception):
    """The fuzzer itself ended before it was done."""


@dataclass(frozen=True)
class Hunt:
    """What became of a run of the fuzzer.

    Attributes:
        cases: how many it took to find something wrong, or how many there were.
        kind: what it found wrong, ``""`` for nothing.
        seconds: how long it took.
        output: all it said.
    """

    cases: int
    kind: str
    seconds: float
    output: str


def hunt(tier: str, cases: int, fault: Fault | None = None) -> Hunt:
    """Run the fuzzer on a copy of looptx until it finds something wrong.

    Args:
        tier: of the fuzzer. cases: how many at most.
        fault: what is changed in the copy.

    Raises:
        Broken: it neither found anything nor tried all cases.
    """
    with tempfile.TemporaryDirectory(prefix="looptx-mutate-") as name:
        root = Path(name)
        shutil.copytree(ROOT / "looptx", root / "looptx", ignore=WITHOUT)
        shutil.copytree(ROOT / "tests", root / "tests", ignore=WITHOUT)
        for each in READ:
            (root / each).symlink_to(ROOT / each)
        if fault is not None:
            fault.apply(root / "looptx")
        return _run(root, tier, cases)


def _run(root: Path, tier: str, cases: int) -> Hunt:
    command = [sys.executable, "-m", "fuzz.run", "--tier", tier, "--cases", str(cases)]
    command += ["--stop-first", "--as-found"]
    own = {
        "PYTHONPATH": os.pathsep.join(map(str, (root, root / "tests"))),
        "LOOPTX_CACHE_DIR": str(root / "cache"),
    }
    start = time.monotonic()
    done = subprocess.run(
        command, cwd=root, env={**os.environ, **own}, capture_output=True, text=True
    )
    seconds = time.monotonic() - start
    output = done.stdout + done.stderr
    found = outcome(done.stdout)
    if found is None:
        raise Broken(
            f"the fuzzer ended with status {done.returncode}\n{output[-SHOWN:]}"
        )
    return Hunt(*found, seconds, output)


def outcome(output: str) -> tuple[int, str] | None:
    """How many cases the fuzzer took to find something wrong, and what.

    That is the case with the lowest seed, or what all cases together show; None for a
    fuzzer that ended before it was done.
    """
    last = LAST.search(output)
    if last is None:
        return None
    found = [(int(seed) + 1, kind) for seed, kind in FOUND.findall(output)]
    alarm = WHOLE.search(output)
    return min(found, default=(int(last[1]), alarm[1] if alarm else ""))


@dataclass(frozen=True)
class Row:
    """A fault and what became of it."""

    fault: Fault
    hunt: Hunt

    def __str__(self) -> str:
        one, found = self.fault, self.hunt
        kind = found.kind or "SURVIVES"
        counts = f"{found.cases:>5}  {found.seconds:>6.1f}"
        where = f"{one.room} {one.owner}"
        return f"{one.name:<43}  {where:<32}  {one.tier:<7}  {counts}  {kind}"


HEAD = f"{'fault':<43}  {'definition':<32}  {'tier':<7}  cases  seconds  found as"


def clean(table: Sequence[Row]) -> Iterator[str]:
    """What the fuzzer finds wrong with looptx as it is; nothing, or this was in vain.

    It tries as many cases of each tier as it needed to find the faults.
    """
    found_in = [row for row in table if row.hunt.kind]
    for tier in sorted({row.fault.tier for row in found_in}):
        cases = max(row.hunt.cases for row in found_in if row.fault.tier == tier)
        found = hunt(tier, cases)
        if found.kind:
            yield f"{tier}, case {found.cases}: {found.kind}\n{found.output[-SHOWN:]}"


def _row(fault: Fault, cases: int) -> Row:
    return Row(fault, hunt(fault.tier, cases, fault))


def rows(faults: Sequence[Fault], cases: int, jobs: int) -> Iterator[Row]:
    """The faults with what became of them, in order."""
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(partial(_row, cases=cases), faults)


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the faults and print the table."""
    options = _parsed(arguments)
    chosen = [
        one
        for one in FAULTS
        if options.only in ("", one.name) and options.tier in ("", one.tier)
    ]
    if not chosen:
        print(f"no fault is named {options.only} in this tier", file=sys.stderr)
        return 2
    print(HEAD, flush=True)
    table: list[Row] = []
    try:
        for row in rows(chosen, options.cases, options.jobs):
            print(row, flush=True)
            table.append(row)
        for problem in clean(table):
            print(f"without a fault, {problem}", file=sys.stderr)
            return 1
    except Broken as broken:
        print(broken, file=sys.stderr)
        return 1
    left = [row.fault for row in table if not row.hunt.kind]
    for one in left:
        print(f"{one.name} is not found within {options.cases} cases: {one.what}")
    print(f"{len(chosen)} faults, {len(chosen) - len(left)} found")
    return 1 if left else 0


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="fuzz.mutate", description=__doc__)
    parser.add_argument("--only", default="", metavar="NAME", help="one fault")
    parser.add_argument("--tier", default="", help="the faults of one tier")
    parser.add_argument("--cases", type=int, default=2000, help="how many to find each")
    parser.add_argument("--jobs", type=int, default=1, help="how many faults at a time")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
