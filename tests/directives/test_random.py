"""Random sequences of directives on random small nests: what must always hold."""

from __future__ import annotations

from functools import reduce
from operator import add as join

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kit.nests import Run, nest_of, value
from kit.samples import some

from looptx.directives import parse
from looptx.errors import LooptxError, Place
from looptx.model.expr import variables
from looptx.model.moves.cutting import with_cuts
from looptx.model.program import Directive
from looptx.model.schedule import Band, Schedule, bands, initial, path, statements

NESTS = (
    """
for i in range(n):
    for j in range(m):
        A[i, j] = 1
""",
    """
for i in range(n - 1, -1, -1):
    A[i, 0] = 1
    for j in range(i, m + 2, 2):
        B[i, j] = 1
        for k in range(j, i + 3):
            C[i, j, k] = 1
        D[i, j] = 2
    E[i] = 3
""",
    """
for i in range(2, n + 2):
    for j in range(3):
        A[i, j] = 1
    for j in range(i):
        for k in range(m, -2, -3):
            B[i, j, k] = 1
    for k in range(2):
        if k < i:
            C[i, k] = 1
""",
)
NAMES = ("i", "j", "k", "ii", "jj", "kk", "iii", "j#1", "j#2", "k#1", "k#2", "ij", "jk")
loops = st.sampled_from(NAMES)
sizes = st.integers(1, 4)
values = st.sampled_from(("0", "1", "2", "i", "j", "i+1", "n-1", "m//2", "n-i", "9"))
directives = st.one_of(
    st.builds("split {} {}".format, loops, sizes),
    st.builds("split {} {} {}".format, loops, sizes, sizes),
    st.builds("split {} parts={}".format, loops, sizes),
    st.builds("tile {}={} {}={}".format, loops, sizes, loops, sizes),
    st.builds("reorder {} {}".format, loops, loops),
    st.builds("reorder {} {} {}".format, loops, loops, loops),
    st.builds(
        "skew {} {} by {}".format, loops, loops, st.sampled_from((-2, -1, 1, 1, 3))
    ),
    st.builds("pad {} {}".format, loops, sizes),
    st.builds("collapse {} {}".format, loops, loops),
    st.builds("cut {} {}".format, loops, values),
    st.builds("cut {} {} {}".format, loops, values, values),
    st.builds("parallel {}".format, loops),
    st.builds("unroll {} 2".format, loops),
)


def apply_all(schedule: Schedule, texts: list[str]) -> Schedule:
    """Apply what can be applied; what cannot must say why with a code."""
    for text in texts:
        try:
            for verb in parse(Directive(text, Place("t.py", 1))):
                schedule = verb.apply(schedule)
                assert schedule.applied[-1].text == verb.text
        except LooptxError as error:
            assert error.code in ("LX102", "LX104", "LX105", "LX106"), error
            assert error.hint and error.place == Place("t.py", 1)
    return schedule


@settings(
    max_examples=some(50), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
@given(
    code=st.sampled_from(NESTS),
    texts=st.lists(directives, min_size=1, max_size=7),
    n=st.integers(0, 4),
    m=st.integers(0, 4),
)
def test_any_sequence_keeps_every_iteration_once_and_finds_it_back(
    code: str, texts: list[str], n: int, m: int
) -> None:
    nest = nest_of(code)
    schedule = apply_all(initial(nest), texts)
    run = Run(with_cuts(nest, schedule.cuts), {"n": n, "m": m})
    assert sorted(run.order(schedule)) == sorted(run.instances)
    check_maps(schedule)
    for instance in run.instances:
        check_index(run, schedule, instance)


def check_maps(schedule: Schedule) -> None:
    """Every band knows the position of exactly the statements inside it."""
    all_bands = list(bands(schedule.tree))
    uids = [band.dim.uid for band in all_bands]
    assert len(set(uids)) == len(uids)
    assert all(uid < schedule.fresh for uid in uids)
    hidden = {d.uid for pair in schedule.collapsed.values() for d in pair.dims}
    assert set(schedule.position) == {*uids, *hidden}
    for name in statements(schedule.tree):
        on_path = {
            node.dim.uid
            for node, _ in path(schedule.tree, name)
            if isinstance(node, Band)
        } | {uid for uid in hidden if name in schedule.position[uid]}
        known = {uid for uid, values in schedule.position.items() if name in values}
        assert known == on_path
        for (own, _), index in schedule.index.items():
            if own == name:
                assert set(index.weights) <= on_path


def check_index(run: Run, schedule: Schedule, instance: tuple) -> None:
    """The way back from positions gives each loop's value."""
    name, _ = instance
    for loop, number in run.at(instance).items():
        index = schedule.index[name, loop]
        positions = reduce(
            join,
            (
                weight * run.position(schedule, uid, instance)
                for uid, weight in index.weights.items()
            ),
            value(index.offset, run.sizes, run.starts),
        )
        start = value(index.start, run.sizes, run.starts)
        # A start that varies in the nest can be out of step with the first of all.
        late = (number - start - index.step * positions) * (1 if index.step > 0 else -1)
        varying = bool(variables(run.nest.loops[loop].start) & set(run.nest.loops))
        assert 0 <= late < (abs(index.step) if varying else 1)


@pytest.mark.parametrize("by", [-3, -2, -1, 1, 2])
def test_two_skews_against_each_other_show_what_still_grows(by: int) -> None:
    nest = nest_of(NESTS[0])
    schedule = apply_all(initial(nest), [f"skew i j by {by}", "skew j i by -1"])
    run = Run(nest, {"n": 4, "m": 3})
    for instance in run.instances:
        check_index(run, schedule, instance)


def test_a_long_sequence_is_bounded() -> None:
    schedule = initial(nest_of(NESTS[0]))
    with pytest.raises(LooptxError) as caught:
        for number in range(200):
            text = ("skew i ii", "split i 3", "skew ii i", "split ii 2")[number % 4]
            text = text if number else "split i 3"
            for verb in parse(Directive(text, Place("t.py", 1))):
                schedule = verb.apply(schedule)
    assert caught.value.code == "LX106"
