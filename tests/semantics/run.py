"""Runs the rows of a theme in child processes, so that a signal is one more result.

A child says which rows there are, compiles the nests of those from one on in one
module, runs them and prints a line before and after each. When it dies, its last line
says which row it was, and another child goes on behind that row. All are forks of one
process, ``python -m semantics.run``, which imports what they need once.
"""

from __future__ import annotations

import functools
import gc
import importlib
import itertools
import json
import os
import signal
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
from semantics.turns import taken

SECONDS = 400
"""After which a child is ended."""

NEEDED = ("Cython.Compiler.Main", "looptx.native.compile.tuned", "numpy.ma")
"""What children import."""


@dataclass(frozen=True)
class Outcome:
    """What became of a row; ``wrong`` is empty when native code and Python agree."""

    row: str
    wrong: str
    native: bool
    compared: int


@functools.cache
def tables(theme: str) -> tuple[Table, ...]:
    """The tables of a theme, with the rows that are run."""
    return taken(theme, importlib.import_module(f"semantics.{theme}").TABLES)


def names(theme: str) -> list[str]:
    """The rows of a theme by name."""
    return [
        f"{table.function.__name__}: {row.name}"
        for table in tables(theme)
        for row in table.rows
    ]


def outcomes(theme: str) -> Iterator[Outcome]:
    """Run every row of a theme."""
    known: list[str] = []
    done = 0
    while done < len(known) or not known:
        lines, end = _child(theme, done)
        started = False
        for line in lines:
            match line:
                case {"rows": [*rows]}:
                    known = rows
                case {"start": _}:
                    started = True
                case {"wrong": str(wrong), "native": native, "compared": compared}:
                    started = False
                    yield Outcome(known[done], wrong, native, compared)
                    done += 1
        if done < len(known) or not known:
            assert started, f"the rows of {theme} do not run: {end}"
            yield Outcome(known[done], end, True, 1)
            done += 1


@functools.cache
def _server() -> subprocess.Popen[str]:
    """The process whose forks run rows."""
    tests = Path(__file__).parents[1]
    paths = [str(tests), str(tests.parent), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [sys.executable, "-m", "semantics.run"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        text=True,
    )


def _child(theme: str, first: int) -> tuple[list[dict[str, Any]], str]:
    """The lines a child printed, and how it ended."""
    server = _server()
    assert server.stdin is not None and server.stdout is not None
    with tempfile.TemporaryDirectory() as folder:
        order = theme, first, dict(os.environ), folder
        print(json.dumps(order), file=server.stdin, flush=True)
        code = server.stdout.readline().strip()
        printed = Path(folder, "out").read_text().splitlines(keepends=True)
        lines = [json.loads(line) for line in printed if line.endswith("\n")]
        said = Path(folder, "err").read_text()
        return lines, f"the process ended with {code}: {said[-1500:]}"


def _serve() -> None:
    """Fork a child for each line that is read, and print how it ended."""
    for line in sys.stdin:
        theme, first, environment, folder = json.loads(line)
        child = os.fork()
        if child == 0:
            os.environ.clear()
            os.environ.update(environment)
            for name, number in ("out", 1), ("err", 2):
                os.dup2(os.open(Path(folder, name), os.O_WRONLY | os.O_CREAT), number)
            signal.alarm(SECONDS)
            _run(theme, first)
            return
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _run(theme: str, first: int) -> None:
    """The child."""
    _say({"rows": names(theme)})
    rows = [(table, row) for table in tables(theme) for row in table.rows]
    kernels = {table.function: looptx.kernel(table.function) for table in tables(theme)}
    with tempfile.TemporaryDirectory() as folder, together() as nests:
        for again in (False, True):
            for table, row in rows[first:]:
                # What was prepared for other arguments may take these the next time.
                kernel = kernels[table.function]
                if not again or len(kernel._choice.made) > 1:
                    left_by(kernel, row.make, folder)
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
    if any("LX901" in reason for reason in reasons):
        wrong += "; native code failed"
    if wrong and reasons:
        wrong += f" (fell back: {', '.join(sorted(reasons))})"
    return {
        "wrong": wrong,
        "native": not reasons,
        "compared": 1 if python.error else python.count,
    }


def _fallbacks(kernel: Any) -> dict[Any, Counter[str]]:
    """How often each reason kept each nest of the kernel from running natively.

    Of those that are not told, too: a loop round others that is only tried is told once
    it has run natively; and of what is prepared for arguments of other kinds.
    """
    known = [one for made in kernel._choice.made for one in made.dispatchers]
    return {one: Counter(one.fallbacks) for one in known}


def _since(kernel: Any, before: dict[Any, Counter[str]]) -> Counter[str]:
    """The reasons since then, of the nests that are told."""
    told = [one for one in kernel._prepared.dispatchers if one.is_told]
    assert told, f"{kernel} has no nest"
    found: Counter[str] = Counter()
    for nest in told:
        found += Counter(nest.fallbacks) - before.get(nest, Counter())
    return found


def _say(line: dict[str, object]) -> None:
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    for needed in NEEDED:
        importlib.import_module(needed)
    np.seterr(all="warn")
    gc.set_threshold(10_000, 20, 20)
    gc.freeze()
    _serve()
