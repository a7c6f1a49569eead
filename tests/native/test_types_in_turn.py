"""What is found of a nest for some types serves others, where it says the same."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest

from looptx import plan
from looptx.errors import LooptxError
from looptx.model.types import ArrayType, ScalarType, Type
from looptx.native.analysis.function import Analysis
from looptx.native.analysis.function_text import function_text

DTYPES = ("float64", "int64", "complex128", "uint8", "bool")


def smoothed(A, B):
    n = B.shape[0]
    for i in range(1, n - 1):
        B[i] = A[i - 1] + A[i] * A[i + 1]


def divided(A, B):
    for i in range(B.shape[0]):
        B[i] = B[i] // A[i]


def gathered(A, B):
    n = B.shape[0]
    T = np.zeros(n)
    for i in range(n):
        T[i] = A[i]
    for i in range(n):
        B[i] = T[i] + A[i]


def collected(A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[0]):
            B[j] += A[i]


def halved(a, b, C):
    for i in range(C.shape[0]):
        C[i] = a // b


def totalled(A):
    s = 0
    for i in range(A.shape[0]):
        s += A[i]
    return s


NESTS = (
    (smoothed, ()),
    (smoothed, ("split i 4 | vectorize ii",)),
    (divided, ()),
    (divided, ("parallel i",)),
    (gathered, ("fuse n0 n1 | temp T",)),
    (collected, ()),
    (collected, ("reorder j i | rfactor i",)),
    (collected, ("rfactor i",)),
    (collected, ("parallel i",)),
)


def analysed(function, directives) -> Analysis:
    return Analysis(function_text(function), directives, {"np": "numpy"})


def texts(analysis: Analysis, dtype: str) -> list[str]:
    """The nests in Cython, or why they are refused."""
    return [text(analysis, number, dtype) for number in range(len(analysis.parts))]


def text(analysis: Analysis, number: int, dtype: str) -> str:
    """The nest in Cython, or why it is refused."""
    nest = analysis.parts[number][1]
    types: dict[str, Type] = {
        name: ArrayType(dtype, 1) if name in nest.arrays else ScalarType("int64", True)
        for name in nest.live_in
    }
    try:
        return analysis.cython(number, types).section.text
    except LooptxError as error:
        return str(error)


@pytest.mark.parametrize(("function", "directives"), NESTS)
def test_types_in_turn_are_as_each_alone(function, directives) -> None:
    shared = analysed(function, directives)
    alone = {dtype: texts(analysed(function, directives), dtype) for dtype in DTYPES}
    for dtype in (*DTYPES, *reversed(DTYPES)):
        assert texts(shared, dtype) == alone[dtype]


def test_what_types_do_not_change_is_proven_once() -> None:
    analysis = analysed(smoothed, ("split i 4",))
    with mock.patch.object(plan, "proven", wraps=plan.proven) as proven:
        assert len({text(analysis, 0, dtype) for dtype in DTYPES}) == len(DTYPES)
    assert proven.call_count == 1


def test_what_may_raise_is_proven_apart() -> None:
    """A division of Python's integers raises, one of NumPy's warns."""
    analysis = analysed(halved, ("parallel i",))
    array = ArrayType("float64", 1)
    with mock.patch.object(plan, "proven", wraps=plan.proven) as proven:
        for weak in (False, True, False, True):
            number = ScalarType("int64", weak)
            analysis.plan(0, {"a": number, "b": number, "C": array, "n": number})
    assert proven.call_count == 2


def test_sums_that_are_exact_prove_nothing_of_others() -> None:
    analysis = analysed(totalled, ("parallel i",))
    for dtype, refused in (("int64", False), ("float64", True), ("int32", False)):
        assert ("LX202" in texts(analysis, dtype)[0]) == refused
