"""Vector loops cut where conditions on positions change, and ways that write alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from kit.guarded import Guarded, numbers, same
from kit.together import compiled

import looptx

SIZES = (0, 1, 2, 3, 7, 8, 13, 17, 37, 67)
TYPES = ("float64", "float32", "int64", "int32")


@looptx.kernel("vectorize i", strict=True)
def behind(x: Any, y: Any) -> None:
    n = y.shape[0]
    for i in range(n):
        y[i] = x[i + 1] if i < n - 1 else y[i]


@looptx.kernel("vectorize i", strict=True)
def around(x: Any, y: Any) -> None:
    n = y.shape[0]
    for i in range(n):
        y[i] = (x[i - 1] if i > 0 else x[n - 1]) + (x[i + 1] if n - 1 > i else x[0])


@looptx.kernel("vectorize i", strict=True)
def one(x: Any, y: Any, k: int) -> None:
    for i in range(y.shape[0]):
        y[i] = x[i] if i == k else y[i] * 2
        y[i] = x[i] - y[i] if k + 3 != i else x[i]


@looptx.kernel("vectorize i", strict=True)
def between(x: Any, y: Any, k: int, m: int) -> None:
    for i in range(y.shape[0]):
        y[i] = x[i] if k <= i and i < m else y[i] + x[i]
        y[i] += 1 if not (k <= i or x[i] > 3) else 2


@looptx.kernel("vectorize i", strict=True)
def halves(x: Any, y: Any) -> None:
    n = y.shape[0]
    for i in range(n):
        y[i] = x[i] if i >= n // 2 else x[n - 1 - i]
        for m in range(3):
            y[i] += x[i] if i + m < n // 2 else 1


@looptx.kernel("vectorize i", strict=True)
def many(x: Any, y: Any) -> None:
    for i in range(y.shape[0]):
        one = (x[i - 1] if i > 0 else y[i]) + (x[i - 2] if i > 1 else y[i])
        two = (x[i - 3] if i > 2 else y[i]) + (x[i - 4] if i > 3 else y[i])
        y[i] = one - two


@looptx.kernel("vectorize j", strict=True)
def lower(A: Any, B: Any) -> None:
    n = A.shape[0]
    for i in range(n):
        for j in range(n):
            B[i, j] = A[i, j] if j <= i else -B[i, j]


@looptx.kernel("vectorize i", strict=True)
def alike(c: Any, x: Any, y: Any, flag: Any) -> None:
    for i in range(c.shape[0]):
        if c[i] > 3:
            y[i] = x[i] * 2
            flag[i] = True
        elif c[i] < -3:
            y[i] = x[i] - 1
            flag[i] = x[i] > 2
        else:
            y[i] = y[i]
            flag[i] = False


@looptx.kernel("vectorize i", strict=True)
def again(c: Any, x: Any, y: Any, flag: Any) -> None:
    for i in range(c.shape[0]):
        if c[i] > 3:
            y[i] += x[i]
            c[i] = y[i]
        else:
            y[i] += 3
            c[i] = c[i] + y[i]
        if x[i] > 0:
            if c[i] > y[i]:
                t = y[i]
                flag[i] = t > 2
            else:
                t = x[i]
                flag[i] = c[i] < 0
            y[i] = t


@looptx.kernel("vectorize i", strict=True)
def written(c: Any, x: Any, y: Any, z: Any) -> None:
    for i in range(c.shape[0]):
        t = x[i]
        if c[i] > 3:
            t = t + y[i]
            if x[i] > 5:
                y[i] = t
            else:
                y[i] += 3
        elif c[i] < -3:
            z[i] = t - y[i]
            t = t - y[i]
        y[i] = t - y[i]
        z[i] = x[i]
        if c[i] < 0:
            z[i] = y[i]


@looptx.kernel("vectorize i", strict=True)
def flagged(x: Any, y: Any, z: Any, flag: Any) -> None:
    for i in range(x.shape[0]):
        if x[i] > 5:
            flag[i] = True
        if flag[i]:
            y[i] += x[i]
            if y[i] > 9:
                flag[i] = False
                z[i] = y[i]
            elif z[i] > y[i]:
                z[i] -= 1
                y[i] = z[i]


@looptx.kernel("vectorize i", strict=True)
def counted(x: Any, y: Any, z: Any, count: Any) -> None:
    for i in range(x.shape[0]):
        if x[i] > z[i]:
            count[i] = 7
        if count[i] > 5 and y[i] > 1:
            y[i] = x[i] - z[i]
            if y[i] < x[i]:
                count[i] = 3
                z[i] -= 1
            x[i] = y[i] * 2


@looptx.kernel("vectorize i", strict=True)
def beside(x: Any, y: Any, flag: Any) -> None:
    for i in range(1, x.shape[0]):
        if flag[i]:
            y[i] = x[i]
            y[i] += x[i - 1]
            flag[i] = y[i] > 3
        if x[i] > 2 and y[i] < 9:
            y[i] = -x[i]


@looptx.kernel("vectorize i", strict=True)
def lowered(x: Any, y: Any, flag: Any) -> None:
    for i in range(x.shape[0]):
        y[i] = x[i] + flag[i]
        if x[i] > 5:
            flag[i] = 0
            if x[i] > 7:
                flag[i] = 1


@looptx.kernel("vectorize i", strict=True)
def clipped(x: Any, y: Any) -> None:
    for i in range(y.shape[0]):
        t = x[i]
        if t > 7.5:
            t = 7.5
        if t < -0.1:
            t = -0.1
        y[i] = t


def calls(n: int, dtype: str) -> Iterator[tuple[Any, ...]]:
    """Kernels with what they are called with."""
    x, y = (numbers(n, dtype, seed) for seed in (1, 2))
    yield behind, x, y
    if n:
        yield around, x, y
    for k in (-9, 0, 1, n // 2, n - 1, n, n + 5, 2**39):
        yield one, x, y, k
        for m in (-1, 3, n // 3, n - 2, n + 1):
            yield between, x, y, k, m
    yield halves, x, y
    yield many, x, y
    yield (
        lower,
        numbers(n * n, dtype, 3).reshape(n, n),
        numbers(n * n, dtype).reshape(n, n),
    )
    c, flag = numbers(n, "float64", 3), numbers(n, "bool", 4)
    yield alike, c, x, y, flag
    yield again, numbers(n, dtype, 5), x, y, flag
    yield written, c, x, y, numbers(n, dtype, 6)
    yield flagged, x, y, numbers(n, dtype, 6), flag
    for small in ("uint8", "int16", "int64", dtype):
        yield counted, x, y, numbers(n, dtype, 6), numbers(n, small, 7)
    yield beside, x, y, flag
    if dtype.startswith("float"):
        yield clipped, x, y
        yield lowered, x, y, flag


@pytest.fixture(scope="module", autouse=True)
def together(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All kernels, compiled together."""
    given = (call for dtype in TYPES for call in calls(9, dtype))
    compiled(given, tmp_path_factory.mktemp("pieces"))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", TYPES)
def test_same_as_python(n: int, dtype: str) -> None:
    for kernel, *given in calls(n, dtype):
        arrays = [one for one in given if isinstance(one, np.ndarray)]
        ints = given[len(arrays) :]
        same(With(kernel, ints), *arrays)


class With:
    """A kernel with its last arguments."""

    def __init__(self, kernel: Any, last: list[int]) -> None:
        self.kernel, self.last = kernel, last
        self.report = kernel.report

    def __call__(self, *given: np.ndarray) -> Any:
        return self.kernel(*given, *self.last)

    def py_func(self, *given: np.ndarray) -> Any:
        return self.kernel.py_func(*given, *self.last)


@pytest.mark.parametrize(("kernel", "cuts"), [(behind, 1), (around, 2), (alike, 0)])
def test_what_is_decided_needs_no_masks(kernel: Any, cuts: int) -> None:
    for given in calls(9, "float64"):
        if given[0] is kernel:
            kernel(*given[1:])
    text = kernel.inspect_cython().partition("\n# ")[0]
    assert len(set(re.findall(r"\bi_cut\w*", text))) == cuts
    assert "in range" in text
    assert "lx_get_" not in text
    assert "lx_put_" not in text


def test_what_is_cut_too_often_has_masks() -> None:
    x, y = numbers(9, "float64", 1), numbers(9, "float64", 2)
    many(x, y)
    text = many.inspect_cython()
    assert "i_cut" not in text
    assert "lx_get_" in text


def test_what_is_written_in_any_case_is_stored_once() -> None:
    *_, given = (call for call in calls(9, "float64") if call[0] is written)
    written(*given[1:])
    text = written.inspect_cython().partition("\n# ")[0]
    assert {"y_own", "z_own"} <= set(re.findall(r"\b[yz]_own\b", text))
    assert "lx_put_" not in text


@pytest.mark.parametrize("kernel", [flagged, counted, beside])
def test_what_is_read_in_any_case_is_stored_once(kernel: Any) -> None:
    """Lanes that store nothing do not store what they have read, either."""
    given = next(call for call in calls(9, "float64") if call[0] is kernel)
    kernel(*given[1:])
    text = kernel.inspect_cython().partition("\n# ")[0]
    loop = text.partition("in range(")[2].partition("if end <")[0]
    cells = re.findall(r"lx_put_\w+\(&\(<\w+\*>&(\w+)\[", loop)
    assert {"flag", "count"} & {*cells}
    assert not re.search(r"^ *\(<\w+\*>&(flag|count)\[.*\] = ", loop, re.MULTILINE)
    assert max(Counter(cells)[one] for one in ("flag", "count")) == 1


@pytest.mark.parametrize("small", ["bool", "uint8", "int16", "int32", "float64"])
@pytest.mark.parametrize("n", [1, 3, 8, 37])
def test_what_no_iteration_stores_is_not_stored(small: str, n: int) -> None:
    """Another thread may have written it meanwhile; here it may not be written."""
    memory = Guarded(8 * n)
    flags = memory.array((numbers(n, "int64") > 0).astype(small), end=True)
    memory.keep()
    x, y = np.zeros(n), np.ones(n)
    lowered(x, y, flags)
    assert "in vectors of" in str(lowered.report())
    assert (y == flags).all()


@pytest.mark.parametrize("n", [3, 8, 37])
def test_flags_that_nobody_writes_keep_their_bytes(n: int) -> None:
    results = []
    for run in (flagged, flagged.py_func):
        bytes_ = np.resize(np.arange(5, dtype="uint8"), n)
        arrays = [numbers(n, "float64", seed) for seed in (1, 2, 6)]
        run(*arrays, bytes_.view("bool"))
        results.append([*(one.tobytes() for one in arrays), bytes_.tobytes()])
    assert results[0] == results[1]
