"""The entries of native nests: what they refuse, what they leave to Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kit.printing import Case, build, check, planned, text_of, type_of

from looptx.emit.cython import Section, joined, module_text, nest_function
from looptx.errors import LooptxError
from looptx.looptree.nodes import Call, For
from looptx.looptree.planned import Final
from looptx.lower.nest import Typed
from looptx.model.execution.marks import Marks, Parallel
from looptx.model.expr import And, Compare, Const, Var, add
from looptx.model.storage import Buffer
from looptx.model.types import ArrayType, ScalarType

N = Var("n")
COPY = """
for i in range(n):
    B[i] = A[i] * h
"""


def vectors() -> dict[str, Any]:
    return {"n": 5, "h": 2.0, "A": np.arange(5.0), "B": np.zeros(5)}


def strided() -> dict[str, Any]:
    return vectors() | {"A": np.arange(10.0)[::2], "B": np.zeros(10)[::2]}


FITS = And(tuple(Compare("<=", N, Var(f"{a}.shape[0]")) for a in "AB"))
SUM = "\nfor i in range(n):\n    s += A[i]\n"
LAST = "\nfor i in range(n):\n    t = A[i] * 2\n"
SCAN = """
for i in range(n):
    t = A[i] * h
    B[i] = t + 1
"""


HELD = Buffer(
    name="t",
    extents=(N,),
    whole=True,
    private=False,
    shared=False,
    allocation=None,
    places={("S0", ()): ("t@0",), ("S1", ()): ("t@0",)},
)


def distributed(body: Any) -> Any:
    """Two loops, one per statement."""
    (loop,) = body
    first, second = loop.body
    first = Call(first.statement, {"i": Var("i"), "t@0": Var("i")})
    renamed = Call(second.statement, {"i": Var("k"), "t@0": Var("k")})
    return (
        For("i", Const(0), N, 1, (first,)),
        For("k", Const(0), N, 1, (renamed,)),
    )


CASES = {
    "copy": Case("copy", COPY, vectors, in_bounds=FITS),
    "loose": Case("loose", COPY, strided, in_bounds=FITS),
    "aliased": Case(
        "aliased", COPY, vectors, nest={"aliases": frozenset((frozenset("AB"),))}
    ),
    "assumed": Case(
        "assumed",
        COPY,
        vectors,
        planned={"assumes": (Compare("==", N, Const(5)),)},
    ),
    "total": Case(
        "total",
        SUM,
        lambda: {"n": 7, "A": np.linspace(0, 1, 7, dtype="f4"), "s": 0.5},
        live_out=("s",),
    ),
    "last": Case("last", LAST, lambda: {"n": 3, "A": np.arange(3.0)}, live_out=("t",)),
    "final": Case(
        "final",
        COPY,
        vectors,
        live_out=("i",),
        finals=(Final("i", ((Compare(">", N, Const(0)), add(N, Const(-1))),)),),
    ),
    "expanded": Case(
        "expanded",
        SCAN,
        vectors,
        body=distributed,
        planned={"buffers": (HELD,)},
    ),
    "computed": Case(
        "computed",
        "\nfor i in range(size):\n    B[i] = A[i]\n".replace("size", "n * m // 2"),
        lambda: {"n": 3, "m": 3, "A": np.arange(5.0), "B": np.zeros(5)},
        parameters=("n * m // 2",),
    ),
    "blocks": Case(
        "blocks",
        SUM,
        lambda: {"n": 999, "A": np.random.default_rng(3).random(999), "s": 0.0},
        live_out=("s",),
        marks={"i": Marks(parallel=Parallel("dynamic"))},
        reductions={"i": (("s", "+"),)},
    ),
}


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    texts = [text_of(case, name) for name, case in CASES.items()]
    return build(texts, tmp_path_factory.mktemp("guards"), "emit_guards")


@pytest.mark.parametrize("name", ["copy", "loose", "final", "expanded", "computed"])
def test_results(name: str, module: Any) -> None:
    check(CASES[name], getattr(module, name))


@pytest.mark.parametrize(
    "change",
    [
        {"A": np.arange(5, dtype="f4")},
        {"A": [1.0] * 5},
        {"A": None},
        {"A": np.ma.masked_array(np.arange(5.0))},
        {"A": np.arange(5.0).astype(">f8")},
        {"A": np.zeros((5, 5))},
        {"A": np.arange(10.0)[::2]},
        {"h": 2},
        {"h": np.float64(2)},
        {"n": True},
        {"n": np.int64(5)},
        {"n": 5.0},
    ],
    ids=lambda change: str(type(next(iter(change.values()))).__name__),
)
def test_other_types_are_not_implemented(change: dict[str, Any], module: Any) -> None:
    assert module.copy(*(vectors() | change).values(), 1) is NotImplemented


def misaligned() -> Any:
    return np.zeros(41, "u1")[1:].view("f8")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"A": misaligned()}, "A is not aligned"),
        ({"n": 6}, "an index would leave A, which needs n <= A.shape[0]"),
        ({"n": 2**41}, "n is beyond"),
        ({"n": 2**80}, "n has no value that fits in 64 bits"),
        ({"A": np.zeros(3)}, "an index would leave A, which needs n <= A.shape[0]"),
    ],
)
def test_what_the_checks_refuse_has_a_reason(
    change: dict[str, Any], reason: str, module: Any
) -> None:
    values = vectors() | change
    assert module.copy(*values.values(), 1).startswith(reason)


def test_overlap(module: Any) -> None:
    memory = np.arange(9.0)
    reason = "A and B overlap in memory"
    assert module.copy(5, 2.0, memory[:5], memory[4:], 1) == reason
    assert module.copy(4, 2.0, memory[:4], memory[4:], 1) == ()
    assert module.copy(4, 2.0, memory[:4], memory[:4], 1) == reason
    folded = np.broadcast_to(np.zeros(1), (5,))
    assert module.loose(5, 2.0, folded, strided()["B"], 1) == ()
    window = np.lib.stride_tricks.as_strided(np.zeros(9), (5,), (0,))
    reason = "B is written and overlaps itself in memory"
    assert module.loose(5, 2.0, strided()["A"], window, 1) == reason


def test_declared_aliases_may_overlap(module: Any) -> None:
    memory = np.ones(5)
    assert module.aliased(5, 2.0, memory, memory, 1) == ()
    assert memory.tolist() == [2.0] * 5


def test_assumption(module: Any) -> None:
    assert module.assumed(*vectors().values(), 1) == ()
    reason = "assume n == 5 does not hold"
    assert module.assumed(*(vectors() | {"n": 4}).values(), 1) == reason


def test_entry_values_that_c_would_round(module: Any) -> None:
    array = np.zeros(0, "f4")
    assert module.total(0, array, 0.1, 1) == "s is no value of float32"
    assert module.total(0, array, 0.5, 1) == (0.5,)
    check(CASES["total"], module.total)


def test_a_value_that_may_not_exist(module: Any) -> None:
    reason = "gets no value in loops that run no iteration"
    assert module.last(0, np.zeros(3), 1) == f"t {reason}"
    assert module.last(3, np.arange(3.0), 1) == (4.0,)
    assert module.final(*(vectors() | {"n": 0}).values(), 1) == (...,)


def test_parallel_sums_do_not_depend_on_threads(module: Any) -> None:
    results = {module.blocks(*CASES["blocks"].env().values(), t) for t in (1, 2, 3, 5)}
    assert len(results) == 1


REFUSED = {
    "for i in range(n):\n    A[i, :] = 0": "LX504",
    "for i in range(n):\n    A[i] = unknown(A[i])": "LX504",
    "for i in range(n):\n    A[i] = 'text'": "LX504",
    "for i in range(n):\n    A[i] = n ** -2": "LX504",
    "for i in range(n):\n    A[i] = A[i] @ h": "LX504",
    "for i in range(n):\n    u = u + A[i]": "LX503",
    "for i in range(n):\n    A[h] = 1": "LX504",
    "for i in range(n):\n    A[i] = 2 ** 70": "LX504",
    "for i in range(n):\n    A[i] = abs(np.square(A[i] * 1j))": "LX504",
}


@pytest.mark.parametrize("source", REFUSED)
def test_refusals_have_codes_and_places(source: str) -> None:
    case = Case(
        "refused",
        source,
        lambda: {"n": 4, "h": 0.5, "A": np.zeros(4)},
        marks={"i": Marks(parallel=Parallel())},
        reductions={"i": (("A", "+"),)},
    )
    with pytest.raises(LooptxError) as caught:
        text_of(case, "refused")
    assert caught.value.code == REFUSED[source]
    assert caught.value.place is not None and caught.value.hint


def test_untyped_values_are_refused() -> None:
    with pytest.raises(LooptxError) as caught:
        nest_function(Typed(planned(CASES["copy"]), {}), "copy")
    assert caught.value.code == "LX504"


def test_module_text_keeps_the_head_of_the_host() -> None:
    host = '"""Doc."""\n\nfrom __future__ import annotations\n\nx = 1\n'
    text = module_text([text_of(CASES["copy"], "copy")], host)
    places = [text.index(part) for part in ('"""Doc', "__future__", "cimport", "x = 1")]
    assert places == sorted(places)


def test_text_is_readable() -> None:
    text = str(text_of(CASES["copy"], "copy"))
    assert "    for i in range(n):\n        B[i] = A[i] * h\n" in text
    assert "lx_at" not in text


def test_type_of() -> None:
    assert type_of(np.zeros((2, 2), order="F")) == ArrayType("float64", 2, "F")
    assert type_of(1) == ScalarType("int64", weak=True)


def test_joined_sections_know_their_widest_vector() -> None:
    parts = [Section("a", vector=16), Section("b", vector=64), Section("c")]
    assert joined(parts, "\n").vector == 64
    assert joined([], "").vector == 0
