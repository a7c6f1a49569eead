"""A function returns in the middle of a native loop what Python's returns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kit.together import together
from semantics.table import exactly

import looptx
from native.kernels_returns import CASES

SIZES = (0, 1, 2, 7, 13, 29)


def left(function: Any, given: tuple[Any, ...]) -> object:
    """What a call returns or raises, and leaves in its arguments, to the bit."""
    args = [x.copy() if isinstance(x, np.ndarray) else x for x in given]
    try:
        result = exactly(function(*args))
    except Exception as error:
        result = f"{type(error).__name__}: {error}"
    return result, *map(exactly, args)


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[Any, Any]:
    """All of them, compiled together."""
    made = {function: looptx.kernel(function) for function in CASES}
    # A process loads a module of a name once.
    with together() as nests:
        for function, kernel in made.items():
            for n in SIZES:
                left(kernel, CASES[function](n))
        nests.build(tmp_path_factory.mktemp("returns"))
        for function, kernel in made.items():
            for n in SIZES:
                left(kernel, CASES[function](n))
    return made


@pytest.mark.parametrize("function", CASES, ids=lambda x: x.__name__)
def test_returned_as_by_python(function: Any, kernels: dict[Any, Any]) -> None:
    kernel = kernels[function]
    for n in SIZES:
        for seed in range(4):
            given = CASES[function](n)
            if isinstance(given[0], np.ndarray) and given[0].size:
                given[0].flat[seed % given[0].size] = 3 + seed % 2
            before = [nest.calls for nest in kernel.report().nests]
            found, wanted = left(kernel, given), left(function, given)
            assert found == wanted
            after = [nest.calls for nest in kernel.report().nests]
            assert "Error" in str(wanted) or before != after, kernel.report()


def test_what_it_returns_is_seen() -> None:
    """Every ``return`` of the functions is come to by some call."""
    function = next(one for one in CASES if one.__name__ == "find_with_types")
    A = np.full((3, 3), 9)
    kinds = []
    for value in (3, 4, 9):
        A[1, 2] = value
        kinds.append(type(function(A, 3)).__name__)
    assert kinds == ["tuple", "tuple", "NoneType"]
    kernel = looptx.kernel(function)
    for value in (3, 4, 9):
        A[1, 2] = value
        assert left(kernel, (A, 3)) == left(function, (A, 3))
    assert kernel(A, 9)[5] is A
    assert [nest.calls for nest in kernel.report().nests] == [4]
