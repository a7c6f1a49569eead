"""Loops that end early run natively, and do what Python does."""

from __future__ import annotations

from typing import Any

import pytest
from kit.calls import outcome, same
from kit.together import together

import looptx
from native.kernels_jumps import CASES, in_steps

SIZES = (0, 1, 2, 7, 13)


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[Any, Any]:
    """All of them, compiled together."""
    made = {
        (function, text): looptx.kernel(*filter(None, [text]))(function)
        for function, (_, texts) in CASES.items()
        for text in texts
    }
    # A process loads a module of a name once.
    with together() as nests:
        for (function, _), kernel in made.items():
            for n in SIZES:
                outcome(kernel, *CASES[function][0](n))
        nests.build(tmp_path_factory.mktemp("jumps"))
        for (function, _), kernel in made.items():
            for n in SIZES:
                outcome(kernel, *CASES[function][0](n))
    return made


@pytest.mark.parametrize(
    ("function", "text"),
    [(function, text) for function, (_, texts) in CASES.items() for text in texts],
    ids=lambda x: getattr(x, "__name__", x),
)
def test_bitwise_as_python(function: Any, text: str, kernels: dict[Any, Any]) -> None:
    kernel, make = kernels[function, text], CASES[function][0]
    for n in SIZES:
        result = same(kernel, *make(n))
        raised = "Error" in result
        before = sum(nest.calls for nest in kernel.report().nests)
        outcome(kernel, *make(n))
        after = sum(nest.calls for nest in kernel.report().nests)
        assert raised or after > before, kernel.report()


def test_a_step_that_is_written_is_no_danger(kernels: dict[Any, Any]) -> None:
    report = str(kernels[in_steps, "parallel i"].report())
    assert "native call" in report
    assert "order as written" not in report
