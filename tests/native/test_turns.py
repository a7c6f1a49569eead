"""Names that stand for several arrays, or parts, in turn are each what Python's are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from semantics.table import exactly

import looptx
from native.kernels_turns import FUNCTIONS

pytestmark = [
    pytest.mark.usefixtures("rehearsed"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
]


def left(called: Any, x: np.ndarray) -> object:
    """What a call gives or raises, and what it leaves in its array."""
    try:
        result = exactly(called(x))
    except Exception as error:
        result = repr(error)
    return result, exactly(x)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_a_name_is_what_it_was_given_last(function: Any) -> None:
    kernel = looptx.kernel(function)
    for n in (0, 1, 2, 3, 5, 13):
        given = np.arange(n) * 1.5
        assert left(kernel, given.copy()) == left(function, given.copy()), n
