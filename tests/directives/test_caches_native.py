"""Caches and grids in native code: the same results, also without memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from kit.calls import same

from looptx.emit.cython import memory
from looptx.native import runtime

SIZES = ((0, 3), (1, 1), (2, 5), (7, 4), (13, 11))


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOOPTX_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        from directives import kernels_caches

        yield kernels_caches


@pytest.fixture(params=[1, 4])
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(runtime._threads, "limit", request.param)
    return int(request.param)


def filled(dtype: str, *shapes: tuple[int, ...]) -> list[np.ndarray]:
    """Arrays of random numbers."""
    values = np.random.default_rng(sum(map(sum, shapes)))
    return [values.random(shape).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_results(dtype: str, kernels: Any, threads: int) -> None:
    for n, m in SIZES:
        for name in ("blocks", "grid"):
            arrays = filled(dtype, (n, m), (m, n + 1), (n, n + 1))
            same(getattr(kernels, name), *arrays, native=1)
        for name in ("rows", "waits"):
            same(getattr(kernels, name), *filled(dtype, (n, m), (n, m)), native=1)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 13])
def test_packed_caches_of_loops_that_begin_at_others(n: int, kernels: Any) -> None:
    for name in ("triangle", "below", "tiled_triangle"):
        arrays = filled("float64", (n, n), (n, n))
        same(getattr(kernels, name), *arrays, n, native=1)


def test_without_memory_the_loops_run_as_written(
    kernels: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: object) -> None:
        raise MemoryError

    arrays = filled("float64", (5, 6), (5, 6))
    same(kernels.rows, *arrays, native=1)
    monkeypatch.setattr(np, "empty", fails)
    same(kernels.rows, *arrays, native=0)
    assert "no memory for its temporaries" in str(kernels.rows.report())


@pytest.mark.parametrize("shape", [(3,), (0, 4), (2, 3, 5), ()])
@pytest.mark.parametrize("kind", ["float64", "float32", "int8", "complex128"])
def test_buffers_begin_at_lines_of_the_cache(shape: tuple[int, ...], kind: str) -> None:
    names: dict[str, Any] = {"lx_numpy": np}
    exec(memory.TEXT, names)
    made = names[memory.ALIGNED](shape, kind)
    assert made.ctypes.data % 64 == 0 or not made.size
    assert (made.shape, made.dtype) == (shape, np.dtype(kind))
    assert made.flags.c_contiguous
    assert made.flags.writeable


@pytest.mark.parametrize("shape", [(1 << 40, 1 << 40), (1 << 62,), (1 << 59,)])
def test_too_large_a_buffer_is_an_error_that_is_known(shape: tuple[int, ...]) -> None:
    names: dict[str, Any] = {"lx_numpy": np}
    exec(memory.TEXT, names)
    with pytest.raises((MemoryError, ValueError)):
        names[memory.ALIGNED](shape, "float64")
