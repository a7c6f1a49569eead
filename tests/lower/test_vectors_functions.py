"""Functions that have vectors: how far off they are, and what they do in lanes."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kit.guarded import Guarded

import looptx
from looptx.emit.cython.functions.quick import ULPS

SIZES = (0, 1, 2, 3, 7, 8, 13, 17, 37)

SPECIAL = np.array(
    (
        *(0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1e-310, -1e-310),
        *(2.2250738585072014e-308, 2.225073858507201e-308, 1.7976931348623157e308),
        *(709.782712893384, 709.7827128933841, -745.1332191019411, -745.133219101942),
        *(-708.5, 710.0, 1e5, 131072.0, -131073.0, 1e22, 8.0, 1000.0, 0.5, 22.0),
        *(1.0, -1.0, -23.0, -1e300),
    )
)


def exponential(x: Any, y: Any) -> None:
    for i in range(y.shape[0]):
        y[i] = math.exp(x[i])


def logarithm(x: Any, y: Any) -> None:
    for i in range(y.shape[0]):
        y[i] = math.log(x[i])


def of_two(x: Any, y: Any) -> None:
    for i in range(y.shape[0]):
        y[i] = math.log2(x[i])


def of_ten(x: Any, y: Any) -> None:
    for i in range(y.shape[0]):
        y[i] = math.log10(x[i])


def sine(x: Any, y: Any) -> None:
    for i in range(y.shape[0]):
        y[i] = math.sin(x[i])


def cosine(x: Any, y: Any) -> None:
    for i in range(y.shape[0]):
        y[i] = math.cos(x[i])


def hyperbolic(x: Any, y: Any) -> None:
    for i in range(y.shape[0]):
        y[i] = math.tanh(x[i])


KERNELS: dict[str, Callable[..., None]] = {
    **{"exp": exponential, "log": logarithm, "log2": of_two, "log10": of_ten},
    **{"sin": sine, "cos": cosine, "tanh": hyperbolic},
}


@looptx.kernel("vectorize i", fastmath="functions", strict=True)
def chosen(c: Any, x: Any, y: Any, z: Any) -> None:
    for i in range(c.shape[0]):
        if c[i] > 0.5:
            y[i] = math.exp(x[i]) + z[i]
        elif c[i] < 0.25:
            y[i] = math.sqrt(x[i])
            z[i] = np.sin(x[i] * 1e6)


@looptx.kernel("vectorize i", fastmath="functions", strict=True)
def single(x: Any, y: Any, z: Any) -> None:
    for i in range(x.shape[0]):
        y[i] = math.tanh(x[i])
        z[i] = np.exp(x[i])


def vectors(name: str, levels: str = "functions") -> Any:
    return looptx.kernel("vectorize i", fastmath=levels, strict=True)(KERNELS[name])


def numbers(name: str) -> np.ndarray:
    """Numbers of all sizes for which a function has values, and near where it is 0."""
    rng, n = np.random.default_rng(7), 40_000
    if name == "exp":
        parts = [rng.uniform(-746, 710, n), rng.uniform(-1, 1, n)]
    elif name.startswith("log"):
        whole = rng.integers(0, 0x7FF0 << 48, n).view(np.float64)
        parts = [whole, rng.uniform(0.5, 2, n), 1 + rng.uniform(-1e-6, 1e-6, n)]
    elif name == "tanh":
        parts = [rng.uniform(-25, 25, n), rng.uniform(-1, 1, n)]
    else:
        near = np.arange(1, n) * (np.pi / 2)
        parts = [rng.uniform(-131072, 131072, n), rng.uniform(-4, 4, n), near]
    few = rng.integers(0, 0x7FF0 << 48, n).view(np.float64)
    if name.startswith("log"):
        return np.concatenate(parts)
    return np.concatenate([*parts, few, -few])


def units(name: str, x: np.ndarray, y: np.ndarray) -> float:
    """How many units in the last place values are off at most.

    What has no finite value must be what NumPy has.
    """
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(x.astype(np.longdouble))
        near = exact.astype(np.float64)
        finite = np.isfinite(near)
        np.testing.assert_array_equal(y[~finite], near[~finite])
        off = np.abs(y.astype(np.longdouble) - exact) / np.spacing(np.abs(near))
    return float(off[finite].max())


@pytest.mark.parametrize("name", KERNELS)
def test_how_far_off(name: str) -> None:
    if np.finfo(np.longdouble).nmant < 60:
        pytest.skip("nothing tells what is exact")
    kernel = vectors(name)
    for x in (numbers(name), SPECIAL):
        y = np.empty_like(x)
        kernel(x, y)
        assert units(name, x, y) <= ULPS[name]
    assert "in vectors of" in str(kernel.report())


@pytest.mark.parametrize("name", KERNELS)
def test_signs_of_zero(name: str) -> None:
    x = np.array([0.0, -0.0] * 8)
    y = np.empty_like(x)
    vectors(name)(x, y)
    with np.errstate(all="ignore"):
        assert y.tobytes() == getattr(np, name)(x).tobytes()


@pytest.mark.parametrize("name", KERNELS)
def test_one_by_one_they_are_the_same(name: str) -> None:
    x = np.concatenate([numbers(name)[::1000], SPECIAL])
    many = np.empty_like(x)
    kernel = vectors(name)
    kernel(x, many)
    for k in range(len(x)):
        kernel(x[k : k + 1], one := np.empty(1))
        assert one.tobytes() == many[k : k + 1].tobytes()


@pytest.mark.usefixtures("optimised")
@pytest.mark.parametrize("levels", ["functions", "functions, contract, reassociate"])
@pytest.mark.parametrize("name", ["exp", "log", "sin", "tanh"])
def test_what_the_compiler_may_change_besides(name: str, levels: str) -> None:
    """Each level may cost one unit more."""
    x = numbers(name)
    y = np.empty_like(x)
    vectors(name, levels)(x, y)
    assert units(name, x, y) <= ULPS[name] + (levels != "functions")


@pytest.mark.parametrize("n", SIZES)
def test_under_conditions(n: int) -> None:
    """What no lane runs sets and raises nothing, and touches no memory."""
    rng = np.random.default_rng(n)
    c, x, y, z = rng.random(n), rng.uniform(0, 2, n), rng.random(n), rng.random(n)
    x[(c > 0.25) & (c <= 0.5)] = np.nan
    for end in (True, False):
        ours = [Guarded(one.nbytes).array(one, end=end) for one in (c, x, y, z)]
        theirs = [one.copy() for one in (c, x, y, z)]
        chosen(*ours)
        chosen.py_func(*theirs)
        for one, two in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-15)
        still = (c > 0.25) & (c <= 0.5)
        assert ours[2][still].tobytes() == y[still].tobytes()
        assert ours[3][c >= 0.25].tobytes() == z[c >= 0.25].tobytes()
    if n:
        assert "in vectors of" in str(chosen.report())


@pytest.mark.parametrize("n", SIZES)
def test_numbers_of_32_bits(n: int) -> None:
    x = np.random.default_rng(n).uniform(-3, 3, n).astype(np.float32)
    y, z = np.empty_like(x), np.empty_like(x)
    single(x, y, z)
    np.testing.assert_array_equal(y, np.tanh(x.astype(float)).astype(np.float32))
    # NumPy's of float32 stay what they are.
    assert z.tobytes() == np.exp(x).tobytes()


def test_without_the_level_nothing_changes() -> None:
    with pytest.warns(RuntimeWarning, match="LX505"):
        exact = looptx.kernel("vectorize i")(exponential)
        exact(np.array([1.0, 2.0]), y := np.empty(2))
    assert y.tolist() == [math.exp(1.0), math.exp(2.0)]
    with pytest.raises(OverflowError):
        exact(np.array([1.0, 1000.0]), y)
    loose = vectors("exp")
    loose(np.array([1.0, 1000.0]), y)
    assert y[1] == math.inf
    assert "not bitwise, fastmath is functions" in str(loose.report())


def test_nobody_needs_to_ask_for_vectors() -> None:
    kernel = looptx.kernel(fastmath="functions", strict=True)(exponential)
    x = np.linspace(-1, 1, 37)
    kernel(x, y := np.empty(37))
    vectors("exp")(x, z := np.empty(37))
    assert y.tobytes() == z.tobytes()
    assert "in vectors of" in str(kernel.report())


@pytest.mark.parametrize("bytes_", ["16", "32"])
def test_vectors_of_other_widths(bytes_: str) -> None:
    """The same tests where vectors are narrower than this machine's; the same bits."""
    if os.environ.get("LOOPTX_VECTOR_BYTES"):
        pytest.skip("this is one of them")
    x = np.concatenate([SPECIAL, numbers("sin")[::100]])
    program = (
        "import sys, numpy as np, test_vectors_functions as t\n"
        "for name in t.KERNELS:\n"
        "    x = np.concatenate([t.SPECIAL, t.numbers('sin')[::100]])\n"
        "    t.vectors(name)(x, y := np.empty_like(x))\n"
        "    sys.stdout.buffer.write(y.tobytes())\n"
    )
    paths = [*sys.path, os.path.dirname(__file__)]
    environment = {**os.environ, "LOOPTX_VECTOR_BYTES": bytes_}
    environment["PYTHONPATH"] = os.pathsep.join(paths)
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    expected = b""
    for name in KERNELS:
        y = np.empty_like(x)
        vectors(name)(x, y)
        expected += y.tobytes()
    assert done.stdout == expected
