"""NumPy's functions in vectors: the bits of one number at a time."""

from __future__ import annotations

import importlib.util
import shutil
import sysconfig
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import looptx
from looptx.lower.vectors.masks.conditions import LOOPS
from looptx.native.ahead import extension
from looptx.native.compile import build, compiler, link

pytestmark = [
    pytest.mark.skipif(
        not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
    ),
    pytest.mark.usefixtures("rehearsed"),
]

SIZES = (0, 1, 2, 7, 8, 13, 31, 64, 67, 1009)


@looptx.kernel("vectorize i", strict=True)
def singles(x: Any, y: Any, out: Any) -> None:
    for i in range(x.shape[0]):
        out[0, i] = np.exp(x[i])
        out[1, i] = np.exp2(x[i])
        out[2, i] = np.expm1(x[i])
        out[3, i] = np.log(x[i])
        out[4, i] = np.log2(x[i])
        out[5, i] = np.log10(x[i])
        out[6, i] = np.log1p(x[i])
        out[7, i] = np.sin(x[i])
        out[8, i] = np.cos(x[i])
        out[9, i] = np.tan(x[i])
        out[10, i] = np.arcsin(x[i])
        out[11, i] = np.arccos(x[i])
        out[12, i] = np.arctan(x[i])
        out[13, i] = np.sinh(x[i])
        out[14, i] = np.cosh(x[i])
        out[15, i] = np.tanh(x[i])
        out[16, i] = np.arcsinh(x[i])
        out[17, i] = np.arccosh(x[i])
        out[18, i] = np.arctanh(x[i])
        out[19, i] = np.cbrt(x[i])
        out[20, i] = np.arctan2(x[i], y[i])
        out[21, i] = np.hypot(x[i], y[i])
        out[22, i] = np.logaddexp(x[i], y[i])
        out[23, i] = np.fmod(x[i], y[i])
        out[24, i] = np.copysign(x[i], y[i])
        out[25, i] = np.deg2rad(x[i])
        out[26, i] = np.rad2deg(x[i])
        out[27, i] = np.degrees(x[i])
        out[28, i] = np.radians(x[i])
        out[29, i] = np.spacing(x[i])
        out[30, i] = np.reciprocal(x[i])
        out[31, i] = np.logaddexp2(x[i], y[i])
        out[32, i] = np.heaviside(x[i], y[i])
        out[33, i] = np.nextafter(x[i], y[i])


@looptx.kernel("vectorize i", strict=True)
def mixed(x: Any, k: Any, c: float, out: Any) -> None:
    for i in range(x.shape[0]):
        e = np.exp(-x[i])
        out[i] = (np.tanh(x[i] * c) if x[i] > 0.5 else e) + np.log(k[i]) * np.sin(c)


@looptx.kernel("vectorize i", strict=True)
def powers(x: Any, y: Any) -> None:
    for i in range(x.shape[0]):
        y[i] = np.power(x[i], y[i])


def drawn(n: int, dtype: str, seed: int) -> Any:
    """Numbers of all bit patterns, of all sizes, and mild ones."""
    rng = np.random.default_rng(seed)
    bits = "u8" if dtype == "float64" else "u4"
    wild = rng.integers(0, np.iinfo(bits).max, n, bits, endpoint=True).view(dtype)
    with np.errstate(all="ignore"):
        sizes = (rng.standard_normal(n) * 10.0 ** rng.integers(-9, 9, n)).astype(dtype)
        mild = (rng.random(n) * 4 - 2).astype(dtype)
        pick = rng.integers(0, 3, n)
        return np.where(pick == 0, wild, np.where(pick == 1, sizes, mild))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_each_function(n: int, dtype: str) -> None:
    x, y = drawn(n, dtype, 3 * n), drawn(n, dtype, 3 * n + 1)
    ours, right = np.zeros((34, n), dtype), np.zeros((34, n), dtype)
    with np.errstate(all="ignore"):
        singles(x, y, ours)
        singles.py_func(x, y, right)
    assert ours.tobytes() == right.tobytes()
    text = singles.inspect_cython()
    short = {"float64": "f64", "float32": "f32"}[dtype]
    assert len(LOOPS) == 34
    for name in LOOPS:
        assert f"lx_np_{name}_{short}x" in text, name


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("whole", ["int32", "int64"])
def test_among_other_operations(n: int, whole: str) -> None:
    x = drawn(n, "float64", n)
    k = np.random.default_rng(n).integers(-3, 2**30, n).astype(whole)
    ours, right = np.zeros(n), np.zeros(n)
    with np.errstate(all="ignore"):
        mixed(x, k, 0.3, ours)
        mixed.py_func(x, k, 0.3, right)
    assert ours.tobytes() == right.tobytes()
    assert "lx_np_tanh_f64x" in mixed.inspect_cython()


@pytest.mark.parametrize("n", SIZES)
def test_powers_go_one_by_one(n: int) -> None:
    """A single exponent is one that NumPy looks at: squares are products."""
    x, y = drawn(n, "float64", n), drawn(n, "float64", n + 1)
    y[::3] = 2.0
    right = y.copy()
    with np.errstate(all="ignore"):
        powers(x, y)
        powers.py_func(x, right)
    assert y.tobytes() == right.tobytes()
    assert "lx_np_power_f64x" not in powers.inspect_cython()


SOURCE = """
import numpy as np

def exps(x: "float64[::1]", y: "float64[::1]"):
    # looptx: vectorize i
    for i in range(x.shape[0]):
        y[i] = np.exp(x[i])
"""

WHOLE = "slot->loop(p, &n, s, slot->data);"
SPOILT = f"{WHOLE} if (n > 1) p[operands - 1][0] ^= 1;"
"""A loop that gives other bits to the first of several numbers."""


ARRAYS = """
import looptx
import numpy as np

@looptx.kernel
def exps(x: "float64[::1]", y: "float64[::1]"):
    y[:] = np.exp(x[:])
"""


@pytest.mark.parametrize("tried", [True, False])
@pytest.mark.parametrize("written", [SOURCE, ARRAYS])
def test_a_loop_with_other_bits_side_by_side_is_called_apart(
    tmp_path: Path, tried: bool, written: str
) -> None:
    """In a statement on arrays, where those bits are NumPy's, it is not called."""
    text = extension.extension_text(written, "exps.py", native=True).text
    assert text.count(WHOLE) == 1
    text = text.replace(WHOLE, SPOILT)
    if not tried:
        tries = "lx_try(&", "lx_try_many(&"
        lines = text.split("\n")
        text = "\n".join(x for x in lines if not any(one in x for one in tries))
    source = build.cythonize(text, "exps", tmp_path)
    library = tmp_path / f"exps{sysconfig.get_config_var('EXT_SUFFIX')}"
    link.link(source, library, compiler.REQUIRED, compiler.OPTIONAL)
    spec = importlib.util.spec_from_file_location("exps", library)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x, y = drawn(64, "float64", 1), np.zeros(64)
    with np.errstate(all="ignore"):
        module.exps(x, y)
        right = np.array([np.exp(one) for one in x])
    assert (y.tobytes() == right.tobytes()) is tried


def turned(A: Any, B: Any) -> None:
    A[:] = np.exp(A[::-1])
    A[::-1] = np.exp(A * 0.01) * 2.0
    A[1:] = np.arctan2(A[:-1], B[1:]) * 2.0
    A[1:] = np.exp2(A[:-1])


def turned_rows(A: Any, B: Any) -> None:
    for i in range(3):
        A[i, ::-1] = np.exp(A[i])
        A[i, 1:] = np.exp(A[i, :-1] * -0.5)


@pytest.mark.filterwarnings("ignore:looptx:RuntimeWarning")
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_what_is_overwritten_is_read_as_it_lies(kind: str) -> None:
    """A copy of it lies forwards, where NumPy's loop may go backwards."""
    for size in (0, 1, 67, 301):
        for step in (1, -1, -2):
            numbers = drawn(6 * size, kind, size).reshape(3, 2 * size)
            for function, part in ((turned, 0), (turned_rows, slice(None))):
                found, expected = numbers.copy(), numbers.copy()
                own, theirs = (x[part, ..., ::step] for x in (found, expected))
                other = numbers[0, ::step] + 1
                with np.errstate(all="ignore"):
                    looptx.kernel(function)(own, other)
                    function(theirs, other)
                assert found.tobytes() == expected.tobytes()
