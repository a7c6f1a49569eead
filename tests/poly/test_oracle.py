"""The proof and the generated loops against enumeration at small sizes."""

from __future__ import annotations

import pytest
from kit.drawn import SIZES, affine
from kit.nests import Run, visited
from kit.samples import some

from looptx.errors import Unproven
from looptx.model.expr import Compare, Const, Var
from looptx.model.moves.cutting import with_cuts
from looptx.poly.analysis import Analysis
from looptx.poly.budget import budget
from looptx.poly.dependences.legality import witness

CASES = some(20)
PARTS = 2

SMALL = tuple(Compare("<=", Var(name), Const(7)) for name in ("n", "m"))
"""Keeps every subscript of the random nests positive."""


@pytest.mark.parametrize("part", range(PARTS))
def test_generated_loops_visit_every_instance_once_in_order(part: int) -> None:
    compared = 0
    for nest, schedule in affine(CASES // PARTS, part * 10_000):
        try:
            with budget():
                block = Analysis(nest).loops(schedule)
        except Unproven as error:
            assert error.code == "LX204"
            continue
        for sizes in SIZES:
            run = Run(with_cuts(nest, schedule.cuts), sizes)
            times = run.times(schedule)
            assert len(set(times.values())) == len(times)
            assert visited(block, run.nest, sizes) == run.order(schedule)
        compared += 1
    assert compared > CASES // PARTS // 2


@pytest.mark.parametrize("part", range(PARTS))
def test_verdict_agrees_with_enumeration(part: int) -> None:
    refused = 0
    for nest, schedule in affine(CASES // PARTS, part * 10_000 + 6_000):
        with budget():
            analysis = Analysis(nest, SMALL)
            fault = analysis.fault(schedule)
            found = None if fault is None else witness(analysis.spaces, fault.violation)
        if found is None:
            for sizes in SIZES:
                run = Run(with_cuts(nest, schedule.cuts), sizes)
                assert not run.broken(run.times(schedule))
            continue
        refused += 1
        cut = with_cuts(nest, schedule.cuts)
        run = Run(cut, {"n": 0, "m": 0, **found.sizes})
        first = (found.source.name, found.source_point)
        second = (found.sink.name, found.sink_point)
        assert run.instances.index(first) < run.instances.index(second)
        assert run.conflict(first, second)
        assert run.time(schedule, first) >= run.time(schedule, second)
    assert refused > CASES // PARTS // 50
