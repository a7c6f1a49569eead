"""A reduction is exact in any order where its start and all its terms are integers."""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import looptx
from looptx import source
from looptx.cli.text import plan, transform_text
from looptx.errors import LooptxError
from looptx.lower.types import annotated
from looptx.validation import Subject, validate

HEAD = "import numpy as np\n\n"
ORDER = "split i 4 | reorder ii i"
NEST = f"""\
    # looptx: {ORDER}
    for i in range(n):
        c *= i + 2
    return c
"""
SIZES = (0, 1, 2, 3, 5, 7, 8, 13)


def code(text: str) -> str:
    """The code of the first error; empty when all is well."""
    errors = transform_text(HEAD + text, "f.py").errors
    return errors[0].code if errors else ""


def function(text: str) -> Callable[..., Any]:
    scope: dict[str, Any] = {"np": np, "given": lambda A: 0.3}
    exec(text, scope)
    found: Callable[..., Any] = scope["f"]
    return found


def agrees(text: str, arguments: Callable[[int], Sequence[Any]]) -> None:
    """The rewritten function gives the same bits at all sizes."""
    result = transform_text(HEAD + text, "f.py")
    new = result.text
    assert result.changed, result.errors
    for n in SIZES:
        one, two = arguments(n), arguments(n)
        first, second = function(text)(*one), function(new)(*two)
        assert (type(first), repr(first)) == (type(second), repr(second)), n
        for given, other in zip(one, two, strict=True):
            assert repr(given) == repr(other)


@pytest.mark.parametrize(
    "start",
    [
        "c = 0.3",
        "c = A[0]",
        "c = given(A)",
        "c = d = 0.3",
        "c, d = 0.3, 1",
        "(c := 0.3)",
        "c: int = 0.3",
        "if n > 3:\n        c = 1\n    else:\n        c = 0.3",
        "c = 1\n    if n > 3:\n        c = 0.3",
        "c = 1\n    c /= 3",
        "c = 1\n    c += A[0]",
        "c = 1\n    for k in range(3):\n        c = c / 2",
        "c = 1\n    for k in range(3):\n        c = c * A[k]",
        "c = 1\n    while c > 0.1:\n        c = c / 2",
        "c = 1\n    try:\n        c = 0.3\n    finally:\n        pass",
        "c = 1\n    with given(A) as c:\n        pass",
        "c = 1\n    c = round(A[0], 1)",
        "def c():\n        pass",
        "global c\n    c = 1\n    given(A)",
        "T = np.zeros(n, int)\n    T = A * 0.5\n    c = T[0]",
        "T = np.full(n, 0.5)\n    c = T[0]",
        "T = np.zeros(n)\n    c = T[0]",
        "T = np.zeros_like(A)\n    c = T[0]",
        "d = n\n    n = 9\n    c = d",
        "n = int(n)\n    c = k\n    k = 3\n    A[k] = 0",
    ],
)
def test_a_start_that_may_be_a_float_needs_permission(start: str) -> None:
    text = f"def f(n, A, k=0.3):\n    {start}\n{NEST}"
    assert code(text) == "LX201"
    assert not code(text.replace(ORDER, f"{ORDER} | reassociate c"))


@pytest.mark.parametrize(
    "start",
    [
        "c = 1",
        "c = -1",
        "c = n",
        "c = len(A)",
        "c = A.shape[0] // 2",
        "c = min(n, 3)",
        "c = int(A[0])",
        "c = np.int64(2)",
        "c: int = 1",
        "c = d = 1",
        "c, d = 1, 0.3",
        "d = 1\n    c = d",
        "c = 0.3\n    c = 1",
        "c = 1 if n > 3 else 2",
        "if n > 3:\n        c = 1\n    else:\n        c = 2",
        "c = 1\n    for k in range(3):\n        c = c * 3",
        "c = 1\n    with np.errstate():\n        c = 2",
        "c = 0.5\n    for i in range(n):\n        c *= i\n    c = 1",
        "T = np.zeros(n + 1, int)\n    c = T[0]",
        "T = np.zeros(n + 1, dtype=np.int32)\n    c = T[0] + 1",
    ],
)
def test_integers_need_no_permission(start: str) -> None:
    text = f"def f(n, A):\n    {start}\n{NEST}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agrees(text, lambda n: (n, np.arange(n + 1.0)))


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ("n, c", "LX201"),
        ("n, c=0.5", "LX201"),
        ("n, *, c=1", "LX201"),
        ("n, c: float", "LX201"),
        ("n, c: np.float64", "LX201"),
        ("n, c: int", ""),
        ("n, c: int = 1", ""),
    ],
)
def test_an_argument_is_what_its_annotation_says(arguments: str, wanted: str) -> None:
    assert code(f"def f({arguments}):\n{NEST}") == wanted


@pytest.mark.parametrize(
    "bound", ["c = 0.3", "c = c * 0.5", "if n > 2:\n        c = 0.3", "c, d = A"]
)
def test_an_annotation_is_about_what_a_call_gives(bound: str) -> None:
    text = f"def f(n, c: int, A):\n    {bound}\n{NEST}"
    assert code(text) == "LX201"
    assert not code(text.replace(bound, "c = c + 1"))


@pytest.mark.parametrize("word", ["global", "nonlocal"])
def test_what_other_code_may_bind_is_unknown(word: str) -> None:
    inner = textwrap.indent(f"def f(n):\n    {word} c\n{NEST}", "    ")
    assert code(f"def g():\n    c = 1\n{inner}    c = 0.3\n    f(3)\n") == "LX201"


def test_a_function_inside_may_bind_a_name() -> None:
    inner = "def g():\n        nonlocal c\n        c = 0.3\n    g()"
    assert code(f"def f(n):\n    c = 1\n    {inner}\n{NEST}") == "LX201"


@pytest.mark.parametrize(
    ("start", "wanted"),
    [
        ("c = 0.3", "LX201"),
        ("c = B[j]", "LX201"),
        ("c = x", "LX201"),
        ("c = 1\n        if B[j] > 2:\n            c = x", "LX201"),
        ("c = 1", ""),
        ("c = j + n", ""),
        ("c = 1\n        if B[j] > 2:\n            c = j", ""),
    ],
)
def test_a_scalar_that_starts_inside(start: str, wanted: str) -> None:
    text = f"""\
def f(n, m, B, x):
    # looptx: {ORDER}
    for j in range(m):
        {start}
        for i in range(n):
            c *= i + 2
        B[j] = c
"""
    assert code(text) == wanted
    if not wanted:
        agrees(text, lambda n: (n, 3, np.arange(5.0), 0.3))


@pytest.mark.parametrize(
    ("update", "wanted"),
    [
        ("c = min(c, B[i])", "LX201"),
        ("c = max(c, i)", "LX201"),
        ("c &= i", ""),
        ("c |= i + 1", ""),
        ("c ^= i", ""),
        ("c -= i", "LX201"),
        ("c = c + n", "LX201"),
    ],
)
def test_operations_on_numbers_ask_for_the_start(update: str, wanted: str) -> None:
    """Those on bits do not: no float has any."""
    text = f"def f(n, c, B):\n{NEST}".replace("c *= i + 2", update)
    assert code(text) == wanted
    assert not code(text.replace("n, c, B", 'n, c: int, B: "int64[:]"'))


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        ("np.zeros(3)", "LX201"),
        ("np.full(3, 2)", "LX201"),
        ("np.zeros_like(A)", "LX201"),
        ("np.zeros(3, np.float32)", "LX201"),
        ("given(A)", "LX201"),
        ("np.zeros(3, int)", ""),
        ("np.ones(3, dtype=np.int64)", ""),
        ("np.zeros_like(B)", ""),
    ],
)
def test_a_target_in_an_array_has_the_type_of_its_elements(
    made: str, wanted: str
) -> None:
    text = f"""\
def f(n, A, B: "int64[:]"):
    T = {made}
    # looptx: {ORDER}
    for i in range(n):
        T[1] *= i + 2
    return T[1]
"""
    assert code(text) == wanted
    if not wanted:
        agrees(text, lambda n: (n, np.ones(3), np.arange(3)))


def test_an_annotated_array_that_is_bound_again() -> None:
    text = """\
def f(n, A: "int64[:]"):
    A = A * 0.5
    # looptx: reorder j i
    for i in range(n):
        for j in range(n):
            A[0] += A[1] * i
"""
    assert code(text) == "LX201"


@pytest.mark.parametrize("name", ["abs", "min", "int"])
def test_a_function_of_that_name_may_be_another(name: str) -> None:
    text = f"""\
from math import sqrt as {name}

def f(n):
    c = 0
    # looptx: {ORDER}
    for i in range(n):
        c += {name}(i)
    return c
"""
    assert code(text) == "LX201"


MIXED = """\
def f(A: "{one}[:]", B: "{other}[:]"):
    c = 0
    # looptx: split i 2 | reorder ii i
    for i in range(A.shape[0]):
        c {op}= A[i]
        c {op}= B[i]
    return c
"""


@pytest.mark.parametrize(
    ("one", "other", "op", "wanted"),
    [
        ("int32", "int64", "+", "LX201"),
        ("uint8", "int32", "*", "LX201"),
        ("uint8", "uint8", "+", ""),
        ("int32", "int32", "*", ""),
    ],
)
def test_terms_of_several_widths_overflow_in_one_order_only(
    one: str, other: str, op: str, wanted: str
) -> None:
    assert code(MIXED.format(one=one, other=other, op=op)) == wanted


@pytest.mark.parametrize(
    ("cell", "term", "wanted"),
    [
        ("int32", "int64", "LX201"),
        ("int8", "uint8", "LX201"),
        ("int64", "uint64", "LX201"),
        ("int64", "int32", ""),
        ("uint8", "int64", ""),
        ("uint16", "uint16", ""),
    ],
)
def test_a_cell_with_a_sign_refuses_what_it_does_not_hold(
    cell: str, term: str, wanted: str
) -> None:
    """The steps of a sum must fit, which they may in one order only."""
    text = f"""\
def f(C: "{cell}[:]", A: "{term}[:]"):
    # looptx: {ORDER}
    for i in range(A.shape[0]):
        C[0] += A[i]
"""
    assert code(text) == wanted
    values = np.array([100, 100, 200, 7] * 3, term)
    if not wanted:
        agrees(text.replace("(C", "(n, C"), lambda n: (n, np.ones(1, cell), values[:n]))


def test_numbers_of_python_may_be_too_large_for_a_width() -> None:
    text = MIXED.format(one="uint8", other="uint8", op="+").replace("B[i]", "1")
    assert code(text) == "LX201"
    assert not code(text.replace("uint8", "int64"))


def test_validation_takes_only_integers_for_free() -> None:
    """It does not believe the annotation, nor the proof."""
    text = f"def f(n, c: int):\n    c = 0.3\n{NEST}"
    vouched = text.replace(ORDER, f"{ORDER} | reassociate c")
    module = source.read(vouched, "f.py")
    (kernel,) = module.kernels
    after = transform_text(vouched, "f.py").text
    (planned,) = plan(module, kernel)
    strict = replace(
        planned, schedule=replace(planned.schedule, reassociate=frozenset())
    )
    subject = Subject(module, kernel, (strict,), after, annotated(kernel))
    assert subject.integral() == {"c"}
    with pytest.raises(LooptxError) as found:
        validate(subject)
    assert found.value.code == "LX208"
    assert validate(replace(subject, planned=(planned,))).ok


@pytest.mark.parametrize("width", ["int64", "int32"])
def test_validation_takes_integers_in_any_order(width: str) -> None:
    text = f'def f(n, A: "{width}[:]"):\n    c = A[0]\n{NEST}'
    result = transform_text(text.replace("i + 2", "A[i]"), "f.py", validate=True)
    assert not result.errors
    assert result.validated[0].ok


def test_cython_text_has_partial_results_of_integers_only() -> None:
    text = f"def f(n):\n    c = 1\n{NEST}".replace(ORDER, "parallel i")
    text = text.replace("c *= i + 2", "c += i % 3")
    result = transform_text(text, "f.py", to="cython")
    assert not result.errors
    assert "prange" in result.text
    assert "Py_ssize_t* c_part" in result.text
    other = transform_text(text.replace("c = 1", "c = n * 0.5"), "f.py", to="cython")
    assert [error.code for error in other.errors] == ["LX202"]


@looptx.kernel(ORDER)
def product(n, c):
    for i in range(n):
        c *= i + 2
    return c


@looptx.kernel(f"reorder j i | {ORDER}")
def again(n, m, c, B):
    for j in range(m):
        for i in range(n):
            c *= i + 2
        B[j] = c
        c = 0.3


def test_a_kernel_knows_what_it_is_called_with() -> None:
    assert product(7, np.int64(3)) == product.py_func(7, np.int64(3))
    with pytest.raises(LooptxError, match="reassociate c"):
        product(7, 0.3)
    with pytest.raises(LooptxError, match="reassociate c"):
        again(7, 2, np.int64(1), np.zeros(5))


@pytest.mark.parametrize(
    ("start", "wanted"),
    [
        ("c: int = d", "LX201"),
        ("c: int = c", "LX201"),
        ("c: int = 1", ""),
    ],
)
def test_an_annotation_of_a_local_variable_says_nothing(
    start: str, wanted: str
) -> None:
    arguments = "c, d, n" if start in ("c: int = c",) else "d, n"
    assert code(f"def f({arguments}):\n    {start}\n{NEST}") == wanted


@pytest.mark.parametrize("start", ["{}", "dict()", "set() or {}"])
def test_dictionaries_have_an_order(start: str) -> None:
    text = f"""\
def f(n, m, B):
    c = {start}
    # looptx: reorder j i
    for i in range(n):
        for j in range(m):
            c |= B[i, j]
    return c
"""
    assert code(text) == "LX201"
