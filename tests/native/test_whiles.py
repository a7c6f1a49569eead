"""Loops that nothing bounds, or that count by data, run natively as by Python."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest
from kit.calls import outcome, same
from kit.together import together

import looptx
from native.kernels_whiles import CASES, PYTHON

SIZES = (0, 1, 2, 7, 13, 30)


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[Any, Any]:
    """All of them, compiled together."""
    made = {function: looptx.kernel(function) for function in CASES}
    # A process loads a module of a name once.
    with mock.patch("kit.together.MODULE", "_looptx_whiles"), together() as nests:
        for _ in range(2):
            for function, kernel in made.items():
                for make in CASES[function]:
                    for n in SIZES:
                        outcome(kernel, *make(n))
            nests.build(tmp_path_factory.mktemp("whiles"))
    return made


@pytest.mark.parametrize("function", CASES, ids=lambda x: x.__name__)
def test_bitwise_as_python(function: Any, kernels: dict[Any, Any]) -> None:
    kernel, native = kernels[function], 0
    for make in CASES[function]:
        for n in SIZES:
            before = sum(nest.calls for nest in kernel.report().nests)
            result = same(kernel, *make(n))
            after = sum(nest.calls for nest in kernel.report().nests)
            native += after > before or "Error" in result
    assert native or function in PYTHON, kernel.report()


@pytest.mark.parametrize("function", PYTHON, ids=lambda x: x.__name__)
def test_left_to_python_for_a_reason(function: Any, kernels: dict[Any, Any]) -> None:
    report = kernels[function].report()
    assert not any(nest.calls for nest in report.nests)
    assert PYTHON[function] in str(report)
