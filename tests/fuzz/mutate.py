"""Put each deliberate fault into a copy of looptx, and let the fuzzer find it.

``python -m fuzz.mutate`` in ``tests/``; ``--only NAME`` for one fault. The table of a
fault says which case found it last: that one is tried first, and only where it finds
nothing does a hunt begin. ``--record`` writes down what hunts found, each as it ends: a
run that was ended begins again where it was. A fault that the fuzzer does not find in
so many cases is a blind spot of its programs or oracles. The status is 1 if there is
one, or if looptx as it is fails with what found the faults.
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
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from fuzz.faults import FAULTS, record
from fuzz.faults.fault import Fault

ROOT = Path(__file__).parents[2]
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
        seeds: of the case that found something wrong, of all cases where only all
            together did, and of those that were tried where nothing was found.
        kind: what it found wrong, ``""`` for nothing.
        seconds: how long it took.
        output: all it said.
    """

    seeds: range
    kind: str
    seconds: float
    output: str


def hunt(tier: str, seeds: Sequence[int], fault: Fault | None = None) -> Hunt:
    """Run the fuzzer on a copy of looptx until it finds something wrong.

    Args:
        tier: of the fuzzer. seeds: of the cases, at most.
        fault: what is changed in the copy.

    Raises:
        Broken: it neither found anything nor tried all cases.
    """
    with tempfile.TemporaryDirectory(prefix="looptx-mutate-") as name:
        root = Path(name)
        # Their byte code comes with them: Python sees by their times that it is theirs.
        shutil.copytree(ROOT / "looptx", root / "looptx")
        shutil.copytree(ROOT / "tests", root / "tests")
        for each in READ:
            (root / each).symlink_to(ROOT / each)
        if fault is not None:
            fault.apply(root / "looptx")
        return _run(root, tier, seeds)


def _run(root: Path, tier: str, seeds: Sequence[int]) -> Hunt:
    command = [sys.executable, "-m", "fuzz.run", "--tier", tier]
    command += ["--stop-first", "--as-found", *_options(seeds)]
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
    seed, kind = found
    tried = range(seeds[0], seeds[-1] + 1)
    return Hunt(tried if seed is None else range(seed, seed + 1), kind, seconds, output)


def _options(seeds: Sequence[int]) -> list[str]:
    """What asks the fuzzer for cases: a row of them, or each by itself."""
    if isinstance(seeds, range):
        return ["--seed", str(seeds.start), "--cases", str(len(seeds))]
    return ["--seed", *map(str, seeds), "--cases", "1"]


def outcome(output: str) -> tuple[int | None, str] | None:
    """The case with the lowest seed in which something is wrong, and what.

    There is no seed for what all cases together show, nor where nothing is wrong; None
    stands for a fuzzer that ended before it was done.
    """
    if not LAST.search(output):
        return None
    found = [(int(seed), kind) for seed, kind in FOUND.findall(output)]
    if found:
        return min(found)
    alarm = WHOLE.search(output)
    return None, alarm[1] if alarm else ""


@dataclass(frozen=True)
class Row:
    """A fault and what became of it."""

    fault: Fault
    hunt: Hunt

    def __str__(self) -> str:
        one, found = self.fault, self.hunt
        kind = found.kind or "SURVIVES"
        counts = f"{found.seeds[-1]:>5}  {found.seconds:>6.1f}"
        where = f"{one.room} {one.owner}"
        return f"{one.name:<43}  {where:<32}  {one.tier:<7}  {counts}  {kind}"


HEAD = f"{'fault':<43}  {'definition':<32}  {'tier':<7}   case  seconds  found as"


def clean(table: Sequence[Row]) -> Iterator[str]:
    """What the fuzzer finds wrong with looptx as it is; nothing, or this was in vain.

    It tries what found the faults.
    """
    found = [(row.fault.tier, row.hunt.seeds) for row in table if row.hunt.kind]
    for tier in sorted({tier for tier, _ in found}):
        own = [seeds for each, seeds in found if each == tier]
        alone = sorted({seeds[0] for seeds in own if len(seeds) == 1})
        whole = {seeds for seeds in own if len(seeds) > 1}
        for seeds in (*([alone] if alone else ()), *whole):
            again = hunt(tier, seeds)
            if again.kind:
                where = f"{tier}, case {again.seeds[-1]}"
                yield f"{where}: {again.kind}\n{again.output[-SHOWN:]}"


def tried(fault: Fault, cases: int) -> Row:
    """What becomes of a fault: what found it last is tried first."""
    if fault.found:
        known = hunt(fault.tier, fault.found, fault)
        if known.kind:
            return Row(fault, known)
    return Row(fault, hunt(fault.tier, range(cases), fault))


def rows(faults: Sequence[Fault], cases: int, jobs: int) -> Iterator[Row]:
    """The faults with what became of them, as they end."""
    with ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(tried, fault, cases) for fault in faults]
        try:
            for done in as_completed(waiting):
                yield done.result()
        finally:
            for one in waiting:
                one.cancel()


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the faults and print the table."""
    options = _parsed(arguments)
    chosen = [
        one
        for one in FAULTS
        if (not options.only or one.name in options.only)
        and options.tier in ("", one.tier)
        and not (options.new and one.found)
    ]
    if not chosen:
        print("there is no such fault", file=sys.stderr)
        return 2
    print(HEAD, flush=True)
    table: list[Row] = []
    try:
        for row in rows(chosen, options.cases, options.jobs):
            print(row, flush=True)
            table.append(row)
            if options.record and row.hunt.kind and row.hunt.seeds != row.fault.found:
                record(row.fault, row.hunt.seeds)
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
    parser.add_argument("--only", nargs="+", metavar="NAME", help="some faults")
    parser.add_argument("--new", action="store_true", help="those that no case found")
    parser.add_argument(
        "--record", action="store_true", help="write down which cases find faults"
    )
    parser.add_argument("--tier", default="", help="the faults of one tier")
    parser.add_argument("--cases", type=int, default=2000, help="how many to find each")
    parser.add_argument("--jobs", type=int, default=1, help="how many faults at a time")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
