"""Cython writes the same C for looptx's texts without the passes that are left out."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from kit.together import together

import looptx
from looptx.emit.cython import module_text
from looptx.native.compile import build, passes


@looptx.kernel("reassociate s", "parallel i")
def in_parallel(x, n):
    s = 0.0
    for i in range(n):
        s += x[i] * 0.5
    return s


@looptx.kernel("vectorize i")
def in_lanes(x, y, n):
    for i in range(n):
        y[i] = np.exp(x[i]) if x[i] > 0 else -x[i]


def raising(x, seen):
    total = 0
    for i in range(len(x)):
        if seen[i] in (1, 3):
            raise ValueError("seen")
        total += math.sqrt(x[i])
    return total


def searching(x, wanted):
    low, high = 0, len(x)
    while low < high:
        middle = (low + high) // 2
        if x[middle] < wanted:
            low = middle + 1
        elif x[middle] == wanted:
            break
        else:
            high = middle
    return low, high


def of_arrays(z, m):
    for i in range(z.shape[0]):
        z[i, 1:] = z[i, :-1].conj() * (2 + 1j)
        m[i] = np.any(abs(z[i]) > 3)
        z[i, m] = z[i].sum()


def drawing(x):
    for i in range(len(x)):
        x[i] = np.random.normal() + round(x[i], 2)


def listing(x, k):
    found = []
    for i in range(len(x)):
        if x[i] % k == 0:
            found.append(i)
    return found


X, BITS = np.arange(9.0), np.arange(9) % 2 == 1
CALLS: list[tuple[Any, ...]] = [
    (in_parallel, X, 9),
    (in_lanes, X, X.copy(), 9),
    (looptx.kernel(raising), X, np.arange(9) // 9),
    (looptx.kernel(searching), X, 3.0),
    (looptx.kernel(of_arrays), np.ones((3, 9), "complex128"), BITS.copy()),
    (looptx.kernel(drawing), X.copy()),
    (looptx.kernel(listing), np.arange(9), 4),
]


@pytest.mark.filterwarnings("ignore")
def test_c_is_the_same(tmp_path: Path) -> None:
    with together() as nests:
        for kernel, *given in CALLS:
            with contextlib.suppress(IndexError):  # loops that run as written
                kernel(*given)
        codes = [*nests.waiting.values()]
    assert len(codes) == len(CALLS)
    text = module_text([one.section for one in codes])
    few = build.cythonize(text, "made", tmp_path).read_text("utf-8")
    with mock.patch.object(passes, "NEEDLESS", frozenset()):
        every = build.cythonize(text, "made", tmp_path).read_text("utf-8")
    assert few == every


def test_passes_are_left_out_of_looptxs_texts_alone(tmp_path: Path) -> None:
    from Cython.Compiler import Pipeline
    from Cython.Compiler.Main import CompilationOptions, compile_single

    left: list[set[str]] = []
    chosen = Pipeline.create_pyx_pipeline

    def noted(*given: Any, **named: Any) -> Any:
        made, every = chosen(*given, **named), chosen.every(*given, **named)
        kinds = [{type(one).__name__ for one in some} for some in (every, made)]
        left.append(kinds[0] - kinds[1])
        return made

    with mock.patch.object(Pipeline, "create_pyx_pipeline", noted):
        build.cythonize("a = 1", "own", tmp_path)
        theirs = tmp_path / "theirs.pyx"
        theirs.write_text("def f(x):\n    return lambda: x\n")
        options = CompilationOptions(language_level=3, errors_to_stderr=0)
        assert compile_single(str(theirs), options, "theirs").num_errors == 0
    assert left == [passes.NEEDLESS, set()]
