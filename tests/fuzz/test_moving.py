"""The tier of what moves work and storage: a share of its cases, and its judge.

``make fuzz TIER=moving N=10000`` runs more.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from kit.samples import some

from fuzz.moving import judge, tier
from fuzz.moving.alike import alike
from fuzz.moving.directives import scheduled
from fuzz.moving.function import Moving, Taken
from fuzz.moving.threads import threads
from fuzz.moving.together import told
from fuzz.tiers.case import transformed
from looptx.model.storage import Buffer

SEEDS = range(60)

BLUR = Moving(
    (Taken("A", 1, "float64"), Taken("T", 1, "float32"), Taken("C", 1, "float64")),
    (),
    (
        "# looptx: nest n0\nfor i in range(n):\n    T[i] = A[i] / 3",
        "# looptx: nest n1\nfor p in range(n):\n    C[p] = T[p] + T[p + 1]",
    ),
    (),
    (),
)


@pytest.mark.long
def test_cases() -> None:
    tally = tier.part((0, some(16)))
    assert not tally.failures, "\n".join(map(str, tally.failures))
    assert tally.accepted >= some(16) // 5


def test_functions_follow_from_their_seeds() -> None:
    made = [scheduled(seed // 4, seed % 4) for seed in SEEDS]
    assert made == [scheduled(seed // 4, seed % 4) for seed in SEEDS]
    text = "\n".join(line for one in made for line in one.directives)
    assert all(f"{verb} " in f"{text}\n".replace("\n", " ") for verb in tier.VERBS)
    for one in made:
        compile(one.text(), "made", "exec")
        for less in one.smaller():
            assert less != one


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("T[p] +", "A[p] / 3 +"),
        ("T[p + 1]", "A[p + 1]"),
        ("range(n):\n        C", "range(n - 1):\n        C"),
        ("C[p] =", "seen(p)\n        C[p] ="),
        ("T[i] =", "12 // (i - 3)\n        T[i] ="),
    ],
)
def test_what_is_different_is_seen(right: str, wrong: str) -> None:
    text = BLUR.text()
    assert right in text
    assert judge.difference(BLUR, text, 0) == ""
    assert judge.difference(BLUR, text.replace(right, wrong), 0)


def test_what_slides_writes_no_more_than_it_did() -> None:
    slides = replace(BLUR, directives=("compute_at n0 n1.p sliding",))
    again = slides.text().replace("T[i] =", "T[i] = A[i]\n        T[i] =")
    assert "cells" in (judge.difference(slides, again, 0) or "")
    assert judge.difference(BLUR, again, 0) == ""
    # A temporary gets its first value for each life.
    filled = slides.text().replace("T[i] =", "T[i] = 0\n        T[i] =")
    assert judge.difference(slides, filled, 0) == ""


def test_a_refusal_of_what_is_legal_is_a_failure() -> None:
    wrong = replace(BLUR, directives=("fuse n0 n1",), legal=True)
    assert judge.verdict(wrong, 0).kind == "refuses a legal schedule"


def test_forms_are_legal_often() -> None:
    for form in (alike, threads):
        made = [form(seed) for seed in range(40)]
        assert made == [form(seed) for seed in range(40)]
        assert sum(one.legal for one in made) >= 3
        for one in made:
            compile(one.text(), "made", "exec")


SHIFTED = Moving(
    (Taken("x", 1, "float64"),),
    (),
    ("for i in range(n):\n    x[i] = x[i + 1]",),
    (),
    (),
)


def test_loops_that_run_together_run_backwards() -> None:
    plain = SHIFTED.text()
    assert judge.difference(SHIFTED, plain, 0) == ""
    for name in ("threads_", "lanes_"):
        found = judge.difference(
            SHIFTED, plain.replace(" in range(", f" in {name}("), 0
        )
        assert "backwards" in (found or "")


@pytest.mark.parametrize(
    ("directive", "name"),
    [("parallel i", "threads_"), ("bind i blockIdx.x", "threads_"),
     ("vectorize i", "lanes_"), ("bind i threadIdx.x", "lanes_"),
     ("unroll i 2", "range")],
)  # fmt: skip
def test_a_text_says_which_loops_run_together(directive: str, name: str) -> None:
    nest = "for i in range(n):\n    y[i] = x[i + 1]"
    arrays = (*SHIFTED.arrays, Taken("y", 1, "float64"))
    made = replace(SHIFTED, arrays=arrays, nests=(nest,), directives=(directive,))
    with told():
        assert f" in {name}(" in transformed(made.text()).text


ROW = replace(
    SHIFTED,
    arrays=(Taken("A", 2, "float64"), Taken("D", 1, "float64")),
    nests=("for i in range(n):\n    for j in range(m):\n        D[i] += A[i, j]",),
)


@pytest.mark.parametrize(
    ("place", "where", "fits"),
    [("at i ", "local", False), ("at j ", "local", True), ("at i ", "global", True),
     ("at i ", "shared", True), ("", "shared", False), ("", "local", False)],
)  # fmt: skip
def test_where_a_buffer_can_be_is_known(
    place: str, where: str, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = f"cache_read A {place}as row"
    made = replace(ROW, directives=("parallel i", cache, f"set_buffer row {where}"))
    assert judge.verdict(made, 0).code == ("" if fits else "LX106")
    assert judge.verdict(made, 0).kind == ""
    monkeypatch.setattr(Buffer, "misplaced", lambda *_: "" if not fits else "it is not")
    wrong = "refuses a place" if fits else "accepts a wrong place"
    assert judge.verdict(made, 0).kind == wrong
