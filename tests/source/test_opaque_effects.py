"""What may use anything keeps its place among all else, and need not be refused."""

from __future__ import annotations

import contextlib
import io
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import looptx
from looptx.cli.text import transform_text
from looptx.errors import LooptxError
from looptx.model.dtypes import NAMES
from looptx.source import read

SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 13)
IN_ORDER = ("split i 4", "unroll i 4", "split i 4 2 as a b c", "pad i 1 | split i 3")


class Box:
    """An object with attributes."""

    def __init__(self) -> None:
        self.total = 0.0


def text_of(
    body: str, directives: str, before: str = "pass", arguments: str = "x, n, g, box"
) -> str:
    """A function whose nest over ``i`` contains ``body``."""
    lines = [
        "import math, numpy as np\n",
        f"def f({arguments}):",
        *textwrap.indent(before, "    ").split("\n"),
        f"    # looptx: {directives}",
        "    for i in range(n):",
        *textwrap.indent(body, "        ").split("\n"),
        "    return x",
    ]
    return "\n".join(lines) + "\n"


def nested(body: str, directives: str) -> str:
    """The same with an inner loop over ``j``."""
    inner = "for j in range(3):\n" + textwrap.indent(body, "    ")
    return text_of(inner, directives)


def run(text: str, n: int) -> tuple[object, ...]:
    """All that a caller can see, the order of what happens included."""
    scope: dict[str, Any] = {}
    exec(text, scope)
    x = np.arange(n + 4.0)
    seen: list[object] = []
    box = Box()

    def g(*values: object, **named: object) -> float:
        seen.append((repr(values), named, x.tolist()))
        x[0] += 0.5
        return float(len(seen))

    shown = io.StringIO()
    error = ""
    with contextlib.redirect_stdout(shown):
        try:
            scope["f"](x, n, g, box)
        except (ValueError, AssertionError) as raised:
            error = repr(raised)
    return x.tobytes(), seen, shown.getvalue(), box.total, error


def agrees(text: str) -> None:
    result = transform_text(text, "f.py")
    assert result.changed, [str(error) for error in result.errors]
    for n in SIZES:
        assert run(text, n) == run(result.text, n), n


def refusal(text: str) -> LooptxError:
    result = transform_text(text, "f.py")
    assert not result.changed
    (error,) = result.errors
    return error


BODIES = [
    "x[i] = g(i)",
    "x[i] = g(i, x[i])\nx[0] = x[i] * 2",
    "g(x, key=i)",
    "g(*(i, n))",
    "t = g(i)\nx[i] = t\nt += 1\nx[0] = t",
    "if x[i] > 2:\n    g(i)\nelse:\n    x[i] = g(n, i)",
    "print(i, x[i])\nx[i] = 2",
    "print(f'{i}: {x[i]:.3f} {{i}} {i!r:>{n}}', end='')",
    "print(f'{i}' f'{i + 1}', f\"{f'{i}'}\")",
    "q, r = divmod(i, 3)\nx[i] = q + r * 2 + sum((q, r)) + len(range(i))",
    "x[i] = i.real + i.imag + i.numerator + i.bit_length()",
    "x[i] = float(f'{i}.5') + len(str(i)) + len({i, 1}) + len({i: x[i]})",
    "box.total += x[i]\nx[i] = box.total",
    "box.last, x[i] = x[i], i",
    "if x[i] > 4:\n    raise ValueError(f'{i}')\nx[i] = 1",
    "assert x[i] < 4, i\nx[i] = 1",
    "x[i] = np.clip(x[i], a_min=1, a_max=i) + np.argmax(x)",
    "np.sqrt(x[i], x[i:i + 1].reshape(()))",
    "x[i:].sort()",
]


@pytest.mark.parametrize("directives", IN_ORDER)
@pytest.mark.parametrize("body", BODIES)
def test_an_order_that_is_kept_is_accepted(body: str, directives: str) -> None:
    agrees(text_of(body, directives))


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("x[3 * i + j] = g(i, j)", "`g(i, j)` may read and write anything"),
        ("box.sort()", "`box.sort()` may read and write anything"),
        ("box.total += x[j]", "`box.total` may change anything"),
        ("if x[j] > 3:\n    raise ValueError(j)", "`raise ValueError(j)` may end the"),
        ("assert x[j] < 3", "`assert x[j] < 3` may end the loops"),
        ("np.sqrt(x[j], x[i:i + 1])", "`np.sqrt(x[j], x[i:i + 1])` may read and"),
        ("t = g()\nt += 1\nx[3 * i + j] = t", "`g()` may read and write anything"),
        ("print(i, file=box)", "`print(i, file=box)` may read and write anything"),
        (
            "x[3 * i + j] = np.random.rand()",
            "`np.random.rand()` may read and write anything",
        ),
        ("x[3 * i + j] = next(box)", "`next(box)` may read and write anything"),
    ],
)
@pytest.mark.parametrize("directives", ["reorder j i", "parallel i", "vectorize j"])
def test_an_order_that_is_not_kept_is_unknown(
    body: str, what: str, directives: str
) -> None:
    error = refusal(nested(body, directives))
    assert error.code == "LX203"
    assert error.detail[0].startswith(what)
    assert error.place is not None and error.place.line == 5
    assert not transform_text(nested(body, f"{directives} | trust order"), "f").errors


def test_two_prints_do_not_change_their_order() -> None:
    error = refusal(nested("print(i, j)", "reorder j i"))
    assert error.code == "LX201"
    assert "write the output at (i=0, j=1)" in error.detail[0]
    assert refusal(nested("print(i, j)", "parallel i")).code == "LX202"
    assert refusal(nested("if x[j] > 2:\n    print(i)", "parallel i")).code == "LX203"


def test_only_what_is_printed_keeps_its_place() -> None:
    """Other statements may pass by, but for those that write what it shows."""
    body = """\
for j in range(3):
    x[n] = x[n] + {}
    print(j)"""
    swapped = "nest a | split j 2 | reorder j jj i"
    assert refusal(text_of(body.format("j"), swapped)).code == "LX201"
    apart = """\
print(i)
for j in range(3):
    x[j] = x[j] + i"""
    agrees(text_of(apart, "reorder j i", before="n = min(n, 3)"))
    shows = apart.replace("print(i)", "print(x[n])").replace("x[j]", "x[n - j]")
    assert refusal(text_of(shows, "reorder j i")).code == "LX201"


def test_loops_inside_are_free_where_nothing_is_unknown() -> None:
    body = """\
g(i)
for j in range(1, 3):
    for k in range(1, 4):
        x[0] = x[0] + 0.0 * k
        x[j] = x[j] + 1"""
    agrees(
        text_of(body, "split k 2", before="n = min(n, 3)").replace("x[j]", "x[0 * j]")
    )
    swapped = """\
g(i)
for j in range(3):
    for k in range(n):
        x[k] = x[k] + j"""
    agrees(text_of(swapped, "reorder k j"))


@pytest.mark.parametrize(
    ("bound", "before", "reason"),
    [
        ("box.n", "pass", "it may change `box.n`, which the nest counts with"),
        ("len(x)", "pass", "it may change `len(x)`, which the nest counts with"),
        ("N", "pass", "it may change `N`, which the nest counts with"),
        ("n", "global n", "it may change `n`, which the nest counts with"),
        ("n", "h = lambda: i", "it may see or bind `i`, which the nest binds"),
        ("n", "global i", "it may see or bind `i`, which the nest binds"),
        ("n", "def h():\n    return t", "it may see or bind `t`, which the nest binds"),
    ],
)
def test_what_a_call_may_reach(bound: str, before: str, reason: str) -> None:
    text = text_of("t = i\nx[i] = g(t)", "split i 4", before).replace(
        "range(n)", f"range({bound})"
    )
    text = text.replace("(x, n, g", "(x, g") if "global n" in text else text
    error = refusal(text)
    assert error.code == "LX302"
    assert reason in error.message
    assert transform_text(text.replace("g(t)", "abs(t)"), "f.py").changed


def test_the_hint_of_a_length_works() -> None:
    text = text_of("g(x[i])", "split i 4").replace("range(n)", "range(len(x))")
    assert refusal(text).hint == "store `len(x)` in a variable before the nest"
    agrees(text_of("g(x[i])", "split i 4", before="n = len(x) - 1"))


def test_a_size_in_an_attribute_that_is_assigned() -> None:
    """``n`` was stored there before: it is not the same any more."""
    body = "box.n = i\nfor j in range(n):\n    x[j] = x[j] + 1"
    agrees(text_of(body, "split i 2", before="box.n = n"))


@pytest.mark.parametrize(
    "body",
    [
        "i = i\nx[i] = 1",
        "i = i",
        "n = n\nx[i] = n",
        "i, n = i, n\nx[i] = 1",
        "if x[i] > 0:\n    i = i\nelse:\n    x[i] = 2",
        "if x[i] > 1:\n    n = n; x[i] = 3",
        "x = x\nx[i] = 1",
        "pass\npass",
        "for j in range(i):\n    j = j\n    i = i\nx[i] = i",
    ],
)
@pytest.mark.parametrize(
    "directives", ["split i 4 as a b", "unroll i 3", "split i 4 | reorder ii i"]
)
def test_what_has_the_value_it_is_given(body: str, directives: str) -> None:
    agrees(text_of(body, directives))


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("u = u", "LX301"),
        ("i = i + 0", "LX301"),
        ("i = n", "LX301"),
        ("n = i = i", "LX305"),
    ],
)
def test_what_is_assigned_another_value(body: str, code: str) -> None:
    assert refusal(text_of(body, "split i 4")).code == code


@pytest.mark.parametrize("before", ["del n", "global n"])
def test_a_name_that_may_have_no_value(before: str) -> None:
    text = text_of("n = n\nx[i] = 1", "split i 4", before)
    text = text.replace("(x, n, g", "(x, g") if "global" in before else text
    assert not transform_text(text, "f.py").changed


def test_texts_in_a_temporary_are_replaced() -> None:
    text = """\
import numpy as np

def f(x, n, g, box):
    T = np.zeros(n)
    # looptx: fuse n0 n1 | temp T
    for i in range(n):
        T[i] = x[i]
    for i in range(n):
        print(f"{T[i]} {T[i]:.2f} T[i]")
"""
    assert "T[i]:" not in transform_text(text, "f.py").text
    agrees(text)


def test_validation_compares_what_is_printed() -> None:
    text = nested("print(f'{i} {x[j]:.3f}', j)", "split i 2")
    assert transform_text(text, "f.py", validate=True).validated[0].ok
    vouched = nested("print(f'{i} {x[j]:.3f}', j)", "reorder j i | trust order")
    (error,) = transform_text(vouched, "f.py", validate=True).errors
    assert error.code == "LX208"
    assert "what is printed" in error.detail[0]


def test_validation_runs_what_it_knows() -> None:
    body = "q, r = divmod(x[i], 3)\nx[i] = q + r if isinstance(i, int) else 0"
    assert transform_text(text_of(body, "split i 2"), "f.py", validate=True).validated


@looptx.kernel("split i 4")
def shown(x):
    n = x.shape[0]
    for i in range(n):
        print(f"{i}", end=" ")
        x[i] = i


@looptx.kernel("split i 4", strict=True)
def strictly(x):
    n = x.shape[0]
    for i in range(n):
        x[i] = hook(i)


@looptx.kernel("reorder j i")
def crossed(x, n):
    for i in range(n):
        for j in range(n):
            x[j] = hook(i)


def hook(i: int) -> int:
    HOOKED.append(i)
    return 2 * i


HOOKED: list[int] = []


def test_a_kernel_runs_it_as_python(capsys: pytest.CaptureFixture[str]) -> None:
    x = np.zeros(6)
    with pytest.warns(RuntimeWarning, match="prints"):
        shown(x)
    assert capsys.readouterr().out == "0 1 2 3 4 5 "
    assert x.tolist() == list(range(6))
    assert "`print(f'{i}', end=' ')` prints" in str(shown.report())
    with pytest.raises(LooptxError, match=r"`hook` contains `HOOKED\.append\(i\)`"):
        strictly(x)
    with pytest.raises(LooptxError, match="keeps its place"):
        crossed(x, 3)
    assert x.tolist() == list(range(6))


def test_the_rewritten_text_has_no_names_of_its_own_in_strings() -> None:
    """Every name in an f-string is found, whatever stands around it."""
    strings: list[Callable[[str], str]] = [
        lambda i: f'f"{{{i}}}{{{i}}}"',
        lambda i: f'f"é {{{i}}} é{{x[{i}]}} i"',
        lambda i: f"f'{{ {i} }}' f'i{{{i}}}'",
        lambda i: f'f"{{{i}:{{{i}}}}}"',
        lambda i: f'f"{{({i})}} {{{{i}}}} \\n"',
        lambda i: f"rf'\\d{{{i}!r:>3}}'",
    ]
    for make in strings:
        text = text_of(f"print({make('i')})", "split i 4")
        result = transform_text(text, "f.py")
        assert f"print({make('ii')})" in result.text
        agrees(text)


@pytest.mark.parametrize(
    "value",
    [
        "np.sum(u)",
        "np.sum(u * 2)",
        "np.dot(u, u)",
        "sum(u)",
        "sum((u, 1))",
        "max(u)",
        "math.fsum(u)",
        "float(str(u))",
        "len(f'{u}')",
    ],
)
def test_what_is_read_as_a_whole_may_be_an_array(value: str) -> None:
    """``u`` has no subscript anywhere, and may share memory with what is written."""
    body = f"x[i] = 1\nx[n] = {value}"
    error = refusal(text_of(body, "parallel i", before="u = g(x)"))
    assert error.code in ("LX202", "LX203")
    apart = text_of(f"x[i] = {value}", "parallel i", before="u = g(x)")
    assert refusal(apart).detail[0] == "x and u may share memory;"
    alone = apart.replace("u = g(x)", "u = box")
    assert transform_text(alone, "f.py").changed


@pytest.mark.parametrize("value", ["max(u, 1)", "abs(u)", "u * 2", "len(f'{n} {i}')"])
def test_what_is_read_as_a_number_is_one(value: str) -> None:
    text = text_of(f"x[i] = {value}", "parallel i", before="u = g(x)")
    assert transform_text(text, "f.py").changed


def test_long_calls_are_shown_in_part() -> None:
    call = f"g({', '.join(f'x[i + {k}]' for k in range(40))})"
    error = refusal(text_of(call, "parallel i"))
    assert len(error.detail[0]) < 120
    assert "... ` may" not in error.detail[0] and " ...` may" in error.detail[0]


@pytest.mark.parametrize("name", sorted(NAMES.keys() - {"bool"}))
def test_a_type_of_numbers_is_pure_by_each_of_its_names(name: str) -> None:
    text = "import numpy as np\n\n\ndef f(A, B, n):\n    # looptx: parallel i\n"
    text += f"    for i in range(n):\n        A[i] = np.{name}(B[i])\n"

    assert not transform_text(text, "t.py").errors


PROPERTIES = """
class Body:
    @property
    def first(self):
        return self.x[0]

    @property
    def twice(self):
        return self.x * 2

    @property
    def half(self):
        return self.dt / 2

    @property
    def n(self):
        return len(self.x)

    @property
    def y(self):
        return self.x


def f(b, n):
    # looptx: split i 4
    for i in range(n):
        {}
        b.x[n - 1 - i] = 0.0
"""


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("b.z[i] = b.first", "`b.first` may do anything, as its class says"),
        ("b.z[i] = b.twice[i]", "`b.twice` may do anything, as its class says"),
        ("b.z[i] = b.half + b.n", ""),
        ("b.z[i] = b.y[i]", ""),
    ],
)
def test_properties_that_read_elements_may_do_anything(line: str, why: str) -> None:
    module = read(PROPERTIES.format(line), "f.py")
    (nest,) = (nest for kernel in module.kernels for nest in kernel.nests)
    found = [one.effects for one in nest.statements.values() if one.effects]
    assert found == ([why] if why else [])
