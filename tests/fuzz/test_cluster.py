"""The tier of tasks: a share of its cases, and its judge.

``make fuzz TIER=cluster N=2000`` runs more.
"""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest

from fuzz.cluster import tier
from fuzz.moving.function import Moving, Taken
from looptx.cluster.graph.stores import Store
from looptx.cluster.work import boxes


@pytest.mark.long
def test_cases() -> None:
    tally = tier.part((0, 7))
    assert not tally.failures, "\n".join(map(str, tally.failures))
    assert tally.notes["ran as tasks"] >= 2 and tally.notes["nest by nest"]


def test_programs_follow_from_their_seeds() -> None:
    made = [tier.program(seed) for seed in range(3)]
    assert made == [tier.program(seed) for seed in range(3)]
    texts = "\n".join(one.text() for one in made if one is not None)
    assert " worker.x" in texts


FIRST = "# looptx: nest n0\nfor i in range(n):\n    y[i] = x[i] * 3 + x[i + 1]"
SECOND = "# looptx: nest n1\nfor p in range(n):\n    x[p] = y[p] - y[0]"
SWEEPS = Moving(
    (Taken("x", 1, "float64"), Taken("y", 1, "float64")),
    (),
    (FIRST, SECOND),
    (),
    (),
    directives=("bind i worker.x", "bind p worker.x"),
)


def test_what_is_different_is_seen() -> None:
    """Cells of an earlier task, or too few of them, are other results."""

    def first(self: Store, _: object, pieces: Any) -> None:
        if not len(self.pieces):
            self.pieces.replace((), pieces)

    def fewer(one: boxes.Box, other: boxes.Box) -> boxes.Box | None:
        found = whole(one, other)
        return found if found != ((1, 2, 1),) else None

    whole = boxes.met
    assert any("lazily" in tier.examined(SWEEPS, seed).notes for seed in range(4))
    assert not tier.examined(SWEEPS, 0).kind
    for patch in (
        mock.patch.object(Store, "write", first),
        mock.patch("looptx.cluster.graph.stores.met", fewer),
    ):
        with patch:
            assert tier.examined(SWEEPS, 0).kind == "computes something else"
