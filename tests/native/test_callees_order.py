"""What calls store is seen by what Python evaluates after them, and by nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kit.calls import same

import looptx

pytestmark = pytest.mark.usefixtures("rehearsed")


def step(c: Any) -> int:
    c[0] += 1
    return 1


def steps(c: Any) -> Any:
    for q in range(2):
        c[q] += 1
    return c[0]


def both(x: Any, c: Any) -> Any:
    for q in range(2):
        x[q] += steps(c)
    return x[0]


def added(x: Any, c: Any) -> None:
    for _ in range(3):
        x[c[0]] += step(c)


def from_behind(x: Any, c: Any) -> None:
    for _ in range(3):
        x[len(x) - 1 - c[0]] -= step(c) + c[0]


def chosen(x: Any, c: Any) -> None:
    for _ in range(3):
        x[-1 - c[0]] *= (2.0 if step(c) else 1.0) + step(c)


def chained(x: Any, c: Any) -> None:
    for _ in range(3):
        x[c[0]] = x[step(c)] = c[0]


def paired(x: Any, c: Any) -> None:
    for _ in range(3):
        x[c[0]], x[step(c)] = c[0], c[1] + x[c[0]]


def inside(x: Any, c: Any) -> None:
    for i in range(3):
        x[(c[0] + step(c) + c[0]) % 12] = step(c) + c[0] + i


def nested(x: Any, c: Any) -> None:
    for i in range(3):
        x[i] += both(x, c)


def counted(x: Any, c: Any) -> int:
    s = 0
    for _ in range(3):
        s += step(c)
        x[s] -= s * step(c)
    return s


def beyond(x: Any, c: Any) -> None:
    for i in range(3):
        x[c[0] + 11] += 1 // (3 - i) + step(c)


FUNCTIONS: tuple[Callable[[Any, Any], Any], ...] = (
    *(added, from_behind, chosen, chained, paired, inside, nested, counted, beyond),
)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda x: x.__name__)
def test_what_a_call_stores_is_seen_behind_it(function: Any) -> None:
    kernel = looptx.kernel(function)
    for n in (12, 13, 20):
        for first in (0, 1, 3):
            given = np.arange(n) + 1.0, np.full(9, first)
            same(kernel, *given)
    assert any(nest.calls for nest in kernel.report().nests), kernel.report()


def test_targets_in_targets_are_left_to_python() -> None:
    def deep(x: Any, c: Any) -> None:
        for _ in range(3):
            x[c[0]], (x[step(c)], x[2]) = c[0], (c[1], 3)

    same(looptx.kernel(deep), np.arange(12.0), np.zeros(9, int))
