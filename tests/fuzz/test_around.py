"""The tier of graphs of operators: a share of its cases, and its judge.

``make fuzz TIER=around N=5000`` runs more.
"""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from kit.around import amounts, fates, found

from fuzz.around import judge, tier
from fuzz.around.graph import FORMS, graph
from fuzz.tiers.case import Answer

CASES = int(os.environ.get("LOOPTX_GRAPHS", "100"))


@pytest.mark.parametrize("first", range(0, CASES, 10))
def test_cases(first: int) -> None:
    tally = tier.part((first, 10))
    assert not tally.failures, "\n".join(map(str, tally.failures))
    assert tally.accepted >= 4


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

    made = next(x for x in map(graph, range(99)) if old in x.text())
    monkeypatch.setattr(judge, "transformed", spoilt)
    assert judge.verdict(made).kind == "computes something else"


def test_the_judge_sees_other_directives(monkeypatch: pytest.MonkeyPatch) -> None:
    """What looptx says that it did is not what it did."""
    made = next(x for x in map(graph, range(99)) if any(amounts(x.text()).values()))
    monkeypatch.setattr(judge, "written_out", lambda *_: made.bare().text())
    assert judge.verdict(made).kind == "plain directives are something else"


def test_the_judge_sees_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the nests between others each has to be named."""
    made = next(x for x in map(graph, range(99)) if len(fates(x.text())) > 3)
    chosen, told = found(made.text())
    monkeypatch.setattr(judge, "found", lambda _: (chosen, [told[0], told[-1]]))
    assert judge.verdict(made).kind == "says nothing of a nest"
