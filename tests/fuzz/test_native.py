"""The native tier of the fuzzer: a share of its cases, and faults that it must find.

``make fuzz TIER=native N=3000`` runs more.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from kit.samples import some

from fuzz.generate.buffers import temporary
from fuzz.generate.program import SCHEDULES
from fuzz.generate.sums import reduction
from fuzz.native import batch as native_batch
from fuzz.native import tier as native
from fuzz.native.batch import Outcome
from fuzz.native.calls import Call, Probe, calls
from fuzz.native.case import Case, case
from fuzz.native.fallbacks import runs
from fuzz.native.judge import Wrong
from fuzz.native.program import drawn
from fuzz.programs.model import Array, Assign, For, Function, Local, Program
from fuzz.programs.terms import ONE, Cell, Expr, Name, Num, Op
from fuzz.tiers.tally import Tally
from fuzz.values.left import Left, left
from fuzz.values.memory import LAYOUTS, TURNS, Given, Memory
from fuzz.values.numbers import numbers
from looptx.errors import LooptxError

CASES, SAMPLE = some(24), 16
BATCHES = 2
"""The first cases of so many batches. Single functions that run as Python by right have
a third of the runs of some batch: only all together have a share."""


@pytest.mark.long
@pytest.mark.usefixtures("optimised")
def test_cases() -> None:
    tally = Tally()
    for batch in range(BATCHES):
        tally.add(native.part((batch * native.BATCH, CASES // BATCHES)))
    assert not tally.failures, "\n".join(map(str, tally.failures))
    assert tally.cases == CASES // BATCHES * BATCHES
    done, others = runs(tally)
    assert done >= 0.4 * (done + others), tally.table()


@pytest.mark.long
def test_most_programs_are_compiled() -> None:
    """Counted over more than the cases: these alone are too few to have a share."""
    seeds = [part * native.BATCH + at for part in range(4) for at in range(SAMPLE // 4)]
    compiled = sum(not native.accepted(seed)[-1] for seed in seeds)
    assert len(seeds) == SAMPLE and compiled >= 0.7 * SAMPLE


# The tier fails when it should


def copy(value: Expr, *directives: str, last: bool = True) -> Program:
    """A function that fills ``A`` and, at will, returns what it reads last."""
    read = Cell("B", (Name("j"), Name("i")))
    body = (
        Assign(Cell("A", (Name("i"), Name("j"))), "=", Op("*", read, value)),
        Assign(Name("s"), "=", read),
    )
    inner = For("j", ONE, Name("m"), 1, body if last else body[:1])
    outer = For("i", ONE, Name("n"), 1, (inner,), directives)
    arrays = (Array("A", 2, "float64"), Array("B", 2, "float64"))
    whole = Function("f0", arrays, (outer,))
    if last:
        whole = replace(whole, starts=(("s", 0),), returns=("s",))
    return Program((whole,), tagged=False)


COPY = copy(Num(2), "split i 3")
TURNED = copy(Num(2), "reorder j i", last=False)

FAULTS = {
    "none": ("", "", ""),
    "a cell left": ("in range(1, m):", "in range(1, m - 1):", "A[1, "),
    "guard band": ("s_out[0] = s", "s_out[0] = s; A[-1] = 1", "byte "),
    "value": ("* 2.0", "* 2.5", "A[1, "),
    "result": (
        "s = B[j * B_0 + ii]",
        "s = B[j * B_0 + ii] + 1",
        "it gives [('float64', ",
    ),
    "type": ("lx_made_f64(lx_type_f64, s_out)", "s_out", "it gives [('float', "),
    "overlap": ("if lx_meet(B_box, A_box):", "if False:", "A["),
    "wild write": ("A[ii * A_0 + j] =", "A[(ii << 34) + j] =", "exit status -11"),
    "no Cython": ("with nogil:", "with nothing:", "Cython refused"),
}
"""What is changed in the Cython text, and what is reported."""


def overlapping() -> Case:
    """A call with arrays of which one lies a row behind the other."""
    cases = (case(TURNED, seed) for seed in itertools.count())
    made = next(one for one in cases if "[::1, :]" not in str(one.functions))
    one = Given("A", "float64", (8, 8), seed="1")
    two = Given("B", "float64", (8, 8), of="A", behind=8)
    call = Call(0, (one, two), (("n", 7), ("m", 7)), (1,), 0xA5, True)
    return replace(made, calls=(call,))


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    """What becomes of a function with each fault, all in one module but the last."""
    cases: list[Case] = []
    for number, (name, (right, wrong, _)) in enumerate(FAULTS.items()):
        made = overlapping() if name == "overlap" else case(COPY, 0)
        made = made.numbered(number)
        for function, one in made.functions.items():
            assert right in one.text, one.text
            text = one.text.replace(right, wrong)
            made.functions[function] = replace(one, text=text)
        cases.append(made)
    found = native_batch.run(cases[:-1])
    found.add(native_batch.run(cases[-1:]))
    return found


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(name: str, outcome: Outcome) -> None:
    number = list(FAULTS).index(name)
    expected = FAULTS[name][2]
    found = outcome.wrong.get(number)
    assert (found is not None) == bool(expected)
    assert found is None or expected in found.detail


def test_a_failure_is_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(cases: list[Case], flags: Sequence[str]) -> Outcome:
        wrong = {one.seed: Wrong("w", 3, "") for one in cases if "* 2" in one.text}
        return Outcome(wrong=wrong)

    monkeypatch.setattr(native, "run", run)
    monkeypatch.setattr(native, "GROUP", 3)
    sum_ = Op("+", Op("*", Cell("B", (ONE, ONE)), Num(2)), Name("i"))
    made, _ = native.smallest(
        copy(sum_, "split i 3", "unroll j 2"), 0, Wrong("w", 3, "")
    )
    assert "* 2" in made.text()
    assert "unroll" not in made.text()
    assert len(made.text()) < len(COPY.text())


def test_what_is_not_defined_is_not_compared() -> None:
    read = Assign(Cell("A", (Name("i"),)), "=", Cell("T", (Name("i"),)))
    loop = For("i", Num(0), Name("n"), 1, (read,), ("split i 2",))
    local = Local("T", (Name("n"),), "empty")
    whole = Function("f0", (Array("A", 1, "float64"),), (loop,), (local,))
    found = native_batch.run([case(Program((whole,), tagged=False), 0)])
    assert not found.wrong
    assert found.counts["calls: undefined"] > 5


# Arguments


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float64", "complex128", "uint8", "bool"])
@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 3, 4), (0, 3), (1, 1)])
def test_arrays_lie_as_they_are_to(
    layout: str, dtype: str, shape: tuple[int, ...]
) -> None:
    memory = Memory((Given("A", dtype, shape, layout, seed="1"),), 0xA5)
    made = memory.arrays["A"]
    assert (made.dtype, made.shape) == (np.dtype(dtype), shape)
    assert np.array_equal(made, numbers(dtype, shape, "plain", "1"))
    if made.size > 1 and made.itemsize > 1 and min(shape) > 1:
        flags = made.flags
        assert flags.aligned == (layout != "unaligned")
        if layout != "unaligned" and len(shape) > 1:
            assert flags.c_contiguous == (layout == "C")
            assert flags.f_contiguous == (layout == "F")
    other = Memory((Given("A", dtype, shape, layout, seed="1"),), 0xA5)
    assert memory.left() == other.left()
    assert memory.difference(other) == ""


@pytest.mark.parametrize("how", TURNS)
def test_arrays_share_a_buffer(how: str) -> None:
    given = Given("A", "int64", (6, 2)), Given("B", "int64", (6, 2), of="A", how=how)
    memory = Memory(given, 0xA5)
    one, two = memory.arrays.values()
    assert (one.shape, two.shape) == ((6, 2), (6, 2))
    assert len(memory.buffers) == 1
    assert (one is two) == (how == "itself")
    assert np.shares_memory(one, two) == (how != "in turn with")


@pytest.mark.parametrize("behind", [-13, -2, 0, 1, 11, 12])
@pytest.mark.parametrize("layout", ["C", "F", "turned, backwards", "unaligned"])
@pytest.mark.parametrize("shape", [(6, 2), (3,), (0,)])
def test_an_array_begins_behind_another_one(
    behind: int, layout: str, shape: tuple[int, ...]
) -> None:
    one = Given("A", "int64", (6, 2), layout, seed="1")
    two = Given("B", "int64", shape, layout, seed="2", of="A", behind=behind)
    apart = [Memory((replace(each, of="", behind=0),), 0xA5) for each in (one, two)]
    memory = Memory((one, two), 0xA5)
    (buffer,) = memory.buffers
    named = list(zip("AB", (0, behind), apart, strict=True))
    first = min(0, behind) * 8
    last = max(len(each.buffers[0]) + 8 * at for _, at, each in named)
    assert len(buffer) == last - first
    for name, at, each in named:
        place = memory.arrays[name].ctypes.data - buffer.ctypes.data
        own = each.arrays[name].ctypes.data - each.buffers[0].ctypes.data
        assert place == own + 8 * at - first
        assert memory.arrays[name].strides == each.arrays[name].strides


def test_the_extents_that_a_function_needs() -> None:
    probe = Probe(Given("A", "int32", (9, 9), seed="1"), 20)
    probe[3, 1] = probe[0, -5] + 1
    probe[2, 2] += 1
    assert probe[3, 1] == probe[0, -5] + 1
    assert probe.least == [4, 5]
    for at in ((20, 0), (0, -21), 3):
        with pytest.raises((IndexError, NotImplementedError)):
            probe[at]
    with pytest.raises(OverflowError):
        probe[0, 0] = 2**40


def test_batches_are_the_same_wherever_a_run_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[tuple[int, int]] = []

    def part(work: tuple[int, int], as_found: bool, **_: object) -> Tally:
        found.append(work)
        return Tally()

    monkeypatch.setattr(native, "part", part)
    native.main_tier(100, 50)
    native.main_tier(1, 64)
    assert found == [(50, 14), (64, 32), (96, 32), (128, 22), (64, 1)]


def test_reductions_run_in_threads_and_lanes() -> None:
    texts = ""
    for seed in range(12):
        with contextlib.suppress(LooptxError):
            texts += str(case(reduction(seed, 0), seed).functions)
    assert all(f"{word}(" in texts for word in ("lx_cut", "lx_prange", "lx_whole"))


def test_temporaries_begin_with_a_number() -> None:
    texts = ""
    for seed in range(20):
        with contextlib.suppress(LooptxError):
            texts += "".join(
                map(str, case(temporary(seed, 0), seed).functions.values())
            )
    assert "T[T_0] = 0" in texts


def outcome_of(text: str, **more: object) -> Left:
    """What the function of a text leaves behind in one array of three numbers."""
    scope: dict[str, object] = {}
    exec(text, scope)
    call = Call(0, (Given("A", "float64", (3,), seed="1"),), (), (1,), 0xA5, True)
    made = scope["f"]
    assert callable(made)
    return left(made, call)


@pytest.mark.parametrize(
    ("one", "two", "difference"),
    [
        ("A[1] = 2", "A[1] = 2.0", ""),
        ("A[1] = float('nan')", "A[1] = -float('nan')", ""),
        ("A[1] = 0.0", "A[1] = -0.0", "A[1] is np.float64(0.0), CPython has"),
        ("return 1", "return 1.0", "it gives [('int', '1')], CPython [('float'"),
        ("return 1", "return True", "it gives"),
        ("A[3] = 1", "A[4] = 1", "it gives [('IndexError', 'index 3 is"),
        ("A[0] = 7; A[3] = 1", "A[3] = 1", "A[0] is np.float64(7.0)"),
        ("A.base[200] = 1", "pass", "byte -"),
    ],
)
def test_outcomes_are_compared_to_the_bit(one: str, two: str, difference: str) -> None:
    found = outcome_of(f"def f(A): {one}").difference(outcome_of(f"def f(A): {two}"))
    assert found.startswith(difference)
    assert bool(found) == bool(difference)


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        ("3", True), ("np.int64(3)", True), ("np.True_", True), ("2.0", True),
        ("-0.0", True), ("np.float64(-4.0)", True), ("2.5", False), ("1e300", False),
        ("np.float32(2.0**30)", False), ("np.float64(2.0**30)", True),
        ("float('nan')", False), ("complex(1, -0.0)", True), ("0.5j", False),
        ("np.complex128(2 + 3j)", True), ("None", True),
    ],
)  # fmt: skip
def test_what_is_exact_in_any_order(value: str, exact: bool) -> None:
    found = Left([], Memory((), 0))
    number = eval(value)
    found.results = [(type(number).__name__, repr(number))]
    assert found.exact() == exact


def test_zeros_of_sums_in_any_order_have_no_sign() -> None:
    for one, two in (
        ("0.0", "-0.0"),
        ("0j", "-0j"),
        ("np.float32(0)", "-np.float32(0)"),
    ):
        both = [Left([], Memory((), 0)) for _ in range(2)]
        for left_behind, value in zip(both, (one, two), strict=True):
            number = eval(value)
            left_behind.results = [(type(number).__name__, repr(number))]
            assert left_behind.exact()
        assert both[0].like(both[1])


def test_forms_that_are_seldom_written_are_drawn() -> None:
    texts, sizes = [], set()
    for seed in range(1600):
        made = drawn(seed, SCHEDULES)
        if made is None:
            continue
        texts.append(made.text())
        if made.functions[0].setting.derived:
            numbers = calls(made, lambda **_: None, seed)
            sizes |= {call.integer for call in numbers}
    assert sum("][" in text for text in texts) >= 16
    assert sum(not text.isascii() for text in texts) >= 24
    assert sum("    n = n - 1\n" in text for text in texts) >= 16
    assert {int, np.int64} <= sizes
