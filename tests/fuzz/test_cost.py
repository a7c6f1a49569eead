"""The tier that looks for programs that take long, and that it sees one."""

from __future__ import annotations

import time
from unittest import mock

import pytest

from fuzz.programs.model import For, walk
from fuzz.tiers import cost
from fuzz.tiers.case import Answer, transformed


def test_programs_follow_from_their_seeds_and_are_deep() -> None:
    steps, deepest = set[int](), 0
    for seed in range(40):
        made = cost.program(seed)
        assert made == cost.program(seed)
        compile(made.text(), "made", "exec")
        loops = [x for f in made.functions for x in walk(f.body) if isinstance(x, For)]
        steps |= {loop.step for loop in loops}
        deepest = max(deepest, len(loops))
    assert {-2, -1, 1, 2, 3} <= steps
    assert deepest > 4


@pytest.mark.parametrize(("asked", "kind"), [(0.0, ""), (0.2, "takes too long")])
def test_what_takes_long_is_seen(asked: float, kind: str) -> None:
    def slow(text: str) -> Answer:
        end = time.process_time() + asked
        while time.process_time() < end:
            pass
        return Answer(text)

    limits = mock.patch.multiple(cost, SECONDS=0.1, PATIENCE=60.0, transformed=slow)
    # To collect what all tests before have left takes seconds.
    with limits, mock.patch.object(cost, "gc"):
        tally = cost.part((0, 1), as_found=True)
    assert [one.kind for one in tally.failures] == ([kind] if kind else [])


def test_what_does_not_end_is_stopped() -> None:
    def endless(text: str) -> Answer:
        while True:
            transformed("")

    with mock.patch.multiple(cost, PATIENCE=0.3, transformed=endless):
        assert cost.seconds(cost.program(0)) == (0.3, "")
