"""What the timing scripts share: problems, hand-written C, fair clocks and a table.

Every contender gets the same buffers, restored before each call and outside the clock.
C and looptx take turns, and the order of the turns is reversed every time, so that a
slow moment of the machine meets both.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, sleep

import numpy as np

HERE = Path(__file__).parent
FLAGS = (
    "-O3",
    "-march=native",
    "-ffp-contract=off",
    "-fwrapv",
    "-fno-math-errno",
    "-fno-tree-vrp",
    "-fno-trapping-math",
    "--param=max-completely-peel-times=7",
    "-fopenmp",
)
"""What looptx gives the compiler for a kernel with a parallel loop."""

SETTLE = 0.2
"""Seconds until the threads of NumPy's BLAS stop spinning. They would take the cores
from the OpenMP threads of C and looptx, which is also why NumPy has its turns last."""


@dataclass(frozen=True)
class Problem:
    """One example at one size.

    Attributes:
        name: the folder, the function and the C function.
        size: what ``make`` gets for the timing; ``small`` for plain Python.
        make: the arguments of the kernel for a size.
        sizes: the integers that the C function takes after the arguments.
        work: how many innermost iterations a size has, to scale plain Python.
        numpy: the same work in NumPy; it returns its result.
        result: which argument holds the result of the kernel.
    """

    name: str
    size: int
    small: int
    make: Callable[[int], tuple[object, ...]]
    sizes: Callable[..., tuple[int, ...]]
    work: Callable[[int], float]
    numpy: Callable[..., object]
    result: int = -1


@dataclass(frozen=True)
class Row:
    """The measured times of one problem, in seconds."""

    problem: Problem
    times: dict[str, list[float]]

    def ratio(self, pick: Callable[[Sequence[float]], float]) -> float:
        """looptx over C, of the smallest or of the median times."""
        return pick(self.times["looptx"]) / pick(self.times["C"])


def load(name: str, variant: str = "") -> Callable[..., object]:
    """The kernel of an example: as written (``""``), ``decorated``, ``transformed``."""
    stem = f"{name}_{variant}" if variant else name
    module = importlib.import_module(f"{__package__}.{name}.{stem}")
    kernel: Callable[..., object] = getattr(module, name)
    return kernel


def compile_c(name: str, folder: Path) -> Callable[..., None]:
    """The hand-written loops of an example as a function over NumPy arrays."""
    compiler = os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        sys.exit("no C compiler found: the C column needs gcc")
    library = folder / f"{name}.so"
    source = HERE / name / f"{name}.c"
    command = [compiler, *FLAGS, "-shared", "-fPIC", str(source), "-o", str(library)]
    subprocess.run(command, check=True)
    function = getattr(ctypes.CDLL(str(library)), name)
    function.restype = None

    def call(*args: object) -> None:
        function(*(_c_value(arg) for arg in args))

    return call


def _c_value(arg: object) -> ctypes.c_void_p | ctypes.c_int64:
    if isinstance(arg, np.ndarray):
        return ctypes.c_void_p(arg.ctypes.data)
    assert isinstance(arg, int)
    return ctypes.c_int64(arg)


class _Ufunc(ctypes.Structure):
    """The beginning of a ufunc, as NumPy's header has it."""

    _fields_ = (
        ("object", ctypes.c_void_p * 2),
        ("counts", ctypes.c_int * 4),
        ("loops", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("number", ctypes.c_int),
        ("reserved", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("types", ctypes.POINTER(ctypes.c_byte)),
    )


def loop_of(ufunc: np.ufunc) -> tuple[int, int]:
    """The addresses of NumPy's loop for a function of one float64, and of its data."""
    known, double = _Ufunc.from_address(id(ufunc)), np.dtype(np.float64).num
    for at in range(known.number):
        if known.types[2 * at] == known.types[2 * at + 1] == double:
            return known.loops[at] or 0, (known.data[at] or 0) if known.data else 0
    raise TypeError(f"{ufunc} has no loop for float64")


def copied(args: tuple[object, ...]) -> tuple[object, ...]:
    """The arguments, arrays copied."""
    return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)


def clock(call: Callable[..., object], args: tuple[object, ...]) -> float:
    """Seconds that one call takes."""
    start = perf_counter()
    call(*args)
    return perf_counter() - start


def interleave(
    contenders: dict[str, Callable[..., object]],
    original: tuple[object, ...],
    repeat: int,
) -> dict[str, list[float]]:
    """Time the contenders in turns on the same buffers."""
    buffers = copied(original)
    pairs = [
        (target, source)
        for target, source in zip(buffers, original, strict=True)
        if isinstance(target, np.ndarray) and isinstance(source, np.ndarray)
    ]
    times: dict[str, list[float]] = {name: [] for name in contenders}
    order = list(contenders)
    for _ in range(repeat):
        for name in order:
            for target, source in pairs:
                np.copyto(target, source)
            times[name].append(clock(contenders[name], buffers))
        order.reverse()
    return times


def measure(problem: Problem, folder: Path, repeat: int) -> Row:
    """Check that all agree, then time them."""
    args = problem.make(problem.size)
    sizes = problem.sizes(*args)
    kernel = load(problem.name, "decorated")
    c_function = compile_c(problem.name, folder)
    ours, theirs = copied(args), copied(args)
    kernel(*ours)
    c_function(*theirs, *sizes)
    expected = np.asarray(problem.numpy(*copied(args)))
    result = np.asarray(ours[problem.result])
    other = np.asarray(theirs[problem.result])
    if result.tobytes() != other.tobytes():
        sys.exit(f"{problem.name}: looptx and C differ")
    if not np.allclose(result, expected):
        sys.exit(f"{problem.name}: looptx and NumPy differ")
    contenders: dict[str, Callable[..., object]] = {
        "C": lambda *values: c_function(*values, *sizes),
        "looptx": kernel,
    }
    sleep(SETTLE)
    times = interleave(contenders, args, repeat)
    times |= interleave({"NumPy": problem.numpy}, args, repeat)
    return Row(problem, times)


def plain_python(problem: Problem) -> float:
    """Seconds per innermost iteration of the source, at the small size."""
    plain = load(problem.name)
    args = problem.make(problem.small)
    seconds = min(clock(plain, copied(args)) for _ in range(3))
    return seconds / problem.work(problem.small)


def table(rows: Sequence[Row], python: dict[str, float]) -> str:
    """The rows as text. ``python`` has the seconds per iteration of each example."""
    lines = [
        f"{'example':<10}{'size':>8}{'Python*':>12}{'NumPy':>16}{'C':>16}"
        f"{'looptx':>16}{'looptx/C':>16}{'Python*/looptx':>16}"
    ]
    for row in rows:
        problem = row.problem
        best = min(row.times["looptx"])
        plain = python[problem.name] * problem.work(problem.size)
        cells = [
            f"{problem.name:<10}{problem.size:>8}{1e3 * plain:>12.0f}",
            *(_pair(row.times[name]) for name in ("NumPy", "C", "looptx")),
            f"{row.ratio(min):>8.2f}{row.ratio(statistics.median):>8.2f}",
            f"{plain / best:>16.0f}",
        ]
        lines.append("".join(cells))
    small = {row.problem.name: row.problem.small for row in rows}
    each = [
        f"{name} at {small[name]} ({1e9 * seconds:.0f} ns each)"
        for name, seconds in python.items()
    ]
    lines += [
        "",
        f"Milliseconds, smallest and median; looptx/C likewise. {_threads()}.",
        "* Plain Python ran at a small size and is scaled by the number of innermost "
        "iterations:",
        f"  {', '.join(each)}",
    ]
    return "\n".join(lines)


def ratios(rows: Sequence[Row], python: dict[str, float]) -> str:
    """The rows as a Markdown table of ratios of the smallest times."""
    lines = [
        "| example | size | plain Python / looptx * | NumPy / looptx | looptx / C |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        problem = row.problem
        best = min(row.times["looptx"])
        plain = python[problem.name] * problem.work(problem.size)
        lines.append(
            f"| {problem.name} | {problem.size} | {plain / best:.0f} "
            f"| {min(row.times['NumPy']) / best:.2f} | {row.ratio(min):.2f} |"
        )
    return "\n".join(lines)


def _threads() -> str:
    """How many threads C, looptx and NumPy may use."""
    chosen = os.environ.get("OMP_NUM_THREADS")
    number = int(chosen) if chosen else os.cpu_count()
    return "One thread" if number == 1 else f"{number} threads"


def _pair(times: Sequence[float]) -> str:
    return f"{1e3 * min(times):>8.2f}{1e3 * statistics.median(times):>8.2f}"


def report(
    problems: Sequence[Problem], repeat: int = 15, markdown: bool = False
) -> list[Row]:
    """Measure problems one after the other and print their table, or tables."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [measure(problem, Path(folder), repeat) for problem in problems]
    names = {problem.name: problem for problem in problems}
    python = {name: plain_python(problem) for name, problem in names.items()}
    print(table(rows, python))
    if markdown:
        print(f"\n{ratios(rows, python)}")
    return rows


def separate(problem: Problem, apart: Callable[..., object]) -> str:
    """Milliseconds of a kernel whose nests join one, and of the same nests apart.

    Args:
        problem: the example. apart: the same function with directives for each nest.
    """
    args = problem.make(problem.size)
    both = {"joined": load(problem.name, "decorated"), "apart": apart}
    for one in both.values():
        one(*args)
    times = interleave(both, args, 15)
    said = (f"{name} {1e3 * min(known):.1f} ms" for name, known in times.items())
    return f"{problem.name}, {', '.join(said)}"
