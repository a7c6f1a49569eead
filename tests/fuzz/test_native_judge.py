"""The native tier of the fuzzer: what looptx raises, and how often it gives up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

import pytest

from fuzz.native import batch as native_batch
from fuzz.native import tier as native
from fuzz.native.case import case
from fuzz.native.fallbacks import UNDESERVED, reason
from fuzz.native.judge import Wrong
from fuzz.programs.model import Array, Assign, For, Function, Odd, Program
from fuzz.programs.terms import ONE, Cell, Name
from fuzz.tiers.tally import Failure, Tally
from fuzz.values.left import FILLINGS, Poisoned
from looptx.errors import BuildFailed, unforeseen
from looptx.native.call.dispatch import GUARD

ARRAYS = Array("A", 2, "float64"), Array("B", 2, "float64")
SET = Assign(Cell("A", (Name("i"), Name("j"))), "=", Cell("B", (Name("i"), Name("j"))))
INNER = For("j", ONE, Name("m"), 1, (SET,))
OUTER = For("i", ONE, Name("n"), 1, (INNER,), ("split i 3",))
COPY = Program((Function("f0", ARRAYS, (OUTER,)),), tagged=False)


# What looptx raises itself


def broken(*_: object, **__: object) -> NoReturn:
    raise KeyError("planted")


def hidden(*_: object, **__: object) -> NoReturn:
    try:
        broken()
    except KeyError as error:
        raise unforeseen(error) from None


def failing(code: str) -> Callable[..., NoReturn]:
    def fails(*_: object, **__: object) -> NoReturn:
        raise BuildFailed(code, "planted")

    return fails


@pytest.mark.parametrize(
    ("where", "raises", "kind"),
    [
        ("looptx.attach.assign", broken, "raises KeyError"),
        ("looptx.plan.plan_nest", broken, "raises KeyError"),
        ("looptx.plan.plan_nest", hidden, "raises KeyError"),
        ("looptx.plan.plan_nest", failing("LX303"), "error LX303"),
        ("looptx.lower.loops.functions.Functions.ends", broken, "raises KeyError"),
        ("looptx.native.analysis.exception_order.nest_code", broken, "raises KeyError"),
        (
            "looptx.native.analysis.exception_order.nest_code",
            failing("LX502"),
            "error LX502",
        ),
        (
            "looptx.native.analysis.exception_order.nest_code",
            failing("LX901"),
            "error LX901",
        ),
        ("looptx.native.call.dispatch.classify_all", broken, "is woven wrongly"),
        ("fuzz.native.batch.module_text", broken, "no module"),
    ],
)
def test_what_looptx_raises_is_a_failure_of_its_case(
    where: str,
    raises: Callable[..., NoReturn],
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(native, "drawn", lambda seed, _: COPY if seed == 4 else None)
    monkeypatch.setattr(where, raises)
    # A batch has decorated functions of its own, which fail, too.
    failures = native.part((3, 2)).failures
    (failure,) = (one for one in failures if "# looptx: split i 3" in one.program)
    assert (failure.seed, failure.kind) == (4, kind)
    assert "planted" in failure.detail
    assert failure.command.endswith("--seed 4 --cases 1")


@pytest.mark.parametrize("code", ["LX201", "LX504"])
def test_refusals_are_none(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "drawn", lambda *_: COPY)
    monkeypatch.setattr(native, "DECORATED", 0)
    monkeypatch.setattr(
        "looptx.native.analysis.exception_order.nest_code", failing(code)
    )
    tally = native.part((0, 1))
    assert not tally.failures
    assert tally.codes == {code: 1}


def test_what_the_function_raises_is_no_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = replace(COPY.functions[0], returns=("s", "nowhere"))
    monkeypatch.setattr(native, "drawn", lambda *_: replace(COPY, functions=(made,)))
    tally = native.part((0, 1))
    assert not tally.failures
    assert tally.notes["native"] > 5


def test_shrinking_keeps_what_looptx_raises(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("looptx.lower.loops.functions.Functions.ends", broken)
    made, wrong = native.smallest(COPY, 0, Wrong("raises KeyError", None, ""))
    assert wrong.kind == "raises KeyError"
    assert len(made.text()) < len(COPY.text())


# Loops as written


def alarmed(notes: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> list[Failure]:
    """The failures of a run whose only batch counts this."""
    seeds = {note: set(range(90, 60, -1)) for note in notes}
    tally = Tally(notes=Counter(notes), seeds=seeds)
    monkeypatch.setattr(native, "part", lambda *_, **__: tally)
    return native.main_tier(1, 0).failures


def test_always_falling_back_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = {f"fallback: reason {number}": 80 for number in range(40)}
    (found,) = alarmed({"native": 2400, **notes}, monkeypatch)
    assert (found.seed, found.kind) == (None, "falls back")
    assert "2400 of 5600" in found.detail


def test_a_reason_too_often_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    usual, odd = "fallback: an index would leave #", "fallback: odd"
    (found,) = alarmed({"native": 4400, usual: 400, odd: 400}, monkeypatch)
    assert (found.seed, found.kind) == (None, "falls back")
    assert "400 of 5200" in found.detail
    assert "odd" in found.detail
    assert "61, 62, 63, 64, 65" in found.detail
    assert "--seed 61 " in found.command


def test_a_few_cases_tell_no_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not alarmed({"native": 10, "fallback: odd": 4000}, monkeypatch)


def test_a_nest_counts_once_in_a_call() -> None:
    lines = "for z in [1] * 50:", "    for i in range(n):", "        A[i, 0] += z"
    again = Odd(lines, frozenset("nA"), frozenset("A"))
    made = Program((Function("f0", ARRAYS[:1], (again,)),), tagged=False)
    outcome = native_batch.run([case(made, 0)])
    assert not outcome.wrong
    assert 0 < outcome.counts["native"] <= outcome.counts["calls"]


@pytest.mark.parametrize("why", UNDESERVED)
def test_a_reason_that_no_case_deserves(why: str) -> None:
    made = case(COPY, 0)
    for name, one in made.functions.items():
        untaken = "return lx_untaken()"
        text = one.text.replace(untaken, "return ''" if why == GUARD else untaken)
        text = text.replace("type(n_) is not int", "type(n_) is int")
        made.functions[name] = replace(one, text=text)
    (wrong,) = native_batch.run([made]).wrong.values()
    assert (wrong.kind, wrong.detail) == ("falls back", why)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("an index would leave A, which needs n > 3", "an index would leave #"),
        (
            "LX504 `s` may be python int64 and bool",
            "# may be type and type",
        ),
    ],
)
def test_reasons_are_told_without_names(text: str, expected: str) -> None:
    assert reason(text) == expected


def test_what_is_empty_is_neither_true_nor_false() -> None:
    found = {bool(Poisoned(byte).empty(1)[0]) for byte in FILLINGS}
    assert found == {False, True}
