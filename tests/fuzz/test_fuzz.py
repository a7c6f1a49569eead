"""The fuzzer: a share of its cases, and faults that each of its oracles must find.

``make fuzz N=10000`` runs more.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from kit.samples import some

from fuzz.generate.program import SCHEDULES, bare, program
from fuzz.oracles import dataflow, legality, refusals
from fuzz.oracles.marks import Mark
from fuzz.programs.known import COLUMN, COPY, HERE, ROW, SUMS, SWEEP, nest
from fuzz.programs.model import For, Program
from fuzz.programs.shrink import shrunk
from fuzz.programs.terms import Cell, add
from fuzz.run import main
from fuzz.tiers import case, python, tidy
from fuzz.tiers.case import examine, transformed
from fuzz.tiers.tally import Tally

CASES = some(120)


@pytest.mark.long
def test_cases() -> None:
    tally = python.part((0, CASES))
    assert not tally.failures, "\n".join(map(str, tally.failures))
    assert tally.cases == CASES
    assert tally.accepted >= 0.25 * CASES


def test_programs_follow_from_their_seeds() -> None:
    for seed in range(40):
        assert program(seed) == program(seed)
        first = seed - seed % SCHEDULES
        assert program(seed).text(directed=False) == program(first).text(directed=False)
    assert len({program(seed).text() for seed in range(40)}) > 30


def test_loops_of_other_depths_stand_side_by_side() -> None:
    """Not only single statements lack a loop that their neighbours have."""
    assert "# looptx: fuse s1 s2 at k=i+1" in program(340878).text()


@pytest.mark.parametrize("seed", range(12))
def test_smaller_programs_are_programs(seed: int) -> None:
    made = program(SCHEDULES * seed + 1)
    for less in made.smaller():
        compile(less.text(), "less", "exec")
        assert less != made


def test_a_failure_shrinks_to_what_causes_it() -> None:
    def fails(one: Program) -> bool:
        return "for " in one.text() and "split" in one.text()

    seed = next(s for s in range(1000) if fails(program(s)))
    small = shrunk(program(seed), fails)
    assert fails(small)
    assert len(small.directives) == 1
    assert small.text().count("for ") == 1
    assert sum(fails(less) for less in small.smaller()) == 0


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("B[j, i]", "B[i, j]"),
        ("range(1, m)", "range(2, m)"),
        ("+ W1[i, j]", "- W1[i, j]"),
        ("A[i, j] =", "A[j, i] ="),
    ],
)
def test_another_value_is_seen_by_the_dataflow(right: str, wrong: str) -> None:
    text = COPY.text(directed=False)
    assert right in text
    assert dataflow.difference(COPY, text, 0) == ""
    assert dataflow.difference(COPY, text.replace(right, wrong), 0)


def test_another_order_of_a_sum_is_seen_unless_it_is_allowed() -> None:
    new = transformed(SUMS.trusting()).text
    backwards = new.replace("range(1, n)", "range(n - 1, 0, -1)")
    assert new != backwards
    assert dataflow.difference(SUMS, new, 0) == ""
    assert dataflow.difference(SUMS, backwards, 0)
    outer = SUMS.functions[0].body[0]
    assert isinstance(outer, For)
    allowed = replace(outer, directives=("reassociate A", *outer.directives))
    free = Program((replace(SUMS.functions[0], body=(allowed,)),))
    assert dataflow.difference(free, backwards, 0) == ""


def test_an_illegal_order_is_seen_by_the_traces() -> None:
    new = transformed(SWEEP.trusting()).text
    assert legality.accepted(SWEEP, new).why
    assert legality.accepted(SWEEP, SWEEP.text(directed=False)).why == ""
    need = refusals.refused(SWEEP, new, "LX201", "at n=3, m=3: write")
    assert need.needed is True
    assert need.extents is not None


def test_a_missing_execution_is_seen_by_the_traces() -> None:
    text = COPY.text(directed=False)
    less = text.replace("range(1, m)", "range(1, m - 1)")
    assert legality.accepted(COPY, text).why == ""
    assert legality.accepted(COPY, less).why


def test_a_parallel_loop_that_carries_something_is_seen_by_the_traces() -> None:
    for loop, carries in (("i", True), ("j", False)):
        marked = nest(HERE, Cell("A", (add(ROW, -1), COLUMN)), f"parallel {loop}")
        text = marked.text(directed=False)
        mark = Mark("f0", loop, frozenset((1,)))
        found = legality.accepted(marked, text, [mark])
        assert bool(found.why) is carries
        assert not found.unseen


def test_a_refusal_of_a_legal_schedule_is_seen_by_the_traces() -> None:
    new = transformed(COPY.text()).text
    assert refusals.refused(COPY, new, "LX201", "at n=3, m=3: write").needed is False
    message = "at n=3, m=3: write A[1, 1]\nare different iterations of i and"
    assert refusals.refused(COPY, new, "LX202", message).needed is False


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("A[i, j] =", "A[i,j] ="),
        ("  # kept", ""),
        ("for i in", "for i im"),
        ("    for i in", "    # looptx: split i 2\n    for i in"),
    ],
)
def test_untidy_text_is_seen(right: str, wrong: str) -> None:
    text = COPY.text(directed=False)
    assert right in text
    assert tidy.flaw(text, text) == ""
    assert tidy.flaw(text, text.replace(right, wrong))


def test_a_lost_comment_is_seen_without_formatting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer = transformed(COPY.text())
    assert "  # kept" in answer.text
    lost = replace(answer, text=answer.text.replace("  # kept", ""))
    assert examine(COPY, 0, formatting=False).kind == ""
    monkeypatch.setattr(case, "transformed", lambda _: lost)
    assert examine(COPY, 0, formatting=False).kind == "untidy text"


def test_verdicts_on_known_cases() -> None:
    assert examine(COPY, 0, formatting=True).kind == ""
    assert examine(SWEEP, 0).code == "LX201"
    assert examine(SWEEP, 0).notes == ("LX201 confirmed",)


def test_a_body_and_its_schedules_share_what_they_can() -> None:
    assert bare(3) is bare(3)


def test_the_command_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--cases", "5", "--seed", "40"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("cases=5 accepted=")
    assert last.endswith("refused_legal=0 failures=0")


def test_tallies_add_up() -> None:
    one, two = Tally(), Tally()
    one.case("")
    two.case("LX201")
    one.add(two)
    assert (one.cases, one.accepted, dict(one.codes)) == (2, 1, {"LX201": 1})
