"""How each contender makes a function of a kernel."""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from examples.polybench import sources
from examples.polybench.problems import Arguments, Problem

Run = Callable[..., object]

FAST = "contract, reassociate"
"""What looptx may take for granted where bits may differ."""

EXPORTED = {float: "float", int: "int"}


def gcc() -> str | None:
    """The GNU compiler, where there is one."""
    return os.environ.get("GCC") or shutil.which("gcc")


def clang() -> str | None:
    """Clang, where there is one, also under its Debian name."""
    names = "clang", *(f"clang-{version}" for version in range(22, 13, -1))
    found = (shutil.which(name) for name in names)
    return os.environ.get("CLANG") or next(filter(None, found), None)


def has(module: str) -> bool:
    """Whether Python finds a module."""
    return importlib.util.find_spec(module) is not None


def with_looptx(
    problem: Problem, folder: Path, *, threads: int, plain: bool, fast: bool
) -> Run:
    """The kernel compiled by looptx, or an error.

    Args:
        problem: the kernel.
        folder: where its module is to lie.
        threads: 1 or 2.
        plain: without a schedule.
        fast: with the freedom that -ffast-math gives.
    """
    from looptx import kernel

    other = () if plain else sources.otherwise(problem, threads, fast)
    text = sources.scheduled(problem)
    if plain:
        text = sources.plain(problem)
    elif other:
        text = sources.named(problem)
    function = sources.function(text, problem.name, folder)
    freedom = {"fastmath": FAST} if fast else {}
    made: Run = kernel(*other, strict=True, **freedom)(function)
    return made


def with_c(
    problem: Problem, folder: Path, *, compiler: str | None, flags: Sequence[str]
) -> Run:
    """The hand-written loops.

    What links is not told of -ffast-math, or it would flush subnormal numbers of the
    whole process.

    Args:
        problem: the kernel.
        folder: where the library is kept, by a digest of how it is made.
        compiler: what compiles.
        flags: of the compiler.
    """
    assert compiler is not None
    base = [compiler, "-O3", "-march=native", "-fPIC", *flags]
    key = digest(*base, problem.c.read_text(encoding="utf-8"))
    library = folder / f"{problem.name}_{key}.so"
    if not library.exists():
        item = library.with_suffix(".o")
        output([*base, "-c", str(problem.c), "-o", str(item)])
        links = [one for one in flags if one == "-fopenmp"]
        output([compiler, "-shared", *links, str(item), "-o", str(library), "-lm"])
    function = getattr(ctypes.CDLL(str(library)), problem.name)
    function.restype = None
    return lambda *arguments: function(*arguments)


def c_values(
    problem: Problem, sizes: Sequence[int], given: Sequence[object]
) -> Arguments:
    """What a C function is called with.

    Args:
        problem: the kernel.
        sizes: its sizes.
        given: the arguments of the Python function; its integers are sizes, too.
    """
    values: list[object] = [ctypes.c_int64(size) for size in sizes]
    for one in given:
        if isinstance(one, np.ndarray):
            values.append(ctypes.c_void_p(one.ctypes.data))
        elif isinstance(one, float):
            values.append(ctypes.c_double(one))
    return tuple(values)


def with_numba(problem: Problem, folder: Path, *, parallel: bool, fast: bool) -> Run:
    """The plain loops compiled by Numba.

    Args:
        problem: the kernel.
        folder: where its module is to lie.
        parallel: with ``prange`` where C shares a loop among threads.
        fast: with fastmath.
    """
    from numba import njit

    text = sources.with_prange(problem) if parallel else sources.plain(problem)
    function = sources.function(text, problem.name, folder)
    made: Run = njit(parallel=parallel, fastmath=fast)(function)
    return made


def with_pythran(problem: Problem, folder: Path, *, flags: Sequence[str]) -> Run:
    """The plain loops compiled by Pythran.

    Args:
        problem: the kernel.
        folder: where the module is kept, by a digest of how it is made.
        flags: of the C++ compiler.
    """
    types = ", ".join(
        f"{one.dtype}[{', '.join(':' * one.ndim)}]"
        if isinstance(one, np.ndarray)
        else EXPORTED[type(one)]
        for one in problem.arguments(problem.sizes["MINI"])
    )
    export = f"# pythran export {problem.name}({types})\n"
    text = export + sources.plain(problem)
    place = folder / digest(*flags, text)
    library = place / f"{problem.name}.so"
    if not library.exists():
        place.mkdir(exist_ok=True)
        (place / f"{problem.name}.py").write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "pythran.run", *flags]
        output([*command, f"{place / problem.name}.py", "-o", str(library)])
    spec = importlib.util.spec_from_file_location(problem.name, library)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: Run = getattr(module, problem.name)
    return made


def digest(*texts: str) -> str:
    """Hexadecimal digits for texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def output(command: list[str]) -> None:
    """Run a compiler, or raise with the last lines of what it says."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "rror" in line]
        raise RuntimeError((said or ["the compiler failed"])[0][:200])
