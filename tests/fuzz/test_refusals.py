"""What the fuzzer makes of refusals, of trust and of marks: planted faults are seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fuzz.generate.program import program
from fuzz.oracles import freedom, refusals, temporaries, unknowns
from fuzz.programs.known import COLUMN, COPY, CORNER, HERE, ROW, WAVE, around, nest
from fuzz.programs.model import Assign, For, Function, If, Local, Program
from fuzz.programs.reading import program as read
from fuzz.programs.terms import ONE, ZERO, Cell, Name, Num, Op, add
from fuzz.tiers import case
from fuzz.tiers.case import Answer, Verdict, examine, transformed
from fuzz.tiers.tally import ARRAY_ONLY, ORDER_ONLY, REFUSED_LEGAL, UNSEEN, Tally

ROWS = "A[1, 1] at (i=1, j=0)\nare different iterations of i and"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("LX201", "at n=3, m=3: write A[1, 1]"),
        ("LX202", f"at n=3, m=3: write {ROWS}"),
        ("LX203", "a subscript of A is not affine\nat n=3, m=3: write A[1, 1]"),
        ("LX203", f"a collapsed loop counts\nat n=3, m=3: write {ROWS}"),
        ("LX204", "the analysis exceeded its budget"),
        ("LX206", "line 7, `q = A[0, 1]`, stands between them"),
        ("LX207", "what `T` holds: it may be used outside of its size"),
    ],
)
def test_no_refusal_is_believed(
    monkeypatch: pytest.MonkeyPatch, code: str, message: str
) -> None:
    def refusing(text: str) -> Answer:
        return transformed(text) if "trust " in text else Answer("", code, message)

    for one in (COPY, replace(COPY, tagged=False)):
        assert examine(one, 0).kind == ""
        with monkeypatch.context() as patched:
            patched.setattr(case, "transformed", refusing)
            assert examine(one, 0).kind == REFUSED_LEGAL


def test_integers_may_be_summed_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    total = nest(CORNER, Cell("B", (ROW, COLUMN)), "reorder j i", op="+=")
    arrays = tuple(replace(one, dtype="int64") for one in total.functions[0].arrays)
    function = replace(total.functions[0], arrays=arrays, annotated=True)
    exact = Program((function,))
    assert examine(total, 0).notes == ("LX201 confirmed",)
    assert examine(exact, 0) == Verdict("")
    monkeypatch.setattr("looptx.poly.analysis.relaxed", lambda *_: False)
    monkeypatch.setattr("looptx.poly.dependences.legality.relaxed", lambda *_: False)
    assert examine(exact, 0).kind == REFUSED_LEGAL


def test_scalars_have_cells_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    given = Assign(Name("t"), "=", Cell("B", (ROW, COLUMN)))
    inside = (given, Assign(HERE, "=", Name("t")))
    private, carried = (
        Program(
            (replace(around(body, "reorder j i").functions[0], starts=(("t", 0),)),)
        )
        for body in (inside, inside[::-1])
    )
    assert examine(private, 0) == Verdict("")
    assert examine(carried, 0).notes == ("LX201 confirmed",)
    monkeypatch.setattr("looptx.poly.analysis.dataflows", lambda *_: {})
    assert examine(private, 0).kind == REFUSED_LEGAL


def test_another_order_with_the_same_values_is_counted() -> None:
    last = nest(CORNER, Cell("B", (ROW, COLUMN)), "reorder j i")
    assert examine(last, 0).notes == (f"LX201 confirmed: {ORDER_ONLY}",)
    tally = Tally()
    tally.notes.update(["LX201 confirmed: order only"] * 2)
    tally.seeds["LX201 confirmed: order only"] = {7, 4}
    assert "2 (seeds 4, 7)" in tally.table()


@pytest.mark.parametrize(
    ("written", "why"),
    [
        (Cell("A", (ZERO, ROW)), "conflicts"),
        (Cell("A", (ONE, ROW)), ARRAY_ONLY),
        (Cell("B", (ONE, ROW)), "may overlap"),
    ],
)
def test_a_statement_between_nests_may_have_to_stay(written: Cell, why: str) -> None:
    sets = For("i", ZERO, Name("n"), 1, (Assign(written, "=", ONE),), ("fuse n0 n1",))
    uses = Assign(Cell("B", (ZERO, ROW)), "=", Name("q"))
    between = Assign(Name("q"), "=", Cell("A", (ZERO, ZERO)))
    body = (sets, between, For("i", ZERO, Name("n"), 1, (uses,)))
    arrays = COPY.functions[0].arrays
    one = Program((Function("f0", arrays, body, starts=(("q", 0),)),), tagged=False)
    assert examine(one, 0).notes == (f"LX206 confirmed: {why}",)


def test_a_temporary_may_be_too_small() -> None:
    for extent, notes in ((0, ("LX207 confirmed: outside",)), (2, ())):
        handed = (
            Assign(Cell("T", (add(ROW, 1),)), "=", Cell("B", (ROW, ROW))),
            Assign(HERE, "=", Cell("T", (add(ROW, 1),))),
        )
        one = around(handed, "temp T").functions[0]
        local = Local("T", (add(Name("n"), extent),), "zeros")
        verdict = examine(Program((replace(one, locals=(local,)),)), 0)
        assert (verdict.kind, verdict.notes) == ("", notes)


OFTEN = """
def min(*_):
    raise NotImplementedError


max = min


def f0(B, D, n, m):
    t = 0
    # looptx: trust order
    # looptx: split i 3
    # looptx: split i 2
    # looptx: tile i=3 iii=1
    # looptx: reorder iiiii i iii iiii
    for i in range(n):
        if i < 1 or n > 2:
            t = i * 2
            B[i, i] = t + D[m - i, i, -1]
            B[i + 1, i - i + 9] = B[i + 1, i - i + 9] + D[i + 1, 1, i]
    return t, i
"""


def test_what_is_trusted_is_judged_by_its_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    copy = nest(HERE, Cell("B", (COLUMN, ROW)), "trust order", "split i 3")
    sweep = nest(HERE, WAVE, "trust independent A", "reorder j i")
    assert examine(copy, 0).notes == ("trusted: same values",)
    assert examine(sweep, 0).notes == ("trusted: another order",)

    trusting = replace(read(OFTEN, "int32"), tagged=True)
    assert examine(trusting, 0).notes == ("trusted: another order",)

    def wrong(text: str) -> Answer:
        return Answer(transformed(text).text.replace("B[j, ii]", "B[j, i]"))

    def refusing(text: str) -> Answer:
        return Answer("", "LX201", "") if "trust " in text else transformed(text)

    monkeypatch.setattr(case, "transformed", wrong)
    assert examine(copy, 0).kind == "computes something else"
    monkeypatch.setattr(case, "transformed", refusing)
    assert examine(copy, 0).kind == REFUSED_LEGAL


@pytest.mark.parametrize("tagged", [True, False])
def test_marks_of_fused_nests_are_looked_at(
    monkeypatch: pytest.MonkeyPatch, tagged: bool
) -> None:
    def one(array: str, row: int, *directives: str) -> For:
        value = Cell("A", (add(ROW, row), ZERO))
        copied = Assign(Cell(array, (ROW, ZERO)), "=", value)
        return For("i", ONE, Name("n"), 1, (copied,), directives)

    body = (one("A", -1, "fuse n0 n1", "parallel i"), one("B", 0))
    carries = Program((Function("f0", COPY.functions[0].arrays, body),), tagged)
    assert examine(carries, 0).code == "LX202"
    monkeypatch.setattr("looptx.poly.analysis.Analysis.race", lambda *_: None)
    assert examine(carries, 0).kind == "accepts an illegal schedule"


def test_a_mark_on_a_loop_that_is_gone_is_counted() -> None:
    loop = COPY.functions[0].body[0]
    assert isinstance(loop, For)
    few = replace(loop, start=ZERO, stop=Num(4), directives=("parallel i", "split i 5"))
    gone = Program((replace(COPY.functions[0], body=(few,)),))
    assert examine(gone, 0).notes == (UNSEEN,)


@pytest.mark.parametrize(
    ("seed", "note"),
    [
        (12103707, "LX207 confirmed: outside"),
        (12106708, "LX201 confirmed"),
        (12401770, "LX203 confirmed: may be no integer"),
    ],
    ids=[
        "sizes far apart",
        "sizes of an array",
        "a condition on what may be a float",
    ],
)
def test_why_a_refusal_is_needed_is_seen(seed: int, note: str) -> None:
    verdict = examine(program(seed), seed)
    assert (verdict.kind, verdict.notes) == ("", (note,))


NEGATIVE = """
def f0(A: "int64[:, :]", C: "int64[:, :]", x: "int64[:]", n: int, m: int):
    T = np.ones((n + 1, m + 4))
    # looptx: temp T
    for i in range(3):
        x[i] = T[i, i] + A[i, 9 - i]
    # looptx: nest p1
    # looptx: unroll j 2
    # looptx: split j 5
    for j in range(3):
        C[m, j + 1] = C[m, j + 1] * n
"""

BETWEEN = """
def f0(y, n, m):
    T = np.empty((n + 1, m + 2))
    # looptx: assume n % 2 == 0 | reorder i k | split k 4 1 | vectorize kkk | temp T
    for k in range(0, m, 2):
        if k < 1 or n > 2:
            # remark 1
            for i in range(m):
                T[k, i] = i - y[i]
                y[k + 1] = T[k, i] + n
"""

BY_DATA = """
def min(*_):
    raise NotImplementedError


max = min


def f0(A, B, C, x, D, idx, n, m):
    T = np.zeros((n + 9, n + 9))
    # looptx: nest p0
    # looptx: parallel i threads=2
    # looptx: split i 2
    # looptx: temp T
    for i in range(1, n, 3):
        if B[i, n - 1 - i] < 2:
            for j in range(2, 3 + 1):
                A[i, j] = A[i, j] - D[(j + 1) % 4 // 2, i, j + 2]
                if i < 1 or j > 2:
                    x[j] = C[i, j]
                else:
                    T[i + 1, j] = 2
                    A[j, i] = T[i, j] + 2
        A[idx[i], 1] = A[idx[i], 1]
"""

READ_LATER = """
def f0(A, B, C, y, n, m):
    n, m = A.shape
    s = 0
    # looptx: reorder j i
    for i in range(n):
        s = 0
        for j in range(4):
            s = max(s, n - C[i, j])
        y[i] = s
    # looptx: parallel l
    # looptx: pad j 1
    for l in range(4):
        for i in range(2, m + 1):
            for j in range(3 - 1, l - 1, -1):
                if l < 1 or i > 2:
                    B[l, i] = B[2 * i, 9 - i]
                    s = max(s, A[l, i])
"""

AT_ONCE = """
def f0(A, C, D, n, m):
    # looptx: parallel i
    for i in range(n):
        if i % 2 == 1:
            for j in range(4):
                A[i, j] = A[i - 1, j - 1] + n  # remark 1
                C[(j + 1) % 4 // 2, 2 * i] = C[(j + 1) % 4 // 2, 2 * i - 1] + 2
        else:
            A[i + 1, i + 1] = D[m, n - 1 - i, i + 1]
"""


@pytest.mark.parametrize(
    ("text", "dtype", "tagged", "note"),
    [
        (NEGATIVE, "int64", True, "LX207 confirmed: outside"),
        (BETWEEN, "float64", False, "LX207 confirmed: outside"),
        (BY_DATA, "int32", True, "LX207 confirmed: depends on data"),
        (READ_LATER, "int32", False, "LX201 confirmed"),
        (AT_ONCE, "float32", True, "LX202 unjudged: iterations are written as one"),
    ],
    ids=[
        "a negative size",
        "sizes neither small nor equal",
        "a loop under a condition on data",
        "a scalar that only runs that raise read later",
        "two iterations in one",
    ],
)
def test_why_a_text_is_refused_is_seen(
    text: str, dtype: str, tagged: bool, note: str
) -> None:
    verdict = examine(replace(read(text, dtype), tagged=tagged), 0)
    assert (verdict.kind, verdict.notes) == ("", (note,))


ENDS = """
def f0(A, B, C, D, n, m):
    n, m = A.shape
    T = np.zeros((n, m + 2))
    # looptx: temp T
    for i in range(4 - 1, -1, -1):
        T[i + 1, i] = D[i, i + i, i + 1] + n
        B[i - 1, i] = T[i, i] + C[m, m]
    # looptx: vectorize i
    for i in range(3):
        if i > 0 and n < 3:
            A[i, m - i] = D[i + 1, i + 1, i + i]
        A[i - 1, 0] = A[i - 1, 0 - 1] - A[i, i + 1]
    # looptx: parallel i schedule=dynamic
    for i in range(n):
        for j in range(n):
            A[i, j] = C[j - j + 9, i + 1] + A[j, j - 1] + A[i + 1, 1]
"""


def test_a_run_that_ends_in_a_nest_behind_confirms_nothing() -> None:
    made = replace(read(ENDS, "float64"), tagged=True)
    assert examine(made, 0).notes == ("LX207 unjudged: raises in some nest",)


@pytest.mark.parametrize("seed", [12403712, 931869], ids=["they", "and their parts"])
def test_integers_of_before_the_nest_are_integers(seed: int) -> None:
    assert examine(program(seed), seed).kind == ""


@pytest.mark.parametrize(("start", "free"), [(0, True), (0.5, False)])
def test_a_scalar_that_no_statement_sets_is_what_it_starts_as(
    start: float, free: bool
) -> None:
    sums = Assign(HERE, "+=", add(Name("s"), 1))
    body = (For("i", ZERO, Name("n"), 1, (For("j", ZERO, Name("n"), 1, (sums,)),)),)
    arrays = (replace(COPY.functions[0].arrays[0], name="A", dtype="int32"),)
    function = Function("f0", arrays, body, starts=(("s", start),), annotated=True)
    assert bool(freedom.loose(function).reduced) is free


def test_buffers_of_what_is_not_named_are_in_order() -> None:
    assert examine(program(171046), 171046).kind == ""


def test_conditions_elsewhere_confirm_nothing() -> None:
    """Neither on data, of a temporary, nor on what may be a float, of another array."""
    by_data = If(Op(">", Cell("A", (ZERO, ZERO)), ZERO), (Assign(HERE, "=", ONE),))
    untyped = If(Op("<", Name("m"), Num(3)), (Assign(HERE, "=", ONE),))
    here = Cell("T", (ROW,))
    for branch, note, message in (
        (
            by_data,
            temporaries.unclear,
            "what `T` holds: it has a subscript that is not affine",
        ),
        (untyped, unknowns.approximate, "whether T is used depends on data"),
    ):
        body = (Assign(here, "=", ONE), Assign(HERE, "=", here))
        one = For("i", ZERO, Name("n"), 1, (For("j", ZERO, Name("n"), 1, body),))
        two = For("i", ZERO, Name("n"), 1, (For("j", ZERO, Name("n"), 1, (branch,)),))
        local = Local("T", (Name("n"),), "zeros")
        function = replace(COPY.functions[0], body=(one, two), locals=(local,))
        assert note(Program((function,)), message).needed is False


def test_sizes_that_are_not_assumed_need_no_refusal() -> None:
    text = """
def f0(A, n, m):
    # looptx: assume n <= m | parallel i
    for i in range(1, n):
        for j in range(1, m):
            if n > m:
                A[i, j] = A[i - 1, j] + 1
"""
    message = "at n=4, m=2: write A[1, 1]\nare different iterations of i and"
    for given, needed in ((text, False), (text.replace("n <= m", "n >= m"), True)):
        made = replace(read(given), tagged=True)
        new = transformed(made.trusting()).text
        assert refusals.refused(made, new, "LX202", message).needed is needed
