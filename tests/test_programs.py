"""Random programs: rewritten Python leaves the same bits behind, at every size."""

from __future__ import annotations

import os
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from programs import Program, programs
from programs_run import difference, rewritten

CASES = int(os.environ.get("LOOPTX_CASES", "500"))
PARTS = 4
"""The cases are shared between so many tests, for parallel test runs."""

relaxed = settings(
    max_examples=max(CASES // PARTS, 1),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("part", range(PARTS))
def test_rewritten_programs_do_the_same(part: int) -> None:
    accepted = []

    @relaxed
    @given(programs())
    def check(program: Program) -> None:
        found = rewritten(program.text)
        accepted.append(not found.code)
        if not found.code:
            why = difference(program, found.text, seed=part)
            assert not why, f"{why}\n{program.text}\nbecame\n{found.text}"

    check()
    if len(accepted) >= 50:
        assert sum(accepted) >= 0.3 * len(accepted)
