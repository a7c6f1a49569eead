"""What ``numpy.where`` gives is an array without axes, and stays one after a nest."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy import where
from semantics.table import exactly

import looptx

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)


def named(x):
    s = 0.0
    for i in range(len(x)):
        s = where(x[i] > 0.5, x[i], 1.0)
    return s


def chosen(x):
    s = 0.0
    for i in range(len(x)):
        s = np.where(x[i] > 0.5, x[i], 1.0) if i > 1 else 2.0
    return s


def most(x):
    s = 0.0
    for i in range(len(x)):
        s = max(s, np.where(x[i] > 0.5, x[i], 1.0))
    return s


def copied(x):
    s = 0.0
    t = 1.0
    for i in range(len(x)):
        t = np.where(x[i] > 0.5, x[i], 1.0) if i > 2 else 1.0
        s = t if i > 3 else 2.0
    return s


def made_a_number(x):
    s = 0.0
    for i in range(len(x)):
        s = float(np.where(x[i] > 0.5, x[i], 1.0)) if i > 1 else 2.0
    return s


def used_inside(x):
    s = 0.0
    for i in range(len(x)):
        t = np.where(x[i] > 0.5, x[i], 1.0)
        s = t + 1
    return s


NATIVE = made_a_number, used_inside
LEFT = named, chosen, most, copied


@pytest.mark.parametrize("function", [*NATIVE, *LEFT])
def test_its_type_is_pythons(function: Callable[..., Any]) -> None:
    called = looptx.kernel(function)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for size in (0, 1, 3, 7):
            x = np.linspace(0, 1, size)
            assert exactly(called(x)) == exactly(function(x))

    (nest,) = called.report().nests
    assert bool(nest.calls) == (function in NATIVE)
