"""Names that are None: what is said of loops that never give them numbers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import looptx


@looptx.kernel
def never_a_number(a, y):
    for i in range(len(a)):
        p = i
        y[i] = p
        p = None
        if a[i] > 2 and p > 1:
            y[i] = p


def test_loops_that_read_none_alone_are_refused_in_words_of_the_source():
    a, y = np.arange(5.0), np.zeros(5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(TypeError, match="'NoneType'"):
            never_a_number(a, y)
    assert y.tolist() == [0, 1, 2, 3, 0]
    (nest,) = never_a_number.report().nests
    assert all("the expression `None`" in str(why) for why in nest.fallbacks)
