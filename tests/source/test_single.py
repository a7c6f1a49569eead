"""Single numbers and arrays: what NumPy's functions give for what they are given."""

from __future__ import annotations

import ast
import warnings
from typing import Any

import numpy as np
import pytest

from looptx import source
from looptx.cli.text import transform_text
from looptx.source.kinds.integers import Kinds
from looptx.source.names.arrays import SIZES as SIZES_OF_ARRAYS
from looptx.source.names.arrays import VIEWS
from looptx.source.names.scope import Scope

HEAD = "import math\n\nimport numpy as np\n\n"
SIZES = (1, 2, 3, 4, 5, 7, 8, 13)


def text_of(before: str, body: str, after: str = "pass") -> str:
    return f"""\
{HEAD}def f(x, n, a: float, u, src):
    {before}
    # looptx: split i 4
    for i in range(n):
        {body}
    {after}
    return s
"""


def function(text: str) -> Any:
    scope: dict[str, Any] = {}
    exec(text, scope)
    return scope["f"]


def agrees(text: str) -> None:
    """It is rewritten, and gives the same bits."""
    result = transform_text(text, "f.py")
    assert result.changed, result.errors
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in SIZES:
            found = []
            for one in (text, result.text):
                x = np.arange(1.0, n + 3) / 7
                src = np.where(np.arange(n + 2) % 3, 0.25, np.nan)
                value = function(one)(x, n, 0.5, 0.75, src)
                found.append((type(value), np.float64(value).tobytes(), x.tobytes()))
            assert found[0] == found[1], n


@pytest.mark.parametrize(
    ("before", "body", "after"),
    [
        ("s = 0.0", "s += x[i]", "s = np.sqrt(s)"),
        ("s = 0.0", "s += x[i] * x[i]", "s = np.sqrt(s / n)"),
        ("s = np.sum(x)", "s += x[i]", "pass"),
        ("s = np.sum(x, dtype=np.float64)", "s += x[i]", "pass"),
        ("s = np.mean(x)", "s += x[i]", "s = abs(s)"),
        ("s = np.max(x)", "s = max(s, x[i])", "s = np.exp(s)"),
        ("s = x.max()", "s -= x[i]", "s = np.abs(s)"),
        ("s = np.linalg.norm(x)", "s += x[i]", "pass"),
        ("s = np.exp(-a)", "s *= x[i]", "pass"),
        ("s = np.exp(-n)", "s *= x[i]", "pass"),
        ("s = np.minimum(x[0], x[1])", "s += x[i]", "s = np.maximum(s, a)"),
        ("s = np.clip(x[0], 0.0, 1.0)", "s += x[i]", "pass"),
        ("s = np.real(x[0])", "s += x[i]", "pass"),
        ("t = np.sqrt(x[0])\n    s = t * 2\n    s = np.log(s)", "s += x[i]", "pass"),
        ("s = math.sqrt(u) if a > 1 else np.pi", "s += x[i]", "pass"),
        ("s = 0.0", "t = np.sqrt(x[i])\n        t += 1\n        s += t", "pass"),
        ("s = 0.0", "t = np.sqrt(x[i])\n        w = t\n        s += w", "pass"),
        ("s = 0", "v = np.isfinite(src[i])\n        w = v\n        s += w", "pass"),
        (
            "s = 0",
            "v = np.isfinite(src[i])\n        w = v\n        if w:\n            s += 1",
            "pass",
        ),
        ("z = np.float64(2) * 1j\n    r = z.imag", "r += x[i]", "s = r"),
    ],
)
def test_a_number_is_no_array(before: str, body: str, after: str) -> None:
    agrees(text_of(before, body, after))


@pytest.mark.parametrize(
    "before", ["s = np.sqrt(x)", "s = np.minimum(x, 1)", "s = np.exp(x[1:])"]
)
def test_an_array_is_combined_element_by_element(before: str) -> None:
    agrees(text_of(before, "s += x[i]"))


@pytest.mark.parametrize("name", ["bool", "bool_"])
def test_a_truth_value_of_numpy_is_no_array(name: str) -> None:
    body = f"v = np.{name}(src[i])\n        w = v\n        s += w"
    agrees(text_of("s = 0", body))


@pytest.mark.parametrize("bound", ["math.gcd(n, 6)", "math.isqrt(n)", "math.lcm(n)"])
def test_a_bound_that_math_makes_an_integer(bound: str) -> None:
    text = text_of("s = 0.0", "s += x[i]").replace("range(n)", f"range({bound})")
    agrees(text)


@pytest.mark.parametrize(
    "before",
    [
        "s = np.sum(x, axis=0)",
        "s = np.sum(x, 0)",
        "s = np.sum(x, keepdims=True)",
        "s = np.sum(x, out=u)",
        "s = np.sum(*x)",
        "s = np.sqrt(u)",
        "s = np.sqrt(a, u)",
        "s = np.minimum(x[0], u)",
        "s = np.where(a > 0, 1.0, 2.0)",
        "s = np.zeros(())",
        "s = np.array(0.0)",
        "s = np.asarray(u)",
        "s = np.dot(x, x)",
        "s = np.sqrt(np.array(a))",
        "t = np.zeros(())\n    s = t",
        "t = np.zeros(())\n    s = t if a > 1 else 0.0",
        "s = x",
        "s = 0.0\n    if a > 1:\n        s = np.sqrt(u)",
        "def g():\n        nonlocal t\n        t = u\n    t = 1.0\n    s = np.sqrt(t)",
    ],
)
def test_what_may_be_an_array_is_not_combined_in_place(before: str) -> None:
    """``s += 1`` would change what others may see under another name."""
    result = transform_text(text_of(before, "s += x[i]"), "f.py")
    assert [error.code for error in result.errors] == ["LX301"]


@pytest.mark.parametrize(
    ("before", "mended"),
    [
        ("s = np.sqrt(u)", "s = float(np.sqrt(u))"),
        ("s = np.where(a > 0, 1.0, 2.0)", "s = float(np.where(a > 0, 1.0, 2.0))"),
    ],
)
def test_the_hint_makes_it_a_number(before: str, mended: str) -> None:
    (error,) = transform_text(text_of(before, "s += x[i]"), "f.py").errors
    assert error.message == "`s` is assigned in the nest, and may be an array"
    assert "s = float(...)" in error.hint
    agrees(text_of(mended, "s += x[i]"))


def test_a_view_inside_is_still_one() -> None:
    body = "v = np.isfinite(src[i])\n        ok = v\n        src[i, 0] = s"
    (error,) = transform_text(text_of("s = 0.0", body), "f.py").errors
    assert error.message == "`ok` would be a view of an array"


def test_a_number_shares_no_memory() -> None:
    text = text_of("s = np.sum(x)\n    t = x[0]", "src[i] = t\n        x[i] = s")
    (kernel,) = source.read(text, "f.py").kernels
    assert not kernel.nests[0].aliases


@pytest.mark.parametrize("attribute", sorted(SIZES_OF_ARRAYS | VIEWS))
def test_attributes_tell_arrays(attribute: str) -> None:
    """Numbers are real, too, and much that is no array has a size."""
    tree = ast.parse(f"def f(x):\n    return x.{attribute}\n")
    (made,) = tree.body
    assert isinstance(made, ast.FunctionDef)
    told = "x" in Kinds(Scope(made, {})).arrays
    assert told == (attribute not in ("size", "real", "imag"))
    assert hasattr(np.zeros((3, 3)), attribute) or attribute == "mT"
