"""The tier of graphs of operators: a share of its cases, and its judge.

``make fuzz TIER=around N=5000`` runs more.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from kit.around import amounts
from kit.samples import some

from fuzz.around import judge, tier
from fuzz.around.graph import FORMS, PRODUCT, Graph, Node, graph
from fuzz.around.rules import broken
from fuzz.tiers.case import Answer

CASES, PART = some(5), 5


@pytest.mark.parametrize("first", range(0, CASES, PART))
def test_cases(first: int) -> None:
    tally = tier.part((first, PART))
    assert not tally.failures, "\n".join(map(str, tally.failures))
    assert tally.accepted >= 3


def test_graphs_follow_from_their_seeds() -> None:
    made = [graph(seed) for seed in range(80)]
    assert made == [graph(seed) for seed in range(80)]
    used = {node.form for one in made for node in one.nodes}
    assert used >= {*FORMS.values()}
    for one in made:
        compile(one.text(), "made", "exec")
        for less in one.smaller():
            assert less != one


def test_the_judge_sees_other_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """What looptx gives is spoilt behind its back."""
    real, old = judge.transformed, "* 0.5 + 1.0"

    def spoilt(text: str) -> Answer:
        found = real(text)
        return replace(found, text=found.text.replace(old, "* 0.5 + 1.5"))

    made = [x for x in map(graph, range(99)) if old in x.text()][:4]
    monkeypatch.setattr(judge, "transformed", spoilt)
    assert "computes something else" in {judge.verdict(x).kind for x in made}


def test_the_judge_sees_cells_that_are_written_again() -> None:
    text = graph(0).text()
    twice = re.sub(r"(?m)^( +)(T0\[.*\] = .*)$", r"\1\2\n\1\2", text)
    assert "writes, more than" in judge._difference(text, twice, once=True)
    assert not judge._difference(text, twice, once=False)


def test_the_judge_sees_other_directives(monkeypatch: pytest.MonkeyPatch) -> None:
    """What looptx says that it did is not what it did."""
    made = next(x for x in map(graph, range(99)) if any(amounts(x.text()).values()))
    monkeypatch.setattr(judge, "written_out", lambda *_: made.bare().text())
    assert judge.verdict(made).kind == "plain directives are something else"


def test_the_judge_sees_another_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    made = next(x for x in map(graph, range(99)) if any(amounts(x.text()).values()))
    monkeypatch.setattr(judge, "AGAIN", 1)
    monkeypatch.setattr(judge, "found", lambda _: ({}, []))
    assert judge.verdict(made).kind == "chooses something else again"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("two stays: it is a contraction", "says nothing of a nest"),
        ("relu stays: it is excepted", ""),
        ("relu is in mm.j: 8 bytes, runs once", ""),
        ("relu is in mm.k: 8 bytes, runs once", "moves into an unfinished sum"),
        ("relu is in mm.jj: 8 bytes, runs once", "moves into an unfinished sum"),
        ("relu is in mm.j: 8 bytes, runs 2 times", "runs too often"),
        ("left is in mm.j: 8 bytes, runs once", "moves what is excepted"),
        ("two is in mm.i: 8 bytes, runs once", "moves a product"),
    ],
)
def test_rules_of_a_report(line: str, kind: str) -> None:
    """The loops of the sum are those of a block, and all that is in it."""
    around = "fuse_around mm except left"
    nodes = (
        Node("mm", PRODUCT, "T0", ("A", "B")),
        Node("relu", FORMS["one"], "T1", ("T0", "A")),
        Node("left", FORMS["one"], "T3", ("T0", "A")),
        Node("two", PRODUCT, "T2", ("A", "B")),
    )
    order = "reorder mm.i mm.j mm.k mm.ii mm.jj mm.kk"
    made = Graph(nodes, (order, around), ("T2",))
    told = [f"{x} stays: why" for x in ("left", "two") if x != line.split()[0]]
    told += [] if kind == "says nothing of a nest" or "relu" in line else ["relu stays"]
    found = broken(made, [f"{around}: {one}" for one in (line, *told)])
    assert [one for one, _ in found] == [kind] * bool(kind)
