"""Loops that are cut, in native code: the same bits as CPython's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from kit.calls import same

SIZES = (0, 1, 2, 3, 5, 7, 18)


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOOPTX_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        from directives import kernels_cut

        yield kernels_cut


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_paths(dtype: str, kernels: Any) -> None:
    for n in SIZES:
        given = np.random.default_rng(n).random((n, n)).astype(dtype)
        given[given > 0.9] = -0.25
        same(kernels.paths, given, n, native=1)


def test_backward(kernels: Any) -> None:
    for n in SIZES[1:]:
        for m in SIZES:
            rng = np.random.default_rng(10 * n + m)
            same(kernels.backward, rng.random((n, m)), rng.random(m), n, m, native=1)
