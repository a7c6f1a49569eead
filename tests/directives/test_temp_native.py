"""``temp`` in native code: the same results, private to threads, reported."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kit.calls import calls, same
from kit.together import compiled

import looptx
from looptx.native import runtime

TWO = ("number", "single", "rows", "turns", "recurrence", "edges", "waves", "strips")
TWO += ("shared", "alone", "sums")
SIZES = ((0, 3), (1, 1), (2, 5), (7, 4), (13, 11))
MEMORY = {
    "number": "temp T: 8 * n * m bytes -> 8 bytes",
    "single": "temp T: 4 * n * m bytes -> 4 bytes",
    "rows": "temp T: 8 * m bytes -> 8 * m bytes per thread",
    "tiles": "temp T: 8 * n * p bytes -> 48 bytes per thread",
    "sums": "temp T: 8 * m * (n + 2) bytes -> 24 * m bytes",
    "turns": "temp T: 8 * (n + 1) * m bytes -> 16 * m bytes",
    "recurrence": "temp T: 8 * m * (n + 1) bytes -> 8 bytes per thread",
    "edges": "temp T: n * m bytes -> m bytes per thread",
    "chain": "temp T: 8 * n * p bytes -> 8 bytes per thread",
}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOOPTX_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        from directives import kernels_temp

        given = [(getattr(kernels_temp, x), *filled((5, 5), (5, 5))) for x in TWO]
        for one in (kernels_temp.tiles, kernels_temp.chain):
            given.append((one, *filled((5, 5), (5, 5), (5, 5))))
        compiled(given, tmp_path_factory.mktemp("temp"))
        yield kernels_temp


@pytest.fixture(params=[1, 2, 4])
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(runtime._threads, "limit", request.param)
    return int(request.param)


def filled(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    """Arrays of random numbers."""
    values = np.random.default_rng(sum(map(sum, shapes)))
    return [values.random(shape) for shape in shapes]


@pytest.mark.parametrize("name", TWO)
def test_results(name: str, kernels: Any, threads: int) -> None:
    for n, m in SIZES:
        same(getattr(kernels, name), *filled((n, m), (n, m)), native=1)


def test_products(kernels: Any, threads: int) -> None:
    for n, m in SIZES:
        for name, last in (("tiles", (n, n + 1)), ("chain", (n + 1, m))):
            arrays = filled((n, m), (m, n + 1), last)
            same(getattr(kernels, name), *arrays, native=1)


@pytest.mark.parametrize("name", MEMORY)
def test_the_report_says_the_memory(name: str, kernels: Any) -> None:
    kernel = getattr(kernels, name)
    count = 3 if name in ("tiles", "chain") else 2
    kernel(*(np.ones((3, 3)) for _ in range(count)))
    (nest,) = kernel.report().nests
    memory, *others = nest.versions[0].memory
    assert memory == MEMORY[name]
    assert all(one.startswith("runs without explicit vectors") for one in others)
    assert f"\n    {MEMORY[name]}" in str(nest)


def test_native_code_does_not_allocate_the_array(kernels: Any) -> None:
    a, b = np.ones((300, 400)), np.ones((300, 400))
    kernels.number(a, b)
    tracemalloc.start()
    kernels.number(a, b)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < a.nbytes / 10


def test_where_native_code_is_not_taken_the_array_is_there(kernels: Any) -> None:
    function = looptx.kernel(kernels.number.__wrapped__)
    given = np.ones((2, 3), dtype=">f8"), np.ones((2, 3), dtype=">f8")
    function(*given)
    assert given[1].tolist() == [[3.0] * 3] * 2
    assert function.report().nests[0].calls == 0


def test_a_module_built_ahead(tmp_path: Path) -> None:
    from looptx.native.ahead.extension import extension_text

    source = Path(__file__).with_name("kernels_temp.py").read_text(encoding="utf-8")
    made = extension_text(source, "kernels_temp.py")
    late = {info.label: info.late for info in made.nests}
    assert all(late[label] for label in late if not label.startswith("strips"))
    assert "cdef double[2][3] T" in made.text


@looptx.kernel("split i 4", "temp T")
def sized_by_another(B, x):
    n, m = B.shape
    T = np.ones((n + 2, m + 4))
    for i in range(m):
        T[i + 1, i] += B[1, i + 1]
        x[i] = T[i, i]


def test_the_size_of_a_temporary_is_read_even_if_no_loop_needs_it() -> None:
    """Where only an empty loop stays inside ``B``, nothing else names ``n``."""
    same(sized_by_another, *filled((2, 0), (3,)))
    same(sized_by_another, *filled((2, 3), (3,)))
    assert calls(sized_by_another) == 1
