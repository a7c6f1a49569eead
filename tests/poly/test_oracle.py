"""The proof and the generated loops against enumeration at small sizes."""

from __future__ import annotations

import os

import oracle
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from looptx.directives import parse
from looptx.errors import LooptxError, Unproven
from looptx.model.expr import Compare, Const, Var
from looptx.model.program import Directive, Nest
from looptx.model.schedule import Schedule, initial
from looptx.poly.analysis import Analysis
from looptx.poly.budget import budget
from looptx.poly.legality import witness

CASES = int(os.environ.get("LOOPTX_CASES", "300"))
SIZES = [{"n": n, "m": m} for n, m in ((0, 0), (1, 2), (2, 1), (3, 4), (5, 3), (7, 6))]

SMALL = tuple(Compare("<=", Var(name), Const(8)) for name in ("n", "m"))
"""Keeps every subscript of the random nests positive."""


def scheduled(nest: Nest, texts: list[str]) -> Schedule:
    """The schedule after every directive that applies to the nest."""
    schedule = initial(nest)
    for text in texts:
        try:
            for verb in parse(Directive(text, oracle.PLACE)):
                schedule = verb.apply(schedule)
        except LooptxError:
            continue
    return schedule


@st.composite
def cases(draw: st.DrawFn) -> tuple[Nest, list[str]]:
    nest = draw(oracle.nests())
    return nest, draw(oracle.directives(list(nest.loops)))


relaxed = settings(
    max_examples=CASES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@relaxed
@given(cases())
def test_generated_loops_visit_every_instance_once_in_order(
    case: tuple[Nest, list[str]],
) -> None:
    nest, texts = case
    schedule = scheduled(nest, texts)
    try:
        with budget():
            block = Analysis(nest).loops(schedule)
    except Unproven as error:
        assert error.code == "LX204"
        reject()
    for sizes in SIZES:
        order, starts = oracle.enumerate_nest(nest, sizes)
        expected = sorted(order, key=lambda x: oracle.time(schedule, x, sizes, starts))
        times = [oracle.time(schedule, x, sizes, starts) for x in order]
        assert len(set(times)) == len(times)
        assert oracle.run(block, nest, sizes) == expected


@relaxed
@given(cases())
def test_verdict_agrees_with_enumeration(case: tuple[Nest, list[str]]) -> None:
    nest, texts = case
    schedule = scheduled(nest, texts)
    with budget():
        analysis = Analysis(nest, SMALL)
        fault = analysis.fault(schedule)
        found = None if fault is None else witness(analysis.spaces, fault.violation)
    if found is None:
        for sizes in SIZES:
            order, starts = oracle.enumerate_nest(nest, sizes)
            times = {x: oracle.time(schedule, x, sizes, starts) for x in order}
            assert not oracle.broken_order(nest, order, times, sizes)
        return
    sizes = {"n": 0, "m": 0, **found.sizes}
    order, starts = oracle.enumerate_nest(nest, sizes)
    first = (found.source.name, found.source_point)
    second = (found.sink.name, found.sink_point)
    assert order.index(first) < order.index(second)
    assert oracle.conflicts(nest, first, second, sizes)
    assert oracle.time(schedule, first, sizes, starts) >= oracle.time(
        schedule, second, sizes, starts
    )
