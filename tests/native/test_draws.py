"""Loops that draw random numbers of NumPy draw natively what they draw in Python."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from kit.calls import calls
from semantics.table import exactly

import looptx
from native.kernels_draws import (
    FUNCTIONS,
    OF_PYTHON,
    area_of_a_circle,
    normals,
)

SIZES = (0, 1, 2, 7, 13, 700)
GIVEN = (0.5, 1.0, -0.25, -0.0, float("inf"), float("nan"), 1e308)

pytestmark = [
    pytest.mark.usefixtures("rehearsed"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
]


@pytest.fixture(autouse=True)
def own_numbers():
    """Leave the numbers of other tests as they are."""
    before = np.random.get_state()
    yield
    np.random.set_state(before)


def left(called: Any, n: int, p: float) -> tuple[object, ...]:
    """What a call gives and leaves, the state of NumPy's generator included."""
    np.random.seed(n + 5)
    np.random.randn()
    out = np.arange(float(n))
    try:
        result = exactly(called(out, p))
    except Exception as error:
        result = repr(error)
    state = np.random.get_state(legacy=False)
    words = state["state"]["key"].tobytes(), state["state"]["pos"]
    return result, exactly(out), *words, state["has_gauss"], state["gauss"]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_numbers_are_those_of_python(function: Any) -> None:
    kernel, native = looptx.kernel(function), 0
    for n, p in itertools.product(SIZES, GIVEN):
        before = calls(kernel)
        assert left(kernel, n, p) == left(function, n, p), (n, p)
        native += calls(kernel) > before
    assert bool(native) == (function not in OF_PYTHON), kernel.report()


def test_the_method_of_another_generator_draws_from_that() -> None:
    kernel = looptx.kernel(normals)
    kernel(np.zeros(3), 0.5)
    found = []
    for called in (kernel, normals):
        other = np.random.RandomState(4)
        with mock.patch("numpy.random.randn", other.randn):
            found.append((left(called, 7, 0.5), other.random()))
    with mock.patch("numpy.random", np.random.RandomState(9)):
        kernel.py_func(np.zeros(2), 0.5)
        kernel(np.zeros(2), 0.5)
    assert found[0] == found[1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_may_draw_that_is_forked_while_a_thread_draws(tmp_path: Path) -> None:
    program = """
        import os, threading, time
        import numpy as np, looptx

        @looptx.kernel
        def total(n):
            s = 0.0
            for _ in range(n):
                s += np.random.random()
            return s

        total(3)
        thread = threading.Thread(target=total, args=(50_000_000,))
        thread.start()
        time.sleep(0.05)
        pid = os.fork()
        if not pid:
            np.random.seed(1)
            os._exit(int(total(1) < 0))
        assert os.waitpid(pid, 0)[1] == 0
        thread.join()
        print("both")
    """
    path = tmp_path / "forks.py"
    path.write_text(textwrap.dedent(program))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert done.stdout == "both\n"


def test_a_function_in_the_place_of_numpys_is_called() -> None:
    kernel = looptx.kernel(area_of_a_circle)
    assert left(kernel, 7, 0) == left(area_of_a_circle, 7, 0)
    assert calls(kernel) == 1
    with mock.patch("numpy.random.random", lambda: 0.25):
        assert left(kernel, 7, 0) == left(area_of_a_circle, 7, 0)
    assert left(kernel, 7, 0) == left(area_of_a_circle, 7, 0)


def test_another_generator_is_left_to_numpy() -> None:
    kernel = looptx.kernel(normals)
    before = np.random.mtrand.get_bit_generator()
    found = []
    try:
        for called in (kernel, normals):
            np.random.set_bit_generator(np.random.PCG64(3))
            out = np.zeros(7)
            found.append((called(out, 0.5), exactly(out)))
    finally:
        np.random.set_bit_generator(before)
    assert found[0] == found[1]
    assert not calls(kernel)
    assert "a generator that was put in its place" in str(kernel.report())


def test_threads_draw_each_number_once() -> None:
    def inside(n):
        count = 0
        for _ in range(n):
            x, y = np.random.random(), np.random.random()
            count += x * x + y * y < 1.0
        return count

    kernel, found, n = looptx.kernel(inside), [], 20_000
    kernel(n)
    np.random.seed(1)
    threads = [
        threading.Thread(target=lambda: found.extend(kernel(n) for _ in range(4)))
        for _ in range(4)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    state = np.random.get_state()
    np.random.seed(1)
    expected = sorted(inside(n) for _ in range(16))
    assert sorted(found) == expected
    assert np.array_equal(state[1], np.random.get_state()[1])
    assert calls(kernel) == 17


def test_what_draws_is_given_what_it_changes() -> None:
    def every(x):
        for i in range(x.shape[0]):
            x[i] = np.random.normal() + np.random.randint(0, 7) + np.random.random()

    kernel = looptx.kernel(every)
    kernel(np.zeros(3))
    text = kernel.inspect_cython()
    words = [line for line in text.splitlines() if "uint32_t" in line and "key" in line]
    assert words and not [
        x for x in words if "const uint32_t" in x or "(uint32_t *" in x
    ]
    assert "(double *)spare" not in text and "const double* _looptx_random" not in text
