"""Integers beyond what an index holds, and beyond what Python writes in decimal."""

from __future__ import annotations

import ast
from typing import Any

import pytest

import looptx
from looptx import source
from looptx.cli.text import transform_text
from looptx.errors import WIDEST, LooptxError, Place
from looptx.source.ast_tools import walked

HUGE = "0x" + "f" * 9000
WIDE = "9" * 100
LAST = 2**63 - 1


def annotated(statement: str, bound: str = "n", directive: str = "split i 4") -> str:
    return (
        "def f(A, B, n):\n"
        f"    # looptx: {directive}\n"
        f"    for i in range({bound}):\n"
        f"        {statement}\n"
    )


def wrong(text: str, to: str = "python") -> LooptxError:
    (error,) = transform_text(text, "t.py", to).errors
    return error


@pytest.mark.parametrize("to", ["python", "cython"])
@pytest.mark.parametrize(
    ("statement", "bound"),
    [
        (f"A[i] = {HUGE}", "n"),
        (f"A[{HUGE}] = 1", "n"),
        (f"A[i % {HUGE}] = 1", "n"),
        ("A[i] = 1", HUGE),
        ("A[i] = 1", f"0, n, {HUGE}"),
        (f"A[i] = g(B, -{HUGE})", "n"),
    ],
)
def test_an_integer_that_python_does_not_write(
    statement: str, bound: str, to: str
) -> None:
    text = annotated(statement, bound)
    error = wrong(text, to)
    at = text.index(HUGE)
    line = text.count("\n", 0, at) + 1
    place = Place("t.py", line, at - text.rindex("\n", 0, at))
    assert (error.code, error.place) == ("LX304", place)
    assert error.hint and HUGE[:100] not in str(error)


def test_an_integer_in_a_literal_directive() -> None:
    text = annotated("A[i] = 1").replace("    # looptx: split i 4\n", "")
    given = f"import looptx\n@looptx.kernel(looptx.tile(i={HUGE}))\n{text}"
    assert wrong(given).place == Place("t.py", 2, 30)


def test_functions_without_directives_may_hold_any_integer() -> None:
    other = f"def g(A, n={HUGE}):\n    for k in range(n):\n        A[k] = 1\n"
    result = transform_text(other + annotated("A[i] = 1"), "t.py")
    assert result.changed and result.text.startswith(other)
    module = source.read(other, "t.py")
    assert not module.kernels and module.left_out["g"][0].code == "LX304"


def test_a_wide_value_is_kept() -> None:
    """Python's integers have any size: only positions have 64 bits."""
    result = transform_text(annotated(f"A[i] = B[i] ^ {WIDE}"), "t.py")
    assert result.changed
    space: dict[str, Any] = {}
    exec(result.text, space)
    cells = [0] * 7
    space["f"](cells, list(range(7)), 7)
    assert cells == [k ^ int(WIDE) for k in range(7)]


@pytest.mark.parametrize(
    "bound", [WIDE, f"n + {WIDE}", f"n, -{WIDE}, -1", f"0, n, {LAST + 1}"]
)
def test_a_loop_counts_with_64_bits(bound: str) -> None:
    error = wrong(annotated("A[i] = 1", bound))
    assert (error.code, error.place) == ("LX305", Place("t.py", 3, 5))
    assert "does not fit in 64 bits" in error.message
    assert WIDE not in error.message and WIDE not in error.hint


def test_the_largest_bound() -> None:
    assert transform_text(annotated("A[i] = 1", str(LAST)), "t.py").changed


@pytest.mark.parametrize(
    "index",
    [WIDE, f"i + {WIDE}", f"i * {WIDE}", f"i % {WIDE}", f"n * {WIDE} + i"],
)
def test_a_subscript_beyond_64_bits_is_any_cell(index: str) -> None:
    error = wrong(annotated(f"A[{index}] = 1", directive="parallel i"))
    assert error.code == "LX203" and error.hint
    assert "a subscript of A is not affine" in error.detail[0]
    assert WIDE not in str(error)


@pytest.mark.parametrize("sign", ["*", "//"])
def test_numbers_of_a_subscript_do_not_grow_without_limit(sign: str) -> None:
    """Three hundred factors of 63 bits have more digits than Python writes."""
    text = annotated(f"A[i{f' {sign} {LAST}' * 300}] = 1")
    result = transform_text(text, "t.py")
    assert not result.errors and result.changed
    error = wrong(text.replace("split i 4", "parallel i"))
    assert error.code == "LX203"


@pytest.mark.parametrize(
    "size", [10**5000, -(10**5000), 2**31], ids=["long", "negative", "32 bits"]
)
def test_a_size_given_as_an_object(size: int) -> None:
    with pytest.raises(LooptxError) as caught:
        looptx.tile(i=size)
    assert caught.value.code == "LX103" and "is too large" in caught.value.message
    assert len(str(caught.value)) < 200


def test_a_long_line_is_shown_around_its_place() -> None:
    total = " + ".join(f"B[i + {k}]" for k in range(200))
    error = wrong(annotated(f"A[i] = {total} + (yield) + {total}"))
    assert error.code == "LX301"
    _, shown, *_ = str(error).split("\n")
    assert "+ (yield) +" in shown and shown.count("...") == 2
    assert len(shown) < WIDEST + 20


def test_all_nodes_of_a_tree_are_walked_in_order() -> None:
    tree = ast.parse("def f(a, *b, c=1):\n    return [g(a)[c:] if b else -a, f'{a}']\n")
    nodes = (node for node in ast.walk(tree) if not isinstance(node, ast.expr_context))
    assert list(walked(tree)) == list(nodes)


UNIONS = (
    *("int | None", "Optional[int]", "typing.Union[int, None]", "'int | None'"),
    *("Any", "object", "Annotated[int, 3]", "np.integer", "Size", "'Size'"),
)


@pytest.mark.parametrize("annotation", UNIONS)
def test_what_may_be_of_several_types_may_be_an_integer(annotation: str) -> None:
    text = f"""\
def total(a, n: {annotation} = None):
    if n is None:
        n = a.shape[0]
    s = 0.0
    # looptx: split i 4
    for i in range(n):
        s += a[i]
    return s
"""
    result = transform_text(text, "k.py", validate=True)
    assert result.changed and not result.errors


@pytest.mark.parametrize("annotation", ["float", "np.float32", "list[int]", "'str'"])
def test_a_float_counts_nothing(annotation: str) -> None:
    text = f"""\
def total(a, n: {annotation}):
    s = 0.0
    # looptx: split i 4
    for i in range(n):
        s += a[i]
    return s
"""
    (error,) = transform_text(text, "k.py").errors
    assert error.code == "LX305"
