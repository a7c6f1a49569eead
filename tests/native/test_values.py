"""Names that hold several numbers are each what Python's are, in value and in type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kit.calls import same

import looptx
from native.kernels_values import FUNCTIONS, of_either_type

pytestmark = pytest.mark.usefixtures("rehearsed")

_INTEGERS = {
    "small": np.array([3, -2, 7, 0, 1, 8, 5]),
    "large": np.array([0, 2**53, -(2**53), 2**53 + 1, 1, -(2**63), 2**62]),
    "unsigned": np.array([3, 0, 2**63, 2**53 + 1, 7, 1, 2**53], np.uint64),
    "short": np.array([3, -2, 7, 0, 1, 8, 5], np.int8),
}


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("kind", _INTEGERS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_names_hold_what_they_were_given_last(function: Any, kind: str) -> None:
    kernel = looptx.kernel(function)
    for n in (7, 0, 1, 3, 5):
        x = np.array([0.75, -0.0, 2.5, -3.25, 8.0, 0.0, 1.5])[:n]
        same(kernel, x, _INTEGERS[kind][:n], np.zeros(n))


@pytest.mark.filterwarnings("ignore:looptx")
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_they_do_natively(function: Any) -> None:
    kernel = looptx.kernel(function)
    a = _INTEGERS["small"]
    kernel(np.linspace(-2, 2, len(a)), a, np.zeros(len(a)))
    nests = kernel.report().nests
    python = [why for nest in nests for why in nest.fallbacks if "dict" not in why]
    assert nests and not python
    assert any(nest.calls for nest in nests)


def test_where_a_float_has_no_place_for_an_integer_python_goes_on() -> None:
    kernel = looptx.kernel(of_either_type)
    for kind, native in (("small", 1), ("large", 0), ("small", 1)):
        a = _INTEGERS[kind]
        same(kernel, np.zeros(len(a)), a, np.zeros(len(a)), native=native)
