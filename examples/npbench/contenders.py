"""What a process of contenders holds: the forms of one program, and its arguments."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from examples.npbench.problems import (
    Buffers,
    Problem,
    kernels,
    load,
    near,
    problems,
    same,
)

BUILD = Path(__file__).parent / "build"
"""Where modules that Pythran made are kept."""

ENOUGH = 0.02
"""Seconds that a sample takes at least: what is shorter is called several times."""

PYTHRAN = (
    "--config",
    "compiler.blas=openblas",
    "-DUSE_XSIMD",
    "-fopenmp",
    "-march=native",
    "-ffast-math",
)
"""The options that NPBench itself gives to it, and a BLAS as good as NumPy's."""

FORMS = {
    "numba": ("numba_n", "numba_np", "numba_npr"),
    "pythran": ("pythran",),
}
"""The files of NPBench that are rivals'; parallel forms have one thread, too."""


def all_cpu() -> float:
    """The CPU time of this process and of those that it has waited for."""
    both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
NAMES = {"wall": "wall time", "cpu": "CPU time"}

WHOLE = {"wall": time.perf_counter, "cpu": all_cpu}
"""What counts first calls: with the compilers that they start."""

_PLACE = re.compile(r"^\S+?:\d+:\d+: ")


class Bench:
    """It is asked for a program, then to load contenders, then for samples of them."""

    def __init__(self) -> None:
        np.seterr(all="ignore")
        self.calls: dict[str, Callable[..., Any]] = {}
        self.kernels: list[Any] = []

    def problem(self, root: str, name: str, size: str, clock: str) -> None:
        """Begin with a program.

        Args:
            root: the clone.
            name: of the program.
            size: one of ``SIZES``.
            clock: one of ``CLOCKS``.
        """
        self.clock, self.whole = CLOCKS[clock], WHOLE[clock]
        self.given: Problem = problems(Path(root))[name]
        self.buffers = Buffers(self.given.arguments(size))

    def load(self, form: str) -> tuple[float, str]:
        """Compile one form and call it once.

        Args:
            form: ``numpy``, ``looptx``, or one of ``FORMS``.

        Returns:
            The seconds of loading and of the first call, and what is wrong with the
            result.
        """
        arguments = self.buffers.restored()
        start = self.whole()
        run = self._made(form)
        result = run(*arguments)
        took = self.whole() - start
        left = self.buffers.left(result)
        self.calls[form] = run
        if form == "numpy":
            self.right = left
            return took, ""
        alike, what = near, "other values than NumPy's, beyond rounding"
        if form == "looptx":
            alike, what = same, "WRONG: other bits"
        pairs = zip(left, self.right, strict=False)
        if len(left) != len(self.right) or not all(alike(a, b) for a, b in pairs):
            return took, what
        return took, ""

    def _made(self, form: str) -> Callable[..., Any]:
        one = self.given
        if form == "pythran":
            return one.function(load(pythran(one.path(form)), f"{one.path(form).stem}"))
        path = one.path("numpy" if form == "looptx" else form)
        module = load(path, f"npbench_{one.name}_{form}")
        if form == "looptx":
            self.kernels = kernels(module)
        return one.function(module)

    def sample(self, form: str) -> float:
        """Seconds of a call, the mean of several if they are short."""
        total, count = 0.0, 0
        while total < ENOUGH:
            arguments = self.buffers.restored()
            start = self.clock()
            self.calls[form](*arguments)
            total += self.clock() - start
            count += 1
        return total / count

    def ran(self) -> tuple[int, int, list[str]]:
        """How many nests ran natively, how many did not, and why."""
        reports = [one.report() for one in self.kernels]
        nests = [nest for report in reports for nest in report.nests]
        why = [reason for nest in nests for reason in (*nest.failures, *nest.fallbacks)]
        why += [
            reason for report in reports for reason in (*report.left, report.unread)
        ]
        reasons = [_PLACE.sub("", text.partition("\n")[0]) for text in why if text]
        native = sum(nest.calls > 0 for nest in nests)
        left = sum(len(report.left) + bool(report.unread) for report in reports)
        return native, len(nests) - native + left, list(dict.fromkeys(reasons))


def pythran(source: Path) -> Path:
    """The extension module that Pythran makes of a file; it is kept."""
    BUILD.mkdir(exist_ok=True)
    made = BUILD / f"{source.stem}.so"
    if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
        words = [sys.executable, "-m", "pythran.run", *PYTHRAN, str(source.resolve())]
        done = subprocess.run(
            [*words, "-o", str(made)],
            capture_output=True,
            text=True,
            check=False,
            cwd=BUILD,
        )
        if done.returncode:
            lines = (done.stderr or done.stdout).strip().splitlines()
            raise RuntimeError(f"not compiled: {lines[-1] if lines else 'no reason'}")
    return made
