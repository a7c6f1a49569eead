"""Runs the rows of a theme in child processes, so that a signal is one more result.

``python -m semantics.run THEME FIRST`` is the child: it compiles the nests of the rows
from the ``FIRST``-th on in one module, runs the rows and prints a line before and after
each. When it dies, its last line says which row it was, and another child goes on
behind that row.
"""

from __future__ import annotations

import importlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from kit.together import together

import looptx
from semantics.table import Row, Table, difference, left_by

SECONDS = 400
"""After which a child counts as hanging."""


@dataclass(frozen=True)
class Outcome:
    """What became of a row; ``wrong`` is empty when native code and Python agree."""

    row: str
    wrong: str
    native: bool
    compared: int


def tables(theme: str) -> tuple[Table, ...]:
    """The tables of a theme."""
    found: tuple[Table, ...] = importlib.import_module(f"semantics.{theme}").TABLES
    return found


def names(theme: str) -> list[str]:
    """The rows of a theme by name."""
    return [
        f"{table.function.__name__}: {row.name}"
        for table in tables(theme)
        for row in table.rows
    ]


def outcomes(theme: str) -> Iterator[Outcome]:
    """Run every row of a theme."""
    known = names(theme)
    done = 0
    while done < len(known):
        lines, end = _child(theme, done)
        started = False
        for line in lines:
            match line:
                case {"start": _}:
                    started = True
                case {"wrong": str(wrong), "native": native, "compared": compared}:
                    started = False
                    yield Outcome(known[done], wrong, native, compared)
                    done += 1
        if done < len(known):
            assert started, f"the rows of {theme} do not run: {end}"
            yield Outcome(known[done], end, True, 1)
            done += 1


def _child(theme: str, first: int) -> tuple[list[dict[str, Any]], str]:
    """The lines a child printed, and how it ended."""
    tests = Path(__file__).parents[1]
    paths = [str(tests), str(tests.parent), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        command = [sys.executable, "-m", "semantics.run", theme, str(first)]
        with subprocess.Popen(command, stdout=out, stderr=err, env=environment) as one:
            try:
                code: object = one.wait(SECONDS)
            except subprocess.TimeoutExpired:
                one.kill()
                code = f"nothing for {SECONDS} s"
        out.seek(0)
        err.seek(0)
        lines = [json.loads(line) for line in out if line.endswith("\n")]
        return lines, f"the process ended with {code}: {err.read()[-1500:]}"


def _run(theme: str, first: int) -> None:
    """The child."""
    rows = [(table, row) for table in tables(theme) for row in table.rows]
    kernels = {table.function: looptx.kernel(table.function) for table in tables(theme)}
    with tempfile.TemporaryDirectory() as folder, together() as nests:
        for table, row in rows[first:]:
            left_by(kernels[table.function], row.make, folder)
        nests.build(Path(folder))
        for number, (table, row) in itertools.islice(enumerate(rows), first, None):
            _say({"start": number})
            _say(_compared(kernels[table.function], row, folder))
        assert not nests.waiting, "a row runs other nests the second time"


def _compared(kernel: Any, row: Row, folder: str) -> dict[str, object]:
    python = left_by(kernel.py_func, row.make, folder)
    before = _fallbacks(kernel)
    found = left_by(kernel, row.make, folder)
    reasons = _since(kernel, before)
    wrong = difference(python, found, not reasons)
    if row.native is not None and row.native == bool(reasons):
        wrong += f"; native code {'did not take' if reasons else 'took'} it"
    if wrong and reasons:
        wrong += f" (fell back: {', '.join(sorted(reasons))})"
    return {
        "wrong": wrong,
        "native": not reasons,
        "compared": 1 if python.error else python.count,
    }


def _fallbacks(kernel: Any) -> dict[str, Counter[str]]:
    """How often each reason kept each nest of the kernel from running natively.

    Of those that are not told, too: a loop round others that is only tried is told once
    it has run natively.
    """
    known = kernel._prepared.dispatchers if kernel._prepared else ()
    return {one.info.label: Counter(one.fallbacks) for one in known}


def _since(kernel: Any, before: dict[str, Counter[str]]) -> Counter[str]:
    """The reasons since then, of the nests that are told."""
    told = [one for one in kernel._prepared.dispatchers if one.is_told]
    assert told, f"{kernel} has no nest"
    found: Counter[str] = Counter()
    for nest in told:
        label = nest.info.label
        found += Counter(nest.fallbacks) - before.get(label, Counter())
    return found


def _say(line: dict[str, object]) -> None:
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    np.seterr(all="warn")
    _run(sys.argv[1], int(sys.argv[2]))
