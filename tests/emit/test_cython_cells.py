"""Loops that reduce into array cells, and inner loops by a step known late."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kit import printing
from kit.printing import PLACE, Case, build, check, text_of

from looptx.emit.cython import Cython
from looptx.errors import LooptxError
from looptx.lower.loops import cells
from looptx.model.execution.marks import Marks, Parallel
from looptx.model.program import Directive
from looptx.plan import plan_kernel
from looptx.source import read

RANDOM = np.random.default_rng(11)
PARALLEL = {"i": Marks(parallel=Parallel())}
DTYPES = ("float64", "float32", "complex64", "complex128", "int64", "int32", "uint8")
CASES: list[Case] = []


def whole(*shape: int, dtype: str = "float64", low: int = 0) -> Callable[[], Any]:
    """Small whole numbers, whose sums are exact in any order."""
    return RANDOM.integers(low, 9, shape).astype(dtype).copy


def special(*shape: int, dtype: str = "float64") -> Callable[[], Any]:
    """Numbers that a needless operation would change."""
    values = np.resize([-0.0, 0.0, np.inf, -np.inf, np.nan, 1.5], shape)
    if dtype.startswith("complex"):
        values = values.astype(dtype)
        values.imag = np.resize([np.inf, -0.0], shape)
    return values.astype(dtype).copy


def case(name: str, source: str, reductions: Any, **values: Any) -> None:
    """A parallel loop over ``i``, or the marks given."""
    marks = values.pop("marks", PARALLEL)
    more = {key: values.pop(key) for key in ("live_out", "error") if key in values}

    def env() -> dict[str, Any]:
        return {k: v() if callable(v) else v for k, v in values.items()}

    CASES.append(Case(name, source, env, marks=marks, reductions=reductions, **more))


PAIRS = whole(31, 2)
BOUNDS = RANDOM.integers(-12, 12, (300, 3))
BOUNDS[:, 2][BOUNDS[:, 2] == 0] = -1
PRODUCT = """
for i in range(n):
    for j in range(m):
        y[j] += A[i, j] * x[i]
"""
for dtype in DTYPES:
    for n, m in ((0, 4), (1, 4), (7, 0), (9, 5), (100, 33)):
        case(
            f"product_{dtype}_{n}_{m}",
            PRODUCT,
            {"i": (("y", "+"),)},
            n=n,
            m=m,
            A=whole(n, m, dtype=dtype),
            x=whole(n, dtype=dtype),
            y=whole(m, dtype=dtype),
        )
for op, sign in (("+", "+="), ("+", "-="), ("*", "*=")):
    for dtype in ("float64", "float32", "complex64", "complex128"):
        case(
            f"untouched_{sign}_{dtype}",
            f"for i in range(n):\n    y[i % 2] {sign} A[i]",
            {"i": (("y", op),)},
            n=5,
            A=whole(5, dtype=dtype, low=1),
            y=special(24, dtype=dtype),
        )
for word in ("min", "max", "np.minimum", "np.maximum"):
    for dtype in ("float64", "float32", "int32"):
        case(
            f"{word}_{dtype}",
            "for i in range(n):\n    for j in range(m):\n"
            f"        y[j, 1] = {word}(y[j, 1], A[i, j])",
            {"i": (("y", word[-3:] if "." not in word else f"{word[3:6]}"),)},
            n=40,
            m=6,
            A=whole(40, 6, dtype=dtype),
            y=whole(8, 2, dtype=dtype),
        )
for sign in "|^":
    case(
        f"bits_{sign}",
        f"for i in range(n):\n    y[i % 3] {sign}= A[i]",
        {"i": (("y", sign),)},
        n=40,
        A=lambda: np.arange(40) % 5 == 0,
        y=lambda: np.arange(4) % 2 == 0,
    )
case(
    "histogram",
    "for i in range(n):\n    h[k[i]] += w[i]\n    s += w[i]",
    {"i": (("h", "+"), ("s", "+"))},
    n=500,
    k=lambda: np.arange(500) * 7 % 40 - 20,
    w=whole(500),
    h=whole(20),
    s=0.0,
    live_out=("s",),
)
case(
    "histogram_raises",
    "for i in range(n):\n    h[k[i]] += 1",
    {"i": (("h", "+"),)},
    n=50,
    k=lambda: np.arange(50),
    h=whole(20, dtype="int64"),
    error=IndexError,
)
for name, layout in (
    ("fortran", np.asfortranarray),
    ("strided", lambda a: np.repeat(a, 2, axis=0)[::-2, ::1]),
):
    case(
        f"layout_{name}",
        """
for i in range(n - 1, -1, -2):
    for j in range(i, m):
        y[j, 0] -= A[i, j]
        y[j, 1] += 2 * A[i, j]
""",
        {"i": (("y", "+"),)},
        n=20,
        m=31,
        A=whole(20, 31),
        y=lambda layout=layout: layout(PAIRS()),
    )
DOT = """
for i in range(n):
    for j in range(m):
        for k in range(p):
            C[i, j] += A[i, k] * B[k, j]
"""
for dtype in DTYPES[::2]:
    for p in (0, 5, 8, 29):
        case(
            f"lanes_{dtype}_{p}",
            DOT,
            {"k": (("C", "+"),)},
            n=3,
            m=4,
            p=p,
            A=whole(3, p, dtype=dtype),
            B=whole(p, 4, dtype=dtype),
            C=whole(3, 4, dtype=dtype),
            marks={"k": Marks(vectorize=8)},
        )
case(
    "lanes_of_one_cell_twice",
    """
for i in range(n):
    for j in range(n):
        for k in range(p):
            C[i, j] += A[i, k]
            C[j, i] += A[j, k]
            B[k] += A[i, k]
            C[k, k] += 1
""",
    {"k": (("C", "+"), ("B", "+"))},
    n=5,
    p=19,
    A=whole(5, 19),
    B=whole(19),
    C=whole(19, 19),
    marks={"k": Marks(vectorize=4)},
)
case(
    "lanes_that_do_not_exist",
    "for k in range(p):\n    C[7] += A[k]",
    {"k": (("C", "+"),)},
    p=0,
    A=whole(4),
    C=whole(2),
    marks={"k": Marks(vectorize=4)},
)
case(
    "lanes_in_copies",
    """
for i in range(n):
    for j in range(m):
        for k in range(p):
            y[j] += A[i, k]
""",
    {"i": (("y", "+"),), "k": (("y", "+"),)},
    n=20,
    m=4,
    p=19,
    A=whole(20, 19),
    y=whole(4),
    marks={**PARALLEL, "k": Marks(vectorize=0)},
)
STEPS = """
for i in range(n):
    for j in range(S[i, 0], S[i, 1], S[i, 2]):
        t = (t * 3 + j) % 1000003
        S[i, 1] = 0
        S[i, 2] = 5
    B[i] = t + j
"""
case(
    "steps",
    STEPS,
    {},
    n=300,
    S=lambda: BOUNDS.astype(np.int32),
    B=whole(300, dtype="int64"),
    t=0,
    j=0,
    live_out=("j", "t"),
    marks={},
)
case(
    "steps_of_zero",
    STEPS,
    {},
    n=2,
    S=lambda: np.array([[0, 4, 2], [0, 4, 0]], np.int32),
    B=whole(2, dtype="int64"),
    t=0,
    j=0,
    live_out=("j", "t"),
    marks={},
    error=ValueError,
)


@pytest.fixture(scope="module")
def entries(
    target: type[Cython], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """The entry of every case."""
    folder = tmp_path_factory.mktemp(target.__name__)
    return printing.entries(CASES, folder, "cells_cases", target)


@pytest.mark.parametrize("threads", (1, 3))
@pytest.mark.parametrize("each", CASES, ids=lambda each: each.name)
def test_same_as_python(each: Case, threads: int, entries: dict[str, Any]) -> None:
    with np.errstate(all="ignore"):
        check(each, entries[each.name], threads)


def named(name: str) -> Case:
    return next(each for each in CASES if each.name == name)


def test_results_do_not_depend_on_threads(entries: dict[str, Any]) -> None:
    env = named("product_float64_100_33").env()
    env["A"], env["x"] = RANDOM.random((100, 33)), RANDOM.random(100)
    results = set()
    for threads in (1, 2, 3, 7, 16):
        own = copy.deepcopy(env)
        entries["product_float64_100_33"](*own.values(), threads)
        results.add(own["y"].tobytes())
    assert len(results) == 1


def test_copies_stay_within_the_memory_limit(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    each, texts = named("histogram"), []
    for fit in (0, 1, 3):
        monkeypatch.setattr(cells, "LIMIT", fit * each.env()["h"].nbytes + 1)
        texts.append(text_of(each, f"limited{fit}"))
    module = build(texts, tmp_path, "limited")
    for fit in (0, 1, 3):
        check(each, getattr(module, f"limited{fit}"))


def plan(source: str, directive: str) -> Any:
    module = read(source, "t.py")
    return plan_kernel(module.kernels[0], (Directive(directive, PLACE),))


SCATTER = """
def f(A, y, n, m):
    for i in range(n):
        for j in range(m):
            {}
"""


def test_a_plan_allows_what_can_be_combined() -> None:
    source = SCATTER.format("y[j] += A[i, j]")
    (planned,) = plan(source, "reassociate y | parallel i")
    ((reduction,),) = planned.reductions.values()
    assert reduction.target.array == "y"


def test_a_collapsed_loop_combines_what_its_inner_loop_carries() -> None:
    source = SCATTER.format("y[i] += A[i, j]")
    (planned,) = plan(source, "reassociate y | collapse i j | parallel ij")
    assert all(planned.reductions.values()) and len(planned.reductions) == 1


def test_an_array_used_otherwise_is_refused_with_a_loop_that_works() -> None:
    source = SCATTER.format("y[0, j] += A[i, j] * y[1, j]")
    with pytest.raises(LooptxError) as caught:
        plan(source, "reassociate y | parallel i")
    assert caught.value.code == "LX205"
    assert "`j`" in caught.value.hint
    assert plan(source, "reassociate y | parallel j")


def test_an_array_used_otherwise_is_refused_when_no_loop_is_free() -> None:
    source = SCATTER.format("y[0, 0] += A[i, j] * y[1, 0]")
    with pytest.raises(LooptxError) as caught:
        plan(source, "reassociate y | parallel i")
    assert caught.value.code == "LX205"
    assert "another array" in caught.value.hint
    other = SCATTER.format("y[0, 0] += A[i, j] * z[1, 0]").replace("y, n", "y, z, n")
    assert plan(other, "reassociate y | parallel i")
