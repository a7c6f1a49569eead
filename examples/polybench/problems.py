"""The kernels of PolyBench/C 4.2, the sizes of its data sets, and numbers to run on.

Sizes are those of PolyBench, but for gramschmidt: here its matrix has more rows than
columns. PolyBench's has more columns; the last ones are what rounding leaves of zero,
and say nothing about a result.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
DATASETS = ("MINI", "SMALL", "MEDIUM", "LARGE")

Arguments = tuple[object, ...]
Numbers = np.random.Generator


@dataclass(frozen=True)
class Problem:
    """A kernel of PolyBench.

    Attributes:
        name: the function, in Python and in C.
        family: the folder that both lie in.
        sizes: the sizes of each data set, in the order in which C takes them.
        inputs: the arguments of the Python function for such sizes.
        scratch: the numbers of those that only hold values in between: PolyBench takes
            no results from them.
    """

    name: str
    family: str
    sizes: dict[str, tuple[int, ...]]
    inputs: Callable[..., Arguments]
    scratch: tuple[int, ...] = ()

    @property
    def python(self) -> Path:
        """The loops with their directives."""
        return HERE / self.family / f"{self.name}.py"

    @property
    def c(self) -> Path:
        """The same loops in C."""
        return HERE / self.family / f"{self.name}.c"

    def arguments(self, sizes: tuple[int, ...]) -> Arguments:
        """New arguments, the same ones for the same sizes."""
        return self.inputs(np.random.default_rng(sum(sizes)), *sizes)

    def results(self, arguments: Arguments) -> list[np.ndarray]:
        """The arrays in which a call leaves its results."""
        return [
            one
            for at, one in enumerate(arguments)
            if isinstance(one, np.ndarray) and at not in self.scratch
        ]


PROBLEMS: dict[str, Problem] = {}


def problem(
    family: str, *sizes: tuple[int, ...], scratch: tuple[int, ...] = ()
) -> Callable[[Callable[..., Arguments]], Callable[..., Arguments]]:
    """Enter a kernel by the name of its inputs.

    Args:
        family: its folder. sizes: from MINI to LARGE.
        scratch: as in ``Problem``.
    """

    def enter(inputs: Callable[..., Arguments]) -> Callable[..., Arguments]:
        name = inputs.__name__
        named = dict(zip(DATASETS, sizes, strict=True))
        PROBLEMS[name] = Problem(name, family, named, inputs, scratch)
        return inputs

    return enter


blas = functools.partial(problem, "blas")
products = functools.partial(problem, "products")
solvers = functools.partial(problem, "solvers")
mining = functools.partial(problem, "mining")
medley = functools.partial(problem, "medley")
stencils = functools.partial(problem, "stencils")

ROWS = (40,), (120,), (400,), (2000,)
PAIRS = (20, 30), (60, 80), (200, 240), (1000, 1200)
TALL = (30, 20), (80, 60), (240, 200), (1200, 1000)


@blas((20, 25, 30), (60, 70, 80), (200, 220, 240), (1000, 1100, 1200))
def gemm(rng: Numbers, n: int, m: int, p: int) -> Arguments:
    return 1.5, 1.2, rng.random((n, m)), rng.random((n, p)), rng.random((p, m))


@blas(*ROWS)
def gemver(rng: Numbers, n: int) -> Arguments:
    vectors = (rng.random(n) for _ in range(8))
    return 1.5, 1.2, rng.random((n, n)), *vectors


@blas((30,), (90,), (250,), (1300,))
def gesummv(rng: Numbers, n: int) -> Arguments:
    vectors = np.zeros(n), rng.random(n), np.zeros(n)
    return 1.5, 1.2, rng.random((n, n)), rng.random((n, n)), *vectors


@blas(*PAIRS)
def symm(rng: Numbers, n: int, m: int) -> Arguments:
    return 1.5, 1.2, rng.random((n, m)), rng.random((n, n)), rng.random((n, m))


@blas(*TALL)
def syr2k(rng: Numbers, n: int, m: int) -> Arguments:
    return 1.5, 1.2, rng.random((n, n)), rng.random((n, m)), rng.random((n, m))


@blas(*TALL)
def syrk(rng: Numbers, n: int, m: int) -> Arguments:
    return 1.5, 1.2, rng.random((n, n)), rng.random((n, m))


@blas(*PAIRS)
def trmm(rng: Numbers, n: int, m: int) -> Arguments:
    return 1.5, np.tril(rng.random((n, n))), rng.random((n, m))


@products(
    (16, 18, 22, 24), (40, 50, 70, 80), (180, 190, 210, 220), (800, 900, 1100, 1200)
)
def k2mm(rng: Numbers, n: int, m: int, p: int, q: int) -> Arguments:
    shapes = (n, p), (p, m), (m, q), (n, q)
    return 1.5, 1.2, np.zeros((n, m)), *(rng.random(shape) for shape in shapes)


@products(
    (16, 18, 20, 22, 24),
    (40, 50, 60, 70, 80),
    (180, 190, 200, 210, 220),
    (800, 900, 1000, 1100, 1200),
)
def k3mm(rng: Numbers, n: int, m: int, p: int, q: int, r: int) -> Arguments:
    E, F, G = np.zeros((n, m)), np.zeros((m, q)), np.zeros((n, q))
    A, B = rng.random((n, p)), rng.random((p, m))
    return E, A, B, F, rng.random((m, r)), rng.random((r, q)), G


@products((38, 42), (116, 124), (390, 410), (1900, 2100))
def atax(rng: Numbers, n: int, m: int) -> Arguments:
    return rng.random((n, m)), rng.random(m), np.zeros(m), np.zeros(n)


@products((42, 38), (124, 116), (410, 390), (2100, 1900))
def bicg(rng: Numbers, n: int, m: int) -> Arguments:
    return rng.random((n, m)), np.zeros(m), np.zeros(n), rng.random(m), rng.random(n)


@products((10, 8, 12), (25, 20, 30), (50, 40, 60), (150, 140, 160), scratch=(2,))
def doitgen(rng: Numbers, r: int, q: int, n: int) -> Arguments:
    return rng.random((r, q, n)), rng.random((n, n)), np.zeros(n)


@products(*ROWS)
def mvt(rng: Numbers, n: int) -> Arguments:
    return *(rng.random(n) for _ in range(4)), rng.random((n, n))


@solvers(*ROWS)
def cholesky(rng: Numbers, n: int) -> Arguments:
    """A positive definite matrix: its diagonal is larger than its rows' sums."""
    A = rng.random((n, n))
    return (A + A.T + 2.0 * n * np.eye(n),)


@solvers(*ROWS)
def durbin(rng: Numbers, n: int) -> Arguments:
    """A convex sequence that falls, so that all systems have solutions."""
    return 1.0 / np.arange(2.0, n + 2.0), np.zeros(n), np.zeros(n)


@solvers(*TALL)
def gramschmidt(rng: Numbers, n: int, m: int) -> Arguments:
    return rng.random((n, m)), np.zeros((m, m)), np.zeros((n, m))


@solvers(*ROWS)
def lu(rng: Numbers, n: int) -> Arguments:
    return (rng.random((n, n)) + n * np.eye(n),)


@solvers(*ROWS)
def ludcmp(rng: Numbers, n: int) -> Arguments:
    return rng.random((n, n)) + n * np.eye(n), rng.random(n), np.zeros(n), np.zeros(n)


@solvers(*ROWS)
def trisolv(rng: Numbers, n: int) -> Arguments:
    return np.tril(rng.random((n, n))) + n * np.eye(n), np.zeros(n), rng.random(n)


@mining((32, 28), (100, 80), (260, 240), (1400, 1200))
def correlation(rng: Numbers, n: int, m: int) -> Arguments:
    return rng.random((n, m)), np.zeros((m, m)), np.zeros(m), np.zeros(m)


@mining((32, 28), (100, 80), (260, 240), (1400, 1200))
def covariance(rng: Numbers, n: int, m: int) -> Arguments:
    return rng.random((n, m)), np.zeros((m, m)), np.zeros(m)


@medley((64, 64), (192, 128), (720, 480), (4096, 2160))
def deriche(rng: Numbers, w: int, h: int) -> Arguments:
    image = rng.random((w, h), dtype=np.float32)
    return 0.25, image, *(np.zeros_like(image) for _ in range(3))


@medley((60,), (180,), (500,), (2800,))
def floyd_warshall(rng: Numbers, n: int) -> Arguments:
    return (rng.integers(1, 1000, (n, n), dtype=np.int32),)


@medley((60,), (180,), (500,), (2500,))
def nussinov(rng: Numbers, n: int) -> Arguments:
    return rng.integers(0, 4, n, dtype=np.int8), np.zeros((n, n), np.int32)


@stencils((20, 20), (60, 40), (200, 100), (1000, 500))
def adi(rng: Numbers, n: int, steps: int) -> Arguments:
    return steps, rng.random((n, n)), *(np.zeros((n, n)) for _ in range(3))


@stencils((20, 30, 20), (60, 80, 40), (200, 240, 100), (1000, 1200, 500))
def fdtd_2d(rng: Numbers, n: int, m: int, steps: int) -> Arguments:
    return *(rng.random((n, m)) for _ in range(3)), np.arange(float(steps))


@stencils((10, 20), (20, 40), (40, 100), (120, 500))
def heat_3d(rng: Numbers, n: int, steps: int) -> Arguments:
    A = rng.random((n, n, n))
    return steps, A, A.copy()


@stencils((30, 20), (120, 40), (400, 100), (2000, 500))
def jacobi_1d(rng: Numbers, n: int, steps: int) -> Arguments:
    A = rng.random(n)
    return steps, A, A.copy()


@stencils((30, 20), (90, 40), (250, 100), (1300, 500))
def jacobi_2d(rng: Numbers, n: int, steps: int) -> Arguments:
    A = rng.random((n, n))
    return steps, A, A.copy()


@stencils((40, 20), (120, 40), (400, 100), (2000, 500))
def seidel_2d(rng: Numbers, n: int, steps: int) -> Arguments:
    return steps, rng.random((n, n))
