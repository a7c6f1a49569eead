"""The nests of a function are compiled together, as far as their types are foreseen."""

from __future__ import annotations

import shutil
import warnings
from typing import Any

import numpy as np
import pytest
from kit.calls import same

import looptx
from looptx.errors import BuildFailed
from looptx.native.cache import store
from looptx.native.call import companions, specialise
from looptx.native.call.companions import Companion
from looptx.native.compile import link

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)


@pytest.fixture
def runs(fresh_cache, monkeypatch) -> list[str]:
    """The modules that are compiled, in an empty cache."""
    made: list[str] = []
    real = link.link

    def linked(source, *given: Any, **more: Any) -> bool:
        made.append(source.stem)
        return real(source, *given, **more)

    monkeypatch.setattr(link, "link", linked)
    return made


def rows(A, B, s):
    n = A.shape[0]
    for i in range(n):
        for j in range(n):
            B[i, j] = A[i, j] * s
    total = 0.0
    for i in range(n):
        total += B[i, 0]
    C = np.zeros(n)
    for i in range(n):
        C[i] = total + B[i, i]
    return C


def unforeseen(A, B):
    for i in range(A.shape[0]):
        B[i] = A[i] + 1.0
    A = A.astype(np.float32)
    for i in range(A.shape[0]):
        B[i] = B[i] + A[i]
    C = B.copy()
    for i in range(A.shape[0]):
        C[i] = B[i] * 2.0
    return C


def coefficients(A, B, alpha):
    a, b, c = 2.0**-alpha, np.exp(-alpha), len(A)
    for i in range(A.shape[0]):
        B[i] = a * A[i]
    for i in range(1, A.shape[0]):
        A[i] = a * B[i] + b * B[i - 1]
    for i in range(A.shape[0]):
        B[i] = c * (A[i] + B[i])
    return B


def centred(A, B):
    n = A.size
    total, least = 0, -0.5
    for i in range(len(A)):
        total += A[i]
    total /= n
    square, most, where = 0.0, -1, 0
    for i in range(len(A)):
        square += (A[i] - total) * B[i]
        if B[i] > most:
            most = B[i]
            where = i
    total = 0
    for i in range(len(A)):
        total += 2 * where
        B[i] = least * square
    return total, square, most, where


def halves(k, s):
    for i in range(len(k)):
        s += k[i]
    t = 0
    for i in range(s):
        t += i
    return t


def never(A, B, flag):
    for i in range(A.shape[0]):
        B[i] = A[i] + 1.0
    if flag:
        for i in range(A.shape[0]):
            B[i] = A[i] % B[i]
        return B
    for i in range(A.shape[0]):
        A[i] = B[i] - 1.0
    return A


def natives(kernel) -> list[int]:
    """How often each nest ran natively."""
    return [nest.calls for nest in kernel.report().nests]


def square(n: int) -> list[Any]:
    """Arguments of ``rows``."""
    return [np.arange(n * n, dtype=float).reshape(n, n), np.zeros((n, n)), 0.5]


@pytest.mark.parametrize("n", [1, 5])
def test_nests_are_one_module(runs, n):
    kernel = looptx.kernel(rows)
    same(kernel, *square(n))
    assert natives(kernel) == [1, 1, 1] and len(runs) == 1
    same(kernel, *square(n + 1))
    assert natives(kernel) == [2, 2, 2] and len(runs) == 1
    # The sum of nothing is no number of NumPy's.
    same(kernel, *square(0))
    assert natives(kernel) == [3, 3, 3] and len(runs) == 2


def test_names_have_the_types_of_their_values_by_then(runs):
    kernel = looptx.kernel(coefficients)
    same(kernel, np.arange(7.0), np.zeros(7), 0.5)
    assert natives(kernel) == [1, 1, 1] and len(runs) == 1


@pytest.mark.parametrize("n", [1, 7])
def test_numbers_have_the_types_that_nests_leave_and_of_literals(runs, n):
    kernel = looptx.kernel(centred)
    same(kernel, np.arange(float(n)), np.ones(n))
    assert natives(kernel) == [1, 1, 1] and len(runs) == 1


def test_integers_of_numpy_s_that_a_nest_leaves(runs):
    kernel = looptx.kernel(halves)
    same(kernel, np.arange(5), 0)
    assert natives(kernel) == [1, 1] and len(runs) == 1


def test_another_kernel_finds_all_of_them(runs):
    same(looptx.kernel(rows), *square(3))
    again = looptx.kernel(rows)
    same(again, *square(4))
    assert natives(again) == [1, 1, 1] and len(runs) == 1
    origins = [one.origin for nest in again.report().nests for one in nest.versions]
    assert origins == ["cache"] * 3


def test_other_types_are_another_module(runs):
    kernel = looptx.kernel(rows)
    for dtype in (float, np.float32, float):
        A, B, s = square(3)
        same(kernel, A.astype(dtype), B.astype(dtype), s)
    assert natives(kernel) == [3, 3, 3] and len(runs) == 2


def test_the_text_of_a_module_is_shown_once(runs):
    kernel = looptx.kernel(rows)
    same(kernel, *square(3))
    text = kernel.inspect_cython()
    assert text.count("cimport cython as lx_cython") == len(runs) == 1
    assert text.count("\n# rows.") + text.startswith("# rows.") == 3


def test_types_that_were_foreseen_wrongly(runs):
    kernel = looptx.kernel(unforeseen)
    same(kernel, np.arange(5.0), np.zeros(5))
    assert natives(kernel) == [1, 1, 1]
    assert len(runs) in (2, 3)
    count = len(runs)
    same(looptx.kernel(unforeseen), np.arange(7.0), np.zeros(7))
    assert len(runs) == count


def test_complex_numbers_stay_alone(runs):
    kernel = looptx.kernel(rows)
    A, B, s = square(3)
    same(kernel, A, B, s + 1j)
    same(kernel, A.astype(complex), B.astype(complex), s)
    assert all(count <= 2 for count in natives(kernel))
    assert len(runs) == sum(len(one.versions) for one in kernel.report().nests)


def test_branches_that_are_not_taken(runs):
    kernel = looptx.kernel(never)
    same(kernel, np.arange(4.0), np.zeros(4), False)
    same(kernel, np.arange(4.0), np.zeros(4), True)
    assert natives(kernel) == [2, 1, 1] and len(runs) == 1


def test_a_module_that_was_thrown_out(runs):
    same(looptx.kernel(rows), *square(3))
    ((key, *_),) = keys(runs)
    store.discard(key)
    again = looptx.kernel(rows)
    same(again, *square(3))
    assert natives(again) == [1, 1, 1]
    assert len(runs) == 2, "all are made again, together"


def keys(runs: list[str]) -> list[list[str]]:
    """The keys of the nests of each module, that of its first one in front."""
    from looptx.native.cache import places

    home = places.root() / places.FORMAT
    found = []
    for name in runs:
        start = name.removeprefix("_looptx_")
        (first,) = (one.name for one in home.glob(f"nests/*/{start}*"))
        records = (path.stem for path in home.glob("hosts/*/*.json"))
        with_it = [
            key
            for key in records
            if (store.load_record(key) or {}).get("with") == first
        ]
        found.append([first, *with_it])
    return found


def test_a_module_that_was_made_again_without_them(runs):
    same(looptx.kernel(rows), *square(3))
    ((_, *others),) = keys(runs)
    assert len(others) == 2
    for key in others:
        record = store.load_record(key)
        store.save_record(key, {**record, "entry": "nest_of_another_version"})
    again = looptx.kernel(rows)
    same(again, *square(3))
    assert natives(again) == [1, 1, 1] and len(runs) > 1


def test_companions_that_do_not_compile(runs, monkeypatch):
    real = companions.companions

    def broken(*given: Any) -> Any:
        for one in real(*given):
            section = type(one.code.section)("this is no Cython\n")
            code = type(one.code)(section, one.code.notes, one.code.parallel)
            yield Companion(one.key, one.name, code)

    monkeypatch.setattr(companions, "companions", broken)
    kernel = looptx.kernel(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(kernel, *square(3))
    assert natives(kernel) == [1, 1, 1] and len(runs) == 3


def test_companions_that_cannot_be_analysed(runs, monkeypatch):
    real = companions.Analysis.entry

    def entry(self, number, types, name):
        if name != "nest":
            raise BuildFailed("LX504", "not now")
        return real(self, number, types, name)

    monkeypatch.setattr(companions.Analysis, "entry", entry)
    kernel = looptx.kernel(rows)
    same(kernel, *square(3))
    assert natives(kernel) == [1, 1, 1] and len(runs) == 3


def test_a_nest_of_which_there_can_be_no_version_is_not_tried_again(runs):
    same(looptx.kernel(rows), *square(3))
    ((_, key, *_),) = keys(runs)
    assert specialise.kept(key)
    store.save_record(key, {"code": "LX504"})
    assert specialise.kept(key)
    store.save_record(key, {"with": "0" * 64, "entry": "nest_1"})
    assert not specialise.kept(key)
