"""``rfactor`` in native code: the same results, on one thread and on several."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from kit.calls import same
from kit.together import compiled

from looptx.native import runtime

SIZES = (0, 1, 2, 3, 7, 13, 101)


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOOPTX_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        from directives import kernels_rfactor

        calls = _calls(kernels_rfactor)
        compiled(calls, tmp_path_factory.mktemp("rfactor"))
        yield kernels_rfactor


def _calls(kernels: Any) -> Iterator[tuple[Any, ...]]:
    """Kernels, with arguments of the types that tests call them with."""
    for kind in ("float64", "float32", "int64"):
        start = 3 if kind == "int64" else 3.0
        for one in (kernels.dot, kernels.two_levels):
            yield one, whole(kind, 5), whole(kind, 5), start, 5
        yield kernels.rows, whole(kind, 5, 5), np.zeros(5, kind), 5
    for kind in ("float64", "float32", "int64", "int8", "uint16"):
        yield kernels.least, whole(kind, 5, 5, low=0), whole(kind, 5, low=0), 5
    for kind in ("int64", "int8", "uint8", "uint64", "bool"):
        yield kernels.bits, np.ones((5, 5), kind), np.ones(5, kind), 5
    for kind in ("float64", "int64", "int8"):
        yield kernels.products, whole(kind, 5, 5), whole(kind, 5), 5


@pytest.fixture(params=[1, 3])
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(runtime._threads, "limit", request.param)
    return int(request.param)


def whole(kind: str, *shape: int, low: int = -9) -> np.ndarray:
    """Numbers whose sums are exact in any order."""
    values = np.random.default_rng(sum(shape))
    return values.integers(low, 9, shape).astype(kind)


@pytest.mark.parametrize("kind", ["float64", "float32", "int64"])
@pytest.mark.parametrize("name", ["dot", "two_levels"])
def test_a_scalar(name: str, kind: str, kernels: Any, threads: int) -> None:
    start = 3 if kind == "int64" else 3.0
    for n in SIZES:
        given = whole(kind, n), whole(kind, n)
        same(getattr(kernels, name), *given, start, n, native=1)


@pytest.mark.parametrize("kind", ["float64", "int64"])
def test_negative_zeros(kind: str, kernels: Any) -> None:
    """The identity leaves them what they are."""
    zeros, ones = np.full(9, -0.0).astype(kind), np.ones(9, kind)
    start = -0.0 if kind == "float64" else 0
    for name in ("dot", "two_levels"):
        same(getattr(kernels, name), zeros, ones, start, 9, native=1)


@pytest.mark.parametrize("kind", ["float64", "float32", "int64"])
def test_sums_and_maxima_that_are_private_to_a_row(kind: str, kernels: Any) -> None:
    for n in SIZES:
        same(kernels.rows, whole(kind, n, n), np.zeros(n, kind), n, native=1)


@pytest.mark.parametrize("kind", ["float64", "float32", "int64", "int8", "uint16"])
def test_minima(kind: str, kernels: Any, threads: int) -> None:
    """Also of values that are all as large as there are."""
    for n in SIZES:
        same(kernels.least, whole(kind, n, n, low=0), whole(kind, n, low=0), n)
    most = np.inf if kind.startswith("float") else np.iinfo(kind).max
    same(kernels.least, np.full((5, 5), most, kind), np.full(5, most, kind), 5)


@pytest.mark.parametrize("kind", ["int64", "int8", "uint8", "uint64", "bool"])
def test_bits(kind: str, kernels: Any, threads: int) -> None:
    for n in SIZES:
        given = [whole("int64", n, n).astype(kind), whole("int64", n).astype(kind)]
        same(kernels.bits, *given, n)


@pytest.mark.parametrize("kind", ["float64", "int64", "int8"])
def test_products(kind: str, kernels: Any) -> None:
    """Integers also where they wrap around."""
    for n in (0, 1, 2, 3, 7):
        same(kernels.products, whole(kind, n, n), whole(kind, n), n, native=1)
