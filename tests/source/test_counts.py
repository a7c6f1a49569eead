"""Sums of what is true are integers: exact in any order, of the types Python gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kit.calls import imported, outcome, same
from kit.together import together

from looptx.cli.text import transform_text

SIZES = (0, 1, 2, 3, 7, 16, 97)
DIRECTIVES = ("parallel i", "vectorize i", "split i 4 | reorder ii i", "unroll i 3")

TEXT = """
import numpy as np


def f(x, y):
    s = {start}
    # looptx: {directives}
    for i in range(x.shape[0]):
        {line}
    return s
"""

COUNTS = [
    ("0", "s += x[i]"),
    ("-3", "s = x[i] + s"),
    ("0", "s -= x[i]"),
    ("0", "s += not x[i]"),
    ("0", "s += y[i] > 0.5"),
    ("np.int8(120)", "s += y[i] > 0.1"),
    ("0", "s += i > 3"),
    ("2", "s = s + (0.25 < y[i] < 0.5)"),
    ("0", "s += 2 * (y[i] > 0.5)"),
    ("0", "s += x[i] & (y[i] > 0.5)"),
]


def inputs(n: int) -> tuple[Any, ...]:
    values = np.random.default_rng(n).random(n)
    return values > 0.4, values[::-1].copy()


@pytest.fixture(scope="module", params=DIRECTIVES)
def counted(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[Any]:
    """The kernels of all counts, compiled together."""
    folder = tmp_path_factory.mktemp("counts")
    kernels = []
    with together() as nests:
        for number, (start, line) in enumerate(COUNTS):
            text = TEXT.format(start=start, line=line, directives=request.param)
            text = f"import looptx\n{text}".replace("def f", "@looptx.kernel\ndef f")
            kernels.append(imported(folder / f"counts_{number}.py", text).f)
            outcome(kernels[-1], *inputs(3))
        nests.build(folder)
    return kernels


@pytest.mark.parametrize("number", range(len(COUNTS)))
def test_counts_need_no_leave(counted: list[Any], number: int) -> None:
    for n in SIZES:
        same(counted[number], *inputs(n), native=1)


def test_counts_of_conditions_in_rewritten_text() -> None:
    given = {"start": "0", "line": "s += y[i] > 0.5", "directives": DIRECTIVES[2]}
    text = TEXT.format(**given)
    result = transform_text(text, "f.py", validate=True)
    assert result.changed, result.errors
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    exec(text, before)
    exec(result.text, after)
    for n in SIZES:
        assert repr(before["f"](*inputs(n))) == repr(after["f"](*inputs(n)))


@pytest.mark.parametrize(
    ("start", "line"),
    [
        # True and True is True, not 2.
        ("False", "s += y[i] > 0.5"),
        ("0.5", "s += y[i] > 0.5"),
        ("0", "s += min(y[i] > 0.5, y[i])"),
        ("0", "s += y[i] if y[i] > 0.5 else y[i] < 0.2"),
    ],
)
def test_what_is_no_count(start: str, line: str) -> None:
    text = TEXT.format(start=start, line=line, directives=DIRECTIVES[2])
    (error,) = transform_text(text, "f.py").errors
    assert error.code in ("LX201", "LX202")
