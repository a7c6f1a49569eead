"""What integers may be at most, statement by statement: tests go where they are vain.

Each kernel comes as near to the ends of its types as its text allows, and beyond.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from kit.calls import same
from kit.together import compiled

import looptx

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)

SIZES = (0, 1, 2, 7, 17, 101)
ENDS = (0, 1, -1, 2**31 - 1, -(2**31), 2**32 - 1, 2**62, 2**63 - 1, -(2**63))


def filled(n: int, dtype: str) -> np.ndarray:
    """Numbers of a type with its ends among them."""
    rng, info = np.random.default_rng(n), np.iinfo(dtype)
    x = rng.integers(info.min, info.max, n, dtype, endpoint=True)
    ends = [one for one in ENDS if info.min <= one <= info.max]
    x[: len(ends)] = ends[:n]
    return x


@looptx.kernel
def turned(x: Any, out: Any) -> None:
    """As many rounds as bits fit."""
    for i in range(len(x)):
        v = int(x[i])
        rev = 0
        for _ in range(32):
            rev = (rev << 1) | (v & 1)
            v >>= 1
        out[i] = rev


@looptx.kernel
def too_far(x: Any, out: Any) -> None:
    """One round more than 64 bits hold."""
    for i in range(len(x)):
        v = int(x[i])
        rev = 0
        for _ in range(64):
            rev = (rev << 1) | (v & 1)
            v >>= 1
        out[i] = rev >> 1


@looptx.kernel
def grey(rgb: Any, out: Any) -> None:
    for i in range(rgb.shape[0]):
        out[i] = int(0.299 * rgb[i, 0] + 0.587 * rgb[i, 1] + 0.114 * rgb[i, 2])


@looptx.kernel
def brighter(rgb: Any, out: Any) -> None:
    """One step too bright for a byte."""
    for i in range(rgb.shape[0]):
        out[i] = int(0.3 * rgb[i, 0] + 0.587 * rgb[i, 1] + 0.118 * rgb[i, 2])


@looptx.kernel
def packed(bits: Any, out: Any) -> None:
    """What is a Python int first becomes one of NumPy's."""
    for i in range(len(out)):
        byte = 0
        for b in range(8):
            byte = (byte << 1) | bits[8 * i + b]
        out[i] = byte


@looptx.kernel
def shifted(x: Any, out: Any) -> None:
    """Some shifts are by more bits than there are, and by less than none."""
    for i in range(len(x)):
        for b in range(10):
            out[i, b] = (x[i] >> (8 - b)) & 1


@looptx.kernel
def zigzag(x: Any, out: Any) -> None:
    """Signs fold; the largest differences have no place."""
    last = 0
    for i in range(len(x)):
        d = int(x[i]) - last
        out[i] = 2 * d if d >= 0 else -2 * d - 1
        last = int(x[i]) // 2


@looptx.kernel
def generated(seed: int, out: Any) -> int:
    """From any number there is a way to what is not negative."""
    state = seed
    for i in range(len(out)):
        state = (1103515245 * state + 12345) % 2147483647
        out[i] = state // 3 + state % 7
    return state


@looptx.kernel
def divided(x: Any, k: int, out: Any) -> None:
    """Divisors and dividends of both signs."""
    for i in range(len(x)):
        v = int(x[i])
        w = v & 255
        out[i, 0] = w // 7 + w % 13
        out[i, 1] = v // 7 + v % 13
        if k > 0 or k < 0:
            out[i, 2] = w // k + w % k
            out[i, 3] = v // k + v % k


@looptx.kernel
def left_early(x: Any, out: Any) -> int:
    """Loops that are left, with what is known on each way out."""
    most = 0
    for i in range(len(x)):
        count = 0
        for b in range(20):
            if x[i] == b:
                continue
            if x[i] < b:
                break
            count += 3
        else:
            count = 100
        while count > 40:
            count -= 7
        out[i] = count
        most = max(most, count)
    return most


@looptx.kernel
def grown(x: Any, out: Any) -> None:
    """What grows from round to round outgrows any type that it begins in."""
    for i in range(len(x)):
        step, v = 1, int(x[i])
        for _ in range(v):
            step = step * 3 - 1
        out[i] = step


@looptx.kernel
def looked_up(x: Any, k: Any, out: Any) -> None:
    """Conditions that are always true, but raise."""
    for i in range(len(k)):
        out[i] = int(x[4]) * 2
        if x[k[i]] >= 0:
            out[i] += 1
        if i >= 0 and x[k[i] - 1] < 256:
            out[i] += 2 if x[k[i] + 1] > -1 else 4


@looptx.kernel
def averaged(x: Any, period: int, out: Any) -> None:
    """Floats of Python and of NumPy divide otherwise, but by what is not zero."""
    gain = loss = 0.0
    for i in range(1, len(x)):
        change = x[i] - x[i - 1]
        up = change if change > 0 else 0.0
        down = -change if change < 0 else 0.0
        if i <= period:
            gain += up / period
            loss += down / period
        else:
            gain = (gain * (period - 1) + up) / period
            loss = (loss * (period - 1) + down) / period
        out[i] = 100.0 if loss == 0 else 100.0 - 100.0 / (1.0 + gain / loss)


@pytest.fixture(scope="module", autouse=True)
def together(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All kernels, compiled together for what they are called with."""
    compiled(_calls(), tmp_path_factory.mktemp("known"))


def _calls() -> Iterator[tuple[Any, ...]]:
    """Kernels, with arguments of the types that tests call them with."""
    out = {dtype: np.zeros(3, dtype) for dtype in ("int64", "int8", "uint8", "uint16")}
    whole, byte, table = filled(3, "int64"), filled(32, "uint8"), np.zeros((3, 10), int)
    yield turned, filled(3, "uint32"), np.zeros(3, "uint32")
    yield too_far, whole, out["int64"]
    yield packed, byte, out["uint8"]
    yield packed, np.arange(32), out["uint8"]
    for dtype in ("uint8", "int8", "int16", "uint32", "int64"):
        yield shifted, filled(3, dtype), table
    for dtype in ("int8", "uint16", "int64"):
        yield divided, filled(3, dtype), 3, table
    yield grey, np.zeros((3, 3), "uint8"), out["uint8"]
    yield brighter, np.zeros((3, 3), "uint8"), out["uint8"]
    yield zigzag, filled(3, "int16"), out["uint16"]
    yield zigzag, filled(3, "int8"), out["uint16"]
    yield generated, 7, out["int64"]
    yield left_early, np.arange(3), out["int8"]
    yield grown, np.arange(3), out["int64"]
    yield grown, np.arange(3), out["int8"]
    yield looked_up, np.arange(9).astype("uint8"), np.arange(1, 4), out["uint8"]
    yield averaged, np.ones(3), 2, np.zeros(3)


@pytest.mark.parametrize("n", SIZES)
def test_what_is_always_true_may_raise(n: int) -> None:
    rng = np.random.default_rng(n)
    for least, most in ((1, 8), (0, 9), (-9, 10), (-40, 2)):
        k = rng.integers(least, most, n)
        same(looked_up, np.arange(9).astype("uint8"), k, np.zeros(n, "uint8"))


@pytest.mark.parametrize("n", SIZES)
def test_divisions_by_what_is_not_zero(n: int) -> None:
    x = np.random.default_rng(n).standard_normal(n).round(1)
    for period in (-1, 0, 1, 3, n):
        for values in (x, np.zeros(n), np.where(x > 0.5, np.nan, x)):
            same(averaged, values, period, np.zeros(n))


@pytest.mark.parametrize("n", SIZES)
def test_bits(n: int) -> None:
    same(turned, filled(n, "uint32"), np.zeros(n, "uint32"), native=1)
    x = filled(n, "int64")
    same(too_far, x, np.zeros(n, "int64"))
    bits = np.random.default_rng(n).integers(0, 2, 8 * n + 5)
    same(packed, bits.astype("uint8"), np.zeros(n, "uint8"), native=1)
    same(packed, bits * 3, np.zeros(n, "uint8"))
    for dtype in ("uint8", "int8", "int16", "uint32", "int64"):
        same(shifted, filled(n, dtype), np.zeros((n, 10), "int64"))


@pytest.mark.parametrize("n", SIZES)
def test_stores(n: int) -> None:
    rgb = np.random.default_rng(n).integers(0, 256, (n, 3)).astype("uint8")
    out = np.zeros(n, "uint8")
    same(grey, rgb, out, native=1)
    same(brighter, rgb, out)
    white = np.full((n, 3), 255, "uint8")
    same(grey, white, out, native=1)
    assert ("OverflowError" in same(brighter, white, out)) == (n > 0)
    same(zigzag, filled(n, "int16"), np.zeros(n, "uint16"))
    same(zigzag, filled(n, "int16") // 4, np.zeros(n, "uint16"), native=1)
    same(zigzag, filled(n, "int8"), np.zeros(n, "uint16"), native=1)


@pytest.mark.parametrize("n", SIZES)
def test_divisions(n: int) -> None:
    for seed in (12345, -1, -(2**31), 2**31, 2**33, 0):
        same(generated, seed, np.zeros(n, "int64"))
    for k in (-9, -1, 0, 1, 2, 10, 2**40):
        for dtype in ("int8", "uint16", "int64"):
            same(divided, filled(n, dtype), k, np.zeros((n, 4), "int64"))


@pytest.mark.parametrize("n", SIZES)
def test_loops(n: int) -> None:
    rng = np.random.default_rng(n)
    same(left_early, rng.integers(-3, 25, n), np.zeros(n, "int8"), native=1)
    same(grown, rng.integers(-2, 50, n), np.zeros(n, "int64"))
    same(grown, rng.integers(-2, 5, n), np.zeros(n, "int8"))


@pytest.mark.parametrize(
    ("kernel", "word", "needed"),
    [
        (turned, "_again", False),
        (turned, "lx_fit", False),
        (too_far, "_again", True),
        (grey, "lx_fit", False),
        (grey, "lx_trunc", False),
        (brighter, "lx_fit", True),
        (packed, "lx_fit", False),
        (zigzag, "lx_fit", True),
        (generated, "lx_rest_u64", True),
        (divided, "lx_rest_u32", True),
        (left_early, "lx_fit", False),
    ],
)
def test_tests_are_where_they_are_needed(kernel: Any, word: str, needed: bool) -> None:
    given = {
        turned: (filled(9, "uint32"), np.zeros(9, "uint32")),
        too_far: (np.arange(3), np.zeros(3, "int64")),
        packed: (np.ones(80, "uint8"), np.zeros(9, "uint8")),
        zigzag: (filled(9, "int8"), np.zeros(9, "uint16")),
        generated: (7, np.zeros(9, "int64")),
        divided: (np.arange(9), 3, np.zeros((9, 4), "int64")),
        left_early: (np.arange(9), np.zeros(9, "int8")),
    }
    bytes_ = np.zeros((9, 3), "uint8"), np.zeros(9, "uint8")
    kernel(*given.get(kernel, bytes_))
    body = kernel.inspect_cython().rpartition('"""\n')[2]
    assert (f" {word}" in body or f"({word}" in body or word in body) == needed
