"""The examples: goldens, bitwise equality with the source, and the timing harness."""

from __future__ import annotations

import functools
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from looptx import cli

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
NAMES = (
    "matmul",
    "gemm",
    "conv1d",
    "jacobi2d",
    "lu",
    "trisolve",
    "atax",
    "heat",
    "blur",
    "layernorm",
    "layer",
    "attention",
    "conv2d",
    "dot",
)
SIZES = (0, 1, 2, 7, 33, 67)

Arguments = tuple[object, ...]


def matrix(*shape: int) -> np.ndarray:
    """Numbers of both signs and of several magnitudes, so that sums round."""
    rng = np.random.default_rng(sum(shape))
    return rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)


def matmul_cases() -> list[Arguments]:
    shapes = [
        *product((0, 1, 5), repeat=3),
        (33, 257, 3),
        (31, 7, 65),
        (64, 3, 128),
        (2, 300, 67),
        (37, 41, 43),
    ]
    return [(matrix(n, p), matrix(p, m), matrix(n, m)) for n, m, p in shapes]


def conv1d_cases() -> list[Arguments]:
    shapes = [(0, 1), (1, 0), (1, 1), (2, 5), (7, 7), (67, 3), (2047, 3), (4099, 5)]
    return [(matrix(n), matrix(m), matrix(max(n + m - 1, 0))) for n, m in shapes]


def jacobi2d_cases() -> list[Arguments]:
    return [
        (matrix(n, m), matrix(n, m), steps)
        for n, m, steps in product((0, 1, 2, 3, 17), (0, 2, 5, 31), (0, 1, 3))
    ]


def heat_cases() -> list[Arguments]:
    return [
        (matrix(n), matrix(n), steps)
        for n, steps in product((0, 1, 2, 3, 17, 4099), (0, 1, 3, 33))
    ]


def lu_cases() -> list[Arguments]:
    return [(matrix(n, n) + 1e4 * np.eye(n),) for n in (*SIZES, 32, 65)]


def trisolve_cases() -> list[Arguments]:
    return [
        (np.tril(matrix(n, n)) + 1e4 * np.eye(n), matrix(n, m))
        for n, m in product((0, 1, 2, 13), (0, 1, 63, 64, 131))
    ]


def atax_cases() -> list[Arguments]:
    shapes = [*product((0, 1, 2, 7), repeat=2), (33, 67), (5, 513), (67, 1031)]
    return [(matrix(n, m), matrix(m), matrix(n), matrix(m)) for n, m in shapes]


def blur_cases() -> list[Arguments]:
    shapes = [*product((0, 1, 2, 3, 7), repeat=2), (67, 5), (131, 33)]
    return [(matrix(n, m), matrix(n, m)) for n, m in shapes]


def layernorm_cases() -> list[Arguments]:
    shapes = [*product((0, 1, 2, 7), (1, 2, 5)), (3, 0), (67, 33)]
    return [(matrix(n, m), matrix(n, m)) for n, m in shapes]


def layer_cases() -> list[Arguments]:
    shapes = [(0, 1, 1), (1, 0, 2), (1, 1, 0), (1, 1, 1), (2, 3, 5), (67, 13, 7)]
    shapes += [(3, 97, 5), (2, 25, 257)]
    given = [(matrix(n, p), matrix(p, m), matrix(m), n, m) for n, m, p in shapes]
    return [
        (*(x.astype(dtype) for x in arrays), np.zeros((n, m), dtype))
        for *arrays, n, m in given
        for dtype in (np.float64, np.float32)
    ]


def attention_cases() -> list[Arguments]:
    shapes = [(0, 1, 1, 1), (1, 1, 0, 1), (1, 1, 1, 0), (2, 3, 5, 1), (33, 7, 4, 5)]
    return [
        (
            *(matrix(x, d) / 99 for x in (n, m)),
            matrix(m, e),
            np.zeros((n, m)),
            np.zeros((n, e)),
        )
        for n, m, d, e in shapes
    ]


def conv2d_cases() -> list[Arguments]:
    shapes = [(0, 1, 1, 1, 1), (1, 0, 1, 1, 2), (1, 1, 0, 1, 1), (1, 1, 1, 1, 1)]
    shapes += [(5, 7, 2, 3, 3), (17, 67, 1, 2, 3), (3, 131, 3, 1, 1)]
    return [
        (matrix(c, n + a - 1, m + b - 1), matrix(c, a, b), matrix(1), matrix(n, m))
        for n, m, c, a, b in shapes
    ]


def dot_cases() -> list[Arguments]:
    """Whole numbers, whose sum is the same in any order, and one that has begun."""
    whole = np.random.default_rng(1).integers(-99, 99, (2, 12_301)).astype(float)
    sizes = (*SIZES, 4095, 4096, 4097, 12_301)
    return [(*whole[:, :n].copy(), np.full(1, 7.0)) for n in sizes]


CASES: dict[str, Callable[[], list[Arguments]]] = {
    "blur": blur_cases,
    "dot": dot_cases,
    "layer": layer_cases,
    "attention": attention_cases,
    "conv2d": conv2d_cases,
    "layernorm": layernorm_cases,
    "gemm": matmul_cases,
    "matmul": matmul_cases,
    "conv1d": conv1d_cases,
    "heat": heat_cases,
    "jacobi2d": jacobi2d_cases,
    "lu": lu_cases,
    "trisolve": trisolve_cases,
    "atax": atax_cases,
}


def load(path: Path, name: str) -> Callable[..., object]:
    """The function ``name`` of the file at ``path``."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def after(function: Callable[..., object], arguments: Arguments) -> list[bytes]:
    """The bytes of every array after a call on copies of the arguments."""
    given = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    assert function(*given) is None
    return [a.tobytes() for a in given if isinstance(a, np.ndarray)]


@functools.cache
def expected(name: str) -> list[list[bytes]]:
    """What the source of an example leaves, case by case."""
    source = load(EXAMPLES / name / f"{name}.py", name)
    return [after(source, arguments) for arguments in CASES[name]()]


def agrees(name: str, function: Callable[..., object]) -> None:
    """Check that a function leaves what the source of an example does."""
    for arguments, left in zip(CASES[name](), expected(name), strict=True):
        assert after(function, arguments) == left


@pytest.fixture
def transform(capfd: pytest.CaptureFixture[str]) -> Callable[[Path], str]:
    """What ``looptx transform`` writes to stdout."""

    def run(path: Path) -> str:
        assert cli.main(["transform", str(path)]) == 0
        return capfd.readouterr().out

    return run


@pytest.mark.parametrize("name", NAMES)
def test_golden(name: str, transform: Callable[[Path], str]) -> None:
    folder = EXAMPLES / name
    golden = (folder / f"{name}_transformed.py").read_text(encoding="utf-8")
    assert transform(folder / f"{name}.py") == golden


@pytest.mark.parametrize("name", NAMES)
def test_transformed_equals_source(name: str) -> None:
    agrees(name, load(EXAMPLES / name / f"{name}_transformed.py", name))


@pytest.mark.parametrize("name", NAMES)
def test_decorated_file_transforms_to_the_same_loops(
    name: str, transform: Callable[[Path], str]
) -> None:
    """The decorator goes, with its import, and the loops are those of the golden."""
    text = transform(EXAMPLES / name / f"{name}_decorated.py")
    assert "import looptx" not in text and "@" not in text
    golden = (EXAMPLES / name / f"{name}_transformed.py").read_text(encoding="utf-8")
    assert code_lines(text) == code_lines(golden)


def code_lines(text: str) -> list[str]:
    """The lines of a file's function that are neither comment nor blank."""
    body = text[text.index("def ") :].splitlines()
    return [line for line in body if line.strip() and line.strip()[0] != "#"]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.usefixtures("optimised")
@pytest.mark.parametrize("name", NAMES)
def test_native_equals_source(name: str) -> None:
    agrees(name, load(EXAMPLES / name / f"{name}_decorated.py", name))


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.usefixtures("optimised")
def test_native_sums_in_the_order_of_the_transformed_file() -> None:
    ours, theirs = (
        load(EXAMPLES / "dot" / f"dot_{variant}.py", "dot")
        for variant in ("decorated", "transformed")
    )
    for n in (1, 33, 4097, 12_301):
        given = matrix(n), matrix(n)[::-1].copy(), np.full(1, 0.1)
        assert after(ours, given) == after(theirs, given)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_bench_prints_a_row_for_every_example() -> None:
    command = [sys.executable, "-m", "examples.bench", "--repeat", "1", "lu", "conv1d"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    names = [line.split()[0] for line in done.stdout.splitlines() if line.strip()]
    assert names[:3] == ["example", "lu", "conv1d"]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_c_gives_the_bits_of_the_source() -> None:
    """Of attention, where it calls the loop of NumPy for exp."""
    timed = (
        "import tempfile, numpy as np\n"
        "from pathlib import Path\n"
        "from examples.attention.timing import PROBLEM\n"
        "from examples.harness import compile_c, copied, load\n"
        "with tempfile.TemporaryDirectory() as folder:\n"
        "    theirs = compile_c('attention', Path(folder))\n"
        "for n in (1, 7, 33):\n"
        "    one, two = copied(args := PROBLEM.make(n)), copied(args)\n"
        "    load('attention')(*one), theirs(*two, *PROBLEM.sizes(*args))\n"
        "    print(one[4].tobytes() == two[4].tobytes() != args[4].tobytes())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", timed], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stdout.split() == ["True"] * 3, done.stderr


def test_bench_refuses_an_unknown_example() -> None:
    command = [sys.executable, "-m", "examples.bench", "matmull"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "matmull" in done.stderr
