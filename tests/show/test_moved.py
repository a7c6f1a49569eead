"""Pictures of nests that moved: what runs, how often, and in which order."""

from __future__ import annotations

import pytest

from looptx import source
from looptx.attach import assign
from looptx.lower.types import annotated
from looptx.show.heading import codes
from looptx.show.page import page
from looptx.show.scene import Scene, scene_of
from looptx.show.svg import picture

BLUR = """
# looptx: {}
def blur(A, T, B, n):
    # looptx: nest p
    for i in range(n):
        T[i] = A[i] * 0.7
    # looptx: nest c
    for i in range(1, n - 1):
        B[i] = T[i - 1] + T[i + 1]
"""


def scene(text: str, **sizes: int) -> Scene:
    (kernel,) = source.read(text, "f.py").kernels
    (nest, verbs), *_ = assign(kernel, ())
    types = annotated(kernel)
    return scene_of(kernel.qualname, nest, verbs, kernel.names, types, sizes)


def ran(found: Scene) -> list[str]:
    """What runs, in the order of the picture, with its values filled in."""
    steps = found.after.order.steps
    runs = sorted(range(len(steps)), key=lambda at: steps[at])
    space = found.space
    return [
        f"{space.nest.statements[run.statement].accesses[-1].array}{space.own(run)[0]}"
        for run in (space.runs[at] for at in runs)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("compute_at p c.i", "T0 T2 B1 T1 T3 B2 T2 T4 B3"),
        ("compute_at p c.i sliding", "T0 T2 B1 T1 T3 B2 T4 B3"),
        ("reverse_compute_at c p.i", "T0 T1 T2 B1 T3 B2 T4 B3"),
    ],
)
def test_what_runs_is_drawn_as_often_as_it_runs(text: str, expected: str) -> None:
    found = scene(BLUR.format(text), n=5)
    assert " ".join(ran(found)) == expected
    assert found.status == "safe"
    assert not found.faults
    assert set(codes(found)) == {run.statement for run in found.space.runs} | {
        grid.statement for grid in found.before.grids
    }
    assert "<svg" in picture(found)
    assert f"{text.split()[2]}=" in page(found)


def test_the_picture_of_the_source_has_a_place_for_each_instance() -> None:
    found = scene(BLUR.format("compute_at p c.i"), n=5)
    places = [
        len(set(grid.places.values())) for grid in found.before.grids if grid.places
    ]
    assert sorted(places) == [3, 5]


def test_values_go_to_the_iteration_that_they_were_computed_for() -> None:
    found = scene(BLUR.format("compute_at p c.i"), n=5)
    space = found.space
    flows = {
        (space.runs[each.source].point, space.runs[each.sink].point)
        for each in found.dependences
        if each.kind == "flow"
    }
    assert ((0, 0), (1,)) in flows
    assert all(producer[0] + 1 == user[0] for producer, user in flows)


def test_a_refusal_is_drawn() -> None:
    source_text = BLUR.replace("A[i] * 0.7", "T[i] * 0.7")
    found = scene(source_text.format("compute_at p c.i"), n=6)
    assert found.status == "refused"
    assert "<svg" in picture(found)


def test_what_joined_an_anchor_and_what_stayed_is_told() -> None:
    text = """
# looptx: fuse_around mm except less
def f(A, B, C, D, n):
    # looptx: nest mm
    for i in range(n):
        for k in range(n):
            B[i] += A[i, k] * C[k]
    # looptx: nest relu
    for i in range(n):
        D[i] = max(B[i], 0.0)
    # looptx: nest less
    for i in range(n):
        D[i] = D[i] - 1.0
"""
    found = scene(text, n=3)
    assert found.directives == ("reverse_compute_at relu mm.i",)
    around = "fuse_around mm except less"
    assert f"{around}: relu is in mm.i: 8 bytes, runs once" in found.notes
    assert f"{around}: less stays: it is excepted" in found.notes
