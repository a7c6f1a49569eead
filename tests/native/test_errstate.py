"""``np.errstate``: who asks for more than a warning gets what NumPy does."""

from __future__ import annotations

import shutil
import threading
import warnings

import numpy as np
import pytest

import looptx
from looptx.errors import LooptxError

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)


@looptx.kernel
def divide(A, B):
    for i in range(A.shape[0]):
        A[i] = A[i] / B[i]
    return A


def given():
    """Arguments of ``divide``; the second quotient is one by zero."""
    return np.array([1.0, 1.0, 1.0]), np.array([2.0, 0.0, 4.0])


@pytest.mark.parametrize("kind", ["divide", "under"])
@pytest.mark.parametrize("way", ["ignore", "warn", "print", "call", "log", "raise"])
@pytest.mark.filterwarnings("ignore")
def test_floating_point_errors_are_reported_as_numpy_is_asked_to(kind, way, capsys):
    log: list[str] = []

    class Log:
        def write(self, message):
            log.append(message)

    def outcome(function):
        log.clear()
        A, B = given()
        handler = Log() if way == "log" else lambda *what: log.append(str(what))
        with np.errstate(**{kind: way}, call=handler):
            try:
                result = function(A, B).tolist()
            except FloatingPointError as error:
                result = str(error)
        return result, A.tolist(), list(log)

    divide(*given())
    (before,) = divide.report().nests
    assert outcome(divide) == outcome(divide.py_func)
    (after,) = divide.report().nests
    native = way in ("ignore", "warn", "print")
    assert after.calls - before.calls == native
    divide(*given())
    assert divide.report().nests[0].calls == after.calls + 1


def test_errstate_inside_of_the_function_and_in_other_threads():
    @looptx.kernel
    def inside(A, B):
        try:
            with np.errstate(divide="raise"):
                for i in range(A.shape[0]):
                    A[i] = A[i] / B[i]
        except FloatingPointError:
            for i in range(A.shape[0]):
                A[i] = -1.0
        return A

    with pytest.warns(RuntimeWarning, match=r"np\.errstate asks to raise"):
        assert inside(*given()).tolist() == [-1.0] * 3
    assert [nest.calls for nest in inside.report().nests] == [0, 1]
    results = []
    with np.errstate(all="raise"):
        work = threading.Thread(target=lambda: results.append(divide(*given())))
        work.start()
        work.join()
        with pytest.raises(FloatingPointError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            divide(*given())
    assert results[0].tolist() == [0.5, np.inf, 0.25]
    strict = looptx.kernel(strict=True)(divide.py_func)
    with np.errstate(over="call"), pytest.raises(LooptxError, match=r"np\.errstate"):
        strict(*given())


def test_another_size_of_buffers_makes_another_order_of_sums():
    @looptx.kernel
    def sums(A, C, o):
        for i in range(len(o)):
            o[i] = np.sum(A[i:290, 1:190]) + np.mean(C[i])

    rng = np.random.default_rng(5)
    A, C = rng.random((300, 200)), rng.integers(0, 2**62, (3, 9000))
    for size in (8192, 1024, 65536, 8192):
        before = np.setbufsize(size)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found, expected = np.zeros(3), np.zeros(3)
                sums(A, C, found)
                sums.py_func(A, C, expected)
        finally:
            np.setbufsize(before)
        assert found.tobytes() == expected.tobytes()
    assert sums.report().nests[0].calls == 2
