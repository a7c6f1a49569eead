"""Nests that run in loops of others, in native code: the same results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from kit.calls import same

SIZES = ((0, 3), (1, 1), (2, 5), (3, 3), (7, 4), (13, 11))


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOOPTX_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        from directives import kernels_moved

        yield kernels_moved


@pytest.mark.parametrize("name", ["again", "sliding", "behind", "alike"])
def test_results(name: str, kernels: Any) -> None:
    chance = np.random.default_rng(2)
    for shape in SIZES:
        same(
            getattr(kernels, name), chance.random(shape), chance.random(shape), native=1
        )


def test_blocks_of_a_collapsed_loop(kernels: Any) -> None:
    chance = np.random.default_rng(2)
    for rows in range(8):
        given = chance.random((rows, 5)), chance.random((rows, 5))
        same(kernels.blocks, *given, native=1)
