"""What may not be written in another way is left as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kit.calls import calls, outcome

import looptx

pytestmark = [
    pytest.mark.usefixtures("rehearsed"),
    pytest.mark.filterwarnings("ignore:looptx"),
]


def between(x, y, v, w):
    """The last is asked for only where what is in front of it holds."""
    for i in range(len(y)):
        if i < np.where(x == v)[0][0] < np.where(x == w)[0][0]:
            y[i] = 1


def outside(x, y, v, w):
    """NumPy raises for both, whatever is taken."""
    for i in range(len(y)):
        y[i] = np.percentile(x, [50, 150])[0]


def beyond(x, y, v, w):
    for i in range(len(y)):
        y[i] = np.quantile(x, (0.5, 2))[0]


def truly(x, y, v, w):
    for i in range(len(y)):
        y[i] = divmod(x[i], 3)[True]


_LEFT = between, outside, beyond, truly


@pytest.mark.parametrize("function", _LEFT, ids=lambda one: one.__name__)
@pytest.mark.parametrize("given", [(2.0, 1.0), (3.0, 9.0), (9.0, 1.0), (1.0, 3.0)])
def test_what_is_left_as_it_is_written(
    function: Callable[..., Any], given: tuple[float, float]
) -> None:
    kernel = looptx.kernel(function)
    arrays = np.array([3.0, 1.0, 2.0]), np.zeros(3)
    assert outcome(kernel, *arrays, *given) == outcome(function, *arrays, *given)
    assert not calls(kernel)
    assert "internal error" not in str(kernel.report())
