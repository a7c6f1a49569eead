"""What the fuzzer puts around nests, and that its judges see what goes wrong there."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from fuzz.generate.program import SCHEDULES, program
from fuzz.generate.surroundings import KINDS, SHARE, surrounded
from fuzz.oracles import dataflow, legality, witnesses
from fuzz.oracles.orders import Runs
from fuzz.programs.known import COPY, HERE, SWEEP, nest
from fuzz.programs.model import Array, For, Function, Odd, Program
from fuzz.programs.setting import ALIASES, PLAIN, Setting, Start
from fuzz.programs.terms import ZERO, Cell, Name
from fuzz.text import imports as text_imports
from fuzz.tiers.case import transformed

NAMES = {one.name for one in fields(Setting)}
FORMS = {"outside", "spelled", "idle"}
"""What only ``forms`` draws."""


def _with(setting: Setting, made: Program = COPY) -> Program:
    return Program((replace(made.functions[0], setting=setting),), made.tagged)


def test_a_share_of_the_programs_has_surroundings() -> None:
    seen: set[str] = set()
    changed = 0
    for seed in range(0, 1200 * SCHEDULES, SCHEDULES):
        made = program(seed)
        around = surrounded(made, seed // SCHEDULES, seed)
        assert around == surrounded(made, seed // SCHEDULES, seed)
        changed += around != made
        for function in around.functions:
            given = function.setting
            seen |= {x for x in NAMES if getattr(given, x)}
        if around != made:
            compile(around.text(), "around", "exec")
            for less in around.smaller():
                compile(less.text(), "less", "exec")
                break
        bare = replace(around, hides=False).bare
        assert not around.hides or not ("min(" in bare or "max(" in bare)
    assert 0.4 * SHARE < 100 * changed / 1200 < SHARE + 4
    assert seen == NAMES - FORMS
    assert len(set(KINDS)) == 8


@pytest.mark.parametrize("where", ["module", "import", "closure", "argument", "local"])
def test_another_meaning_of_a_builtin_is_seen(where: str) -> None:
    made = _with(Setting(shadows=(("min", where),)))
    text = made.bare
    assert dataflow.difference(made, text, 0) == ""
    assert dataflow.difference(made, text.replace("(1, n)", "(1, min(n, n))"), 0)


def test_what_a_handler_reads_is_seen() -> None:
    made = _with(Setting(caught="i"))
    text = made.bare
    assert "return i" in text
    assert dataflow.difference(made, text, 0) == ""
    backwards = text.replace("range(1, n)", "range(n - 1, 0, -1)")
    assert dataflow.difference(made, backwards, 0)
    plain = replace(made, functions=(replace(made.functions[0], setting=PLAIN),))
    assert dataflow.difference(plain, backwards.replace("return i", "pass"), 0) == ""


def test_a_local_that_becomes_a_global_is_seen() -> None:
    made = _with(Setting(namesake="u"))
    dead = made.bare.replace(
        "        for j", "        if i < 0:\n            u = 2\n        for j"
    )
    assert dataflow.difference(made, dead, 0)


@pytest.mark.parametrize(
    ("start", "dtype", "free"),
    [("0", "float64", True), ("0.3", "float64", False), ("", "float64", False),
     ("A[0, 0]", "float64", False), ("A[0, 0]", "int64", True)],
)  # fmt: skip
def test_the_start_of_a_reduction_is_seen(start: str, dtype: str, free: bool) -> None:
    loop = For("i", ZERO, Name("n"), 1, (Odd(("c *= i + 2",), frozenset("ic")),))
    given = Setting(starts=(Start("c", start),))
    arrays = (Array("A", 2, dtype),)
    function = Function("f0", arrays, (loop,), setting=given, annotated=True)
    made = Program((function,), tagged=False)
    backwards = made.bare.replace("range(n)", "range(n - 1, -1, -1)")
    assert (dataflow.difference(made, backwards, 0) == "") is free


def test_integers_of_numpy_are_seen() -> None:
    made = nest(HERE, Name("i"))
    text = made.bare
    assert dataflow.difference(made, text, 0) == ""
    other = text.replace("= i +", "= (i if i + 1 < n else n - 1) +")
    assert other != text
    assert "np.int64" in (dataflow.difference(made, other, 0) or "")


@pytest.mark.parametrize("way", ALIASES)
def test_a_second_name_of_an_array_is_followed(way: str) -> None:
    swept = nest(HERE, Cell("B", (Name("j"), Name("i"))), "reorder j i")
    function = swept.functions[0]
    alias = Setting(alias=("B", "A", way))
    made = Program((replace(function, arrays=function.arrays[:1], setting=alias),))
    assert dataflow.difference(made, made.bare, 0) == ""
    turned = transformed(swept.trusting()).text
    _, _, body = turned.partition("    # looptx")
    assert "for j" in body
    start, _, _ = made.bare.partition("    for i")
    new = start + "    # looptx" + body
    assert dataflow.difference(made, new, 0)
    assert legality.accepted(made, new).why
    assert not legality.accepted(swept, turned).why


MESSAGE = (
    "at n=3, m=3: write A[1, 2] at (i=1, j=2) runs before read A[1, 2] at (i=2, j=1)"
)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("", "", ""),
        ("n=3, m=3", "n=-3, m=3", witnesses.NOT_SO),
        ("n=3, m=3", "n=3, m=3, A.shape[0]=-1", witnesses.IMPOSSIBLE),
        ("A[1, 2] at (i=2", "A[2, 2] at (i=2", witnesses.NOT_SO),
        ("write A[1, 2]", "read A[1, 2]", witnesses.NOT_SO),
        ("n=3, m=3", "n=3, m=3, A.shape[1]=2", witnesses.RAISES),
    ],
)
def test_a_witness_that_cannot_be_is_seen(old: str, new: str, why: str) -> None:
    runs = Runs(transformed(SWEEP.trusting()).text)
    assert witnesses.false(SWEEP, MESSAGE.replace(old, new, 1), runs) == why


def test_a_derived_size_has_only_its_values() -> None:
    given = Setting(derived=(("h", "n // 2", "n // 2"),))
    function = replace(SWEEP.functions[0], setting=given, annotated=True)
    sizes = [(x.n, x.m) for x in witnesses.realised(function, {"h": 2, "m": 1})]
    assert sizes == [(4, 1), (5, 1)]
    assert not [*witnesses.realised(function, {"h": 2, "n": 3})]


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        ("from math import *\npi", "pi", True),
        ("from looptx import kernel\n@kernel\ndef f(): 0", "def f(): 0", False),
        ("from looptx import kernel\n@kernel\ndef f(): 0", "@kernel\ndef f(): 0", True),
        ("from looptx import *\n@kernel\ndef f(): 0", "@kernel\ndef f(): 0", True),
        ("import looptx, os", "import os", False),
        ("import looptx, os", "import looptx", True),
    ],
)
def test_a_lost_import_is_seen(before: str, after: str, lost: bool) -> None:
    assert any(text_imports.lost(before.encode(), after.encode())) is lost
