"""``fuse_around`` in kernels: a cost function chooses, and reports say what it did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kit.calls import same

import looptx
from looptx.directives.around.fuse_around import Candidate


def layer(A: Any, B: Any, D: Any, n: int) -> None:
    """A product, and what is done to its cells."""
    C = np.empty((n, n))
    # looptx: nest mm
    for i in range(n):
        for j in range(n):
            C[i, j] = 0.0
            for k in range(n):
                C[i, j] += A[i, k] * B[k, j]
    # looptx: nest relu
    for i in range(n):
        for j in range(n):
            D[i, j] = max(C[i, j], 0.0)


def kernel(cost: Callable[[Candidate], Any] | None) -> Any:
    return looptx.schedule(layer).fuse_around("mm", cost=cost).parallel("mm.i").kernel()


def given(n: int = 7) -> tuple[Any, ...]:
    chance = np.random.default_rng(2)
    return (*(chance.standard_normal((n, n)) for _ in range(3)), n)


def test_the_report_says_where_nests_went() -> None:
    made = kernel(None)
    same(made, *given())
    assert made.schedule == ("reverse_compute_at relu mm.j | parallel mm.i",)
    said = "fuse_around mm: relu is in mm.j: 8 bytes, runs once"
    assert said in str(made.report())
    assert said in made.inspect_python().replace("\n    # looptx: applied", "")


@pytest.mark.parametrize(
    ("cost", "chosen"),
    [
        (lambda place: -place.bytes, "reverse_compute_at relu mm.i | parallel mm.i"),
        (
            lambda place: None if place.loop == "mm.i" else np.float32(place.bytes),
            "reverse_compute_at relu mm.j | parallel mm.i",
        ),
        (lambda _: None, "parallel mm.i | nest mm"),
    ],
)
def test_a_cost_function_chooses(cost: Callable[[Candidate], Any], chosen: str) -> None:
    made = kernel(cost)
    same(made, *given())
    assert made.schedule[0] == chosen
    said = str(made.report())
    assert "fuse_around mm: relu" in said
    out = "relu stays out of mm.j, mm.i: the cost function leaves it out"
    assert (out in said) == ("relu" not in chosen)


def test_of_two_with_the_same_text_each_has_its_cost() -> None:
    def outer(place: Candidate) -> int | None:
        return place.bytes if place.loop == "mm.i" else None

    made = looptx.schedule(layer).fuse_around("mm", cost=lambda _: None)
    both = made.fuse_around("mm", cost=outer).parallel("mm.i").kernel()
    same(both, *given())
    assert both.schedule == ("reverse_compute_at relu mm.i | parallel mm.i",)


def test_a_cost_function_sees_each_place() -> None:
    seen: list[Candidate] = []

    def cost(place: Candidate) -> int:
        seen.append(place)
        return place.bytes

    assert kernel(cost).schedule
    assert sorted(seen) == [("relu", "mm.i", 8192, 1.0), ("relu", "mm.j", 8, 1.0)]


@pytest.mark.parametrize("cost", [lambda _: "x", lambda _: np.nan, lambda _: 1 / 0])
def test_a_cost_is_a_number(cost: Callable[[Candidate], Any]) -> None:
    with pytest.raises(looptx.LooptxError) as caught:
        kernel(cost)(*given())
    assert caught.value.code == "LX120"
    assert caught.value.place is not None and caught.value.hint
