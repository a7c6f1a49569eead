"""The faults that the fuzzer must find: each still fits, and one is found."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from fuzz import mutate
from fuzz.faults import FAULTS, TABLES, read, record
from fuzz.faults.fault import Fault
from fuzz.mutate import Hunt, hunt, outcome
from fuzz.run import TIERS
from fuzz.tiers.tally import Failure, Tally

PACKAGE = Path(__file__).parents[2] / "looptx"


@cache
def _as_it_is(path: Path) -> str:
    """The text of a module as that of a changed one is written."""
    return ast.unparse(ast.parse(path.read_text("utf-8"))) + "\n"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda one: one.name)
def test_a_fault_fits_once(fault: Fault) -> None:
    path, text = fault.changed(PACKAGE)
    ast.parse(text)
    assert text != _as_it_is(path)


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
    assert {one.tier for one in FAULTS} == set(TIERS) - {"cost", "real"}
    assert all(one.what for one in FAULTS)


@pytest.mark.long
def test_the_fuzzer_finds_a_fault_and_only_that() -> None:
    fault = next(one for one in FAULTS if one.name == "floor-read-as-ceiling")
    found = hunt("python", range(40), fault)
    assert found.kind and len(found.seeds) == 1
    assert hunt("python", found.seeds, fault).kind == found.kind
    assert not hunt("python", [*found.seeds, 1]).kind


def test_an_alarm_over_all_cases_has_no_seed() -> None:
    one = Failure(41, "computes something else", "at n=3", "", "")
    two = Failure(17, "untidy text", "", "", "")
    whole = Failure(None, "accepts too little", "", "", "")
    tally = Tally(300, 200, failures=[one, two, whole])

    def said(*failures: Failure) -> str:
        return "\n".join(f"\n{failure}" for failure in failures) + tally.line()

    assert outcome(said()) == (None, "")
    assert outcome(said(whole)) == (None, "accepts too little")
    assert outcome(said(one, whole)) == (41, "computes something else")
    assert outcome(said(whole, one, two)) == (17, "untidy text")
    assert outcome("\nseed 3: died\n") is None


def native_faults(count: int) -> list[Fault]:
    """So many faults that nothing found yet."""
    native = [replace(one, found=range(0)) for one in FAULTS if one.tier == "native"]
    return native[:count]


@pytest.mark.parametrize("wrong", ["", "computes something else"])
def test_looptx_as_it_is_gets_the_cases_that_found_the_faults(
    wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = native_faults(7)
    tried: list[tuple[str, Sequence[int]]] = []

    def hunted(tier: str, seeds: Sequence[int], fault: Fault | None = None) -> Hunt:
        if fault is None:
            tried.append((tier, seeds))
            return Hunt(range(9), wrong, 0.0, "")
        assert seeds == range(900)
        place = faults.index(fault)
        found = range(place, place + 1) if place else range(300)
        return Hunt(found, "died" if place % 5 < 4 else "", 0.0, "")

    monkeypatch.setattr(mutate, "FAULTS", faults)
    monkeypatch.setattr(mutate, "hunt", hunted)
    assert mutate.main(["--tier", "native", "--cases", "900"]) == 1
    assert tried[0] == ("native", [1, 2, 3, 5, 6])
    assert tried[1:] == ([] if wrong else [("native", range(300))])


def test_what_found_a_fault_last_is_tried_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    native = native_faults(4)
    faults = [native[0], *(replace(one, found=range(7, 8)) for one in native[1:])]
    tried: dict[str, list[Sequence[int]]] = {one.name: [] for one in faults}
    written: dict[str, range] = {}

    def hunted(tier: str, seeds: Sequence[int], fault: Fault | None = None) -> Hunt:
        if fault is None:
            return Hunt(range(9), "", 0.0, "")
        tried[fault.name].append(seeds)
        # The second is found where it was, the third elsewhere, the last nowhere.
        place = faults.index(fault)
        kind = "died" if place < 3 and (place != 2 or len(seeds) > 1) else ""
        return Hunt(range(7, 8) if place == 1 else range(20, 21), kind, 0.0, "")

    monkeypatch.setattr(mutate, "FAULTS", faults)
    monkeypatch.setattr(mutate, "hunt", hunted)
    monkeypatch.setattr(
        mutate, "record", lambda fault, seeds: written.update({fault.name: seeds})
    )
    assert mutate.main(["--cases", "90", "--record"]) == 1
    hunts = [[range(90)], [range(7, 8)], *2 * [[range(7, 8), range(90)]]]
    assert list(tried.values()) == hunts
    assert written == {faults[0].name: range(20, 21), faults[2].name: range(20, 21)}


def test_what_found_a_fault_is_written_beside_it(tmp_path: Path) -> None:
    own = tmp_path / "text.txt"
    shutil.copy(TABLES / "text.txt", own)
    one, two = [fault for fault in FAULTS if fault.tier == "text"][:2]
    for fault, seeds in ((one, range(3, 4)), (two, range(300)), (one, range(17, 18))):
        record(fault, seeds, tmp_path)
    found = {fault.name: fault for fault in read(own)}
    assert found[one.name] == replace(one, found=range(17, 18))
    assert found[two.name] == replace(two, found=range(300))
    assert own.read_text().count("found by") >= 2
