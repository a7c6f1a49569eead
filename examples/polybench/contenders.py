"""Who takes part: names, threads, promises, and how they are made.

Two runtimes of OpenMP must not share a process, nor should the threads of one contender
wait in that of another, so contenders are in groups, each a process of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from examples.polybench import compilers
from examples.polybench.problems import Problem

EXACT = "-ffp-contract=off"
POLLY = "-mllvm", "-polly"
PARALLEL = "-mllvm", "-polly-parallel", "-fopenmp"


@dataclass(frozen=True)
class Contender:
    """A compiler with its options.

    Attributes:
        name: in tables; the same for one and two threads.
        threads: 1 or 2.
        exact: whether it promises every bit of CPython's result.
        group: what shares its process.
        make: the function for a kernel; its folder is for what it writes.
        there: whether it is installed.
    """

    name: str
    threads: int
    exact: bool
    group: str
    make: Callable[[Problem, Path], compilers.Run]
    there: bool

    @property
    def key(self) -> str:
        return f"{self.name}:{self.threads}"

    @property
    def ours(self) -> bool:
        """Whether it is looptx."""
        return self.name.startswith("looptx")


def looptx(
    name: str, threads: int, plain: bool = False, fast: bool = False
) -> Contender:
    make = partial(compilers.with_looptx, threads=threads, plain=plain, fast=fast)
    return Contender(name, threads, not fast, "looptx", make, True)


def gnu(name: str, threads: int, *flags: str) -> Contender:
    compiler, exact = compilers.gcc(), EXACT in flags
    make = partial(compilers.with_c, compiler=compiler, flags=flags)
    return Contender(name, threads, exact, "gcc", make, compiler is not None)


def llvm(name: str, threads: int, *flags: str) -> Contender:
    compiler, exact = compilers.clang(), EXACT in flags
    make = partial(compilers.with_c, compiler=compiler, flags=flags)
    return Contender(name, threads, exact, "clang", make, compiler is not None)


def numba(name: str, threads: int, fast: bool) -> Contender:
    make = partial(compilers.with_numba, parallel=threads > 1, fast=fast)
    return Contender(name, threads, not fast, "numba", make, compilers.has("numba"))


def pythran(name: str, *flags: str) -> Contender:
    make = partial(compilers.with_pythran, flags=flags)
    return Contender(name, 1, False, "pythran", make, compilers.has("pythran"))


ALL = (
    looptx("looptx plain", 1, plain=True),
    looptx("looptx", 1),
    looptx("looptx plain fast", 1, plain=True, fast=True),
    looptx("looptx fast", 1, fast=True),
    gnu("gcc exact", 1, EXACT),
    gnu("gcc", 1),
    gnu("gcc fast", 1, "-ffast-math"),
    llvm("clang exact", 1, EXACT),
    llvm("clang fast", 1, "-ffast-math"),
    llvm("polly fast", 1, "-ffast-math", *POLLY),
    numba("numba", 1, fast=False),
    numba("numba fast", 1, fast=True),
    pythran("pythran", "-O3", "-march=native"),
    pythran("pythran fast", "-Ofast", "-march=native"),
    looptx("looptx", 2),
    looptx("looptx fast", 2, fast=True),
    gnu("gcc exact", 2, EXACT, "-fopenmp"),
    gnu("gcc fast", 2, "-ffast-math", "-fopenmp"),
    llvm("clang fast", 2, "-ffast-math", "-fopenmp"),
    llvm("polly fast", 2, "-ffast-math", *POLLY, *PARALLEL),
    numba("numba", 2, fast=False),
    numba("numba fast", 2, fast=True),
)
"""In the order of tables. -O3 and -march=native are everywhere."""

BY_KEY = {one.key: one for one in ALL}
