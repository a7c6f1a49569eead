"""The faults that the fuzzer must find: each still fits, and one is found."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from fuzz import mutate
from fuzz.faults import FAULTS
from fuzz.faults.fault import Fault
from fuzz.mutate import Hunt, hunt, outcome
from fuzz.run import TIERS
from fuzz.tiers.tally import Failure, Tally

PACKAGE = Path(__file__).parents[2] / "looptx"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda one: one.name)
def test_a_fault_fits_once(fault: Fault) -> None:
    path, text = fault.changed(PACKAGE)
    old = ast.parse(path.read_text("utf-8"))
    assert ast.dump(ast.parse(text)) != ast.dump(old)


def test_a_fault_that_fits_no_more_is_told(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def f(a):\n    return a + 1, a + 2, a\n")

    def fault(old: str, new: str, owner: str = "f") -> Fault:
        return Fault("stale", "m", owner, old, new, "")

    assert "return (a + 1, a, a)" in fault("A + 2", "A").changed(tmp_path)[1]
    for one, count in ((fault("A + 3", "A"), 0), (fault("A + B", "A"), 2)):
        with pytest.raises(ValueError, match=f"stale: .* fits {count} times in f of m"):
            one.changed(tmp_path)
    with pytest.raises(ValueError, match="fits 0 times in g of m"):
        fault("A + 2", "A", "g").changed(tmp_path)
    with pytest.raises(ValueError, match="the module has no b"):
        fault("A + 2", "b").changed(tmp_path)


def test_faults_are_told_apart() -> None:
    assert len(FAULTS) >= 110
    assert len({one.name for one in FAULTS}) == len(FAULTS)
    changes = {(one.owner, one.old, one.new) for one in FAULTS}
    assert len(changes) == len(FAULTS)
    assert {one.tier for one in FAULTS} == set(TIERS) - {"cost"}
    assert all(one.what for one in FAULTS)


def test_the_fuzzer_finds_a_fault_and_only_that() -> None:
    fault = next(one for one in FAULTS if one.name == "floor-read-as-ceiling")
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

    def hunted(tier: str, cases: int, fault: Fault | None = None) -> Hunt:
        if fault is None:
            tried.append((tier, cases))
            return Hunt(cases, wrong, 0.0, "")
        place = FAULTS.index(fault)
        return Hunt(place, "died", 0.0, "") if place % 5 else Hunt(cases, "", 0.0, "")

    monkeypatch.setattr(mutate, "hunt", hunted)
    assert mutate.main(["--tier", "native", "--cases", "900"]) == 1
    places = [at for at, one in enumerate(FAULTS) if one.tier == "native" and at % 5]
    assert tried == [("native", max(places))]
