"""The faults that the fuzzer must find: each still fits, and one is found."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from fuzz import mutate
from fuzz.mutate import Hunt, hunt, outcome
from fuzz.mutation import Mutation
from fuzz.mutations import MUTATIONS
from fuzz.run import TIERS
from fuzz.tally import Failure, Tally

PACKAGE = Path(__file__).parents[2] / "looptx"


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda one: one.name)
def test_a_fault_fits_its_module(mutation: Mutation, tmp_path: Path) -> None:
    text = (PACKAGE / mutation.module).read_text("utf-8")
    copy = tmp_path / mutation.module
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(text, "utf-8")
    mutation.apply(tmp_path)
    changed = copy.read_text("utf-8")
    assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(text))


def test_a_fault_whose_text_has_changed_is_told(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("a = 1\n")
    for old, count in (("b = 1", 0), ("", 7)):
        with pytest.raises(ValueError, match=f"stale: .* occurs {count} times in m.py"):
            Mutation("stale", "m.py", old, "", "").apply(tmp_path)


def test_faults_are_told_apart() -> None:
    assert len(MUTATIONS) >= 40
    assert len({one.name for one in MUTATIONS}) == len(MUTATIONS)
    changes = {(one.module, one.old, one.new) for one in MUTATIONS}
    assert len(changes) == len(MUTATIONS)
    assert {one.tier for one in MUTATIONS} == set(TIERS) - {"cost"}
    assert all(one.what for one in MUTATIONS)


def test_the_fuzzer_finds_a_fault_and_only_that() -> None:
    fault = next(one for one in MUTATIONS if one.name == "floor-read-as-ceiling")
    found = hunt("python", 40, fault)
    assert found.kind
    assert not hunt("python", found.cases).kind


def test_an_alarm_over_all_cases_counts_them_all() -> None:
    one = Failure(41, "computes something else", "at n=3", "", "")
    two = Failure(17, "untidy text", "", "", "")
    whole = Failure(None, "accepts too little", "", "", "")
    tally = Tally(300, 200, failures=[one, two, whole])

    def said(*failures: Failure) -> str:
        return "\n".join(f"\n{failure}" for failure in failures) + tally.line()

    assert outcome(said()) == (300, "")
    assert outcome(said(whole)) == (300, "accepts too little")
    assert outcome(said(one, whole)) == (42, "computes something else")
    assert outcome(said(whole, one, two)) == (18, "untidy text")
    assert outcome("\nseed 3: died\n") is None


@pytest.mark.parametrize("wrong", ["", "computes something else"])
def test_looptx_as_it_is_gets_the_cases_that_found_the_faults(
    wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[tuple[str, int]] = []

    def hunted(tier: str, cases: int, mutation: Mutation | None = None) -> Hunt:
        if mutation is None:
            tried.append((tier, cases))
            return Hunt(cases, wrong, 0.0, "")
        place = MUTATIONS.index(mutation)
        return Hunt(place, "died", 0.0, "") if place % 5 else Hunt(cases, "", 0.0, "")

    monkeypatch.setattr(mutate, "hunt", hunted)
    assert mutate.main(["--tier", "native", "--cases", "900"]) == 1
    places = [at for at, one in enumerate(MUTATIONS) if one.tier == "native" and at % 5]
    assert tried == [("native", max(places))]
