"""Loops over elements drawn at random: rewritten, they do what they did."""

from __future__ import annotations

from random import Random
from textwrap import indent
from typing import Any

import numpy as np
import pytest
from kit.samples import some
from semantics.table import exactly

from looptx.cli.text import transform_text
from looptx.source.nests import builder
from looptx.source.nests import headers as ranges
from looptx.source.spelling import headers, stretches

CASES = some(40)


def drawn(seed: int) -> str:
    """A module with a function of one scheduled nest."""
    dice = Random(f"elements {seed}")
    start = dice.choice((0, 0, 1, 3))
    shift = f", {start}" if start else ""
    number = dice.choice(("i", "k"))
    step = dice.randint(1, 3)
    ends = [dice.choice(("", *range(-3, 4))) for _ in range(2)]
    part = dice.choice((f"[{ends[0]}:{ends[1]}]", f"[{ends[0]}::2]", "[::-1]"))
    head, index, terms = dice.choice(
        (
            ("for v in x:", "iv", ["v"]),
            (f"for {number}, v in enumerate(x{shift}):", number, ["v", number]),
            ("for a, b in zip(x, y):", "ia", ["a", "b"]),
            (
                f"for {number}, (a, b) in enumerate(zip(y, x){shift}):",
                number,
                ["a", "b", number],
            ),
            ("for i, j in np.ndindex(A.shape):", "i", ["A[i, j]", "i", "j"]),
            ("for (i, j), v in np.ndenumerate(A):", "i", ["v", "i", "j"]),
            (f"for v in x{part}:", "iv", ["v"]),
            (f"for {number}, v in enumerate(x{part}{shift}):", number, ["v", number]),
            (f"for a, b in zip(y{part}, reversed(x)):", "ia", ["a", "b"]),
            (f"for {number} in ({start}, {start + step}):", number, [number]),
            ("for a, b in ((3, 0.5), (1, 2.5), (2, 1.5)):", "ia", ["a", "b"]),
            (f"for v, a in zip(x{part}, (0.5, 4.0, 3.5)):", "iv", ["v", "a"]),
            ("for i, j in np.ndindex((len(x), 3)):", "j", ["x[i]", "i", "j"]),
            (
                f"for {number} in reversed(range({start}, len(x), {step})):",
                number,
                [f"x[{number}]", number],
            ),
            (
                f"for {number} in reversed(range(len(x) - 1, -1, -{start or 2})):",
                number,
                [f"y[{number}]", number],
            ),
        )
    )
    # Only where an element says how many axes A has does its shape say it.
    one = terms[0] if terms[0] == "A[i, j]" else dice.choice(terms)
    two = dice.choice(terms)
    stores = [
        f"t = t / 2 + {one} - {two}",
        f"u = {one} * 2\nt = t / 3 - u",
        f"B[0, 1] = B[0, 1] / 2 + {one}\nB[0, 2] -= {two}",
    ]
    if "v" in terms and start == 0 and number in terms:
        stores.append(f"y[{number}] = v + {two}\nx[0] = t\nt = t / 2 + y[0]")
    if terms[0] == "A[i, j]":
        stores.append("A[i, j] = A[i, 0] / 2 + x[i]\nt = t / 2 - A[0, j]")
    body = dice.choice(stores)
    if dice.random() < 0.3:
        body = f"if {one} > {dice.randint(-1, 3)}:\n{indent(body, '    ')}"
    verb = dice.choice((f"split {index} {dice.randint(2, 4)}", f"unroll {index} 2"))
    text = f"t = 0.0\n# looptx: {verb}\n{head}\n{indent(body, '    ')}\nreturn t\n"
    return f"import numpy as np\n\n\ndef f(A, B, x, y):\n{indent(text, '    ')}"


def run(text: str, n: int) -> object:
    """What a function returns and leaves behind."""
    space: dict[str, Any] = {}
    exec(compile(text, "t.py", "exec"), space)
    table = np.arange(4.0 * n).reshape(n, 4) / 3
    given = [table, np.ones((3, 4)), np.arange(n) / 7, np.arange(n + 2) + 0.5]
    return exactly((space["f"](*given), *given))


def wrong(seed: int) -> str:
    """What is wrong with a case; empty where nothing is."""
    text = drawn(seed)
    result = transform_text(text, "t.py")
    if result.errors:
        return f"{result.errors[0]}\n{text}"
    for n in (0, 1, 2, 7):
        if run(result.text, n) != run(text, n):
            return f"n={n}\n{text}\n{result.text}"
    return ""


def test_drawn_loops() -> None:
    assert not [found for seed in range(CASES) if (found := wrong(seed))]


@pytest.mark.parametrize(
    "fault", ["start", "lengths", "backwards", "parts", "distances"]
)
def test_faults_are_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if fault == "start":
        monkeypatch.setattr(headers, "_start", lambda *_: 0)
    elif fault == "lengths":
        source = headers.sourced
        monkeypatch.setattr(
            headers,
            "sourced",
            lambda text, place: source(text.replace("min(", "max("), place),
        )
    elif fault == "parts":
        monkeypatch.setattr(stretches.Stretch, "position", lambda self, number: number)
    elif fault == "distances":
        monkeypatch.setattr(stretches, "chosen", lambda texts, first, at: texts[0])
    else:
        assert builder.bounds is ranges.bounds
        monkeypatch.setattr(ranges, "_backwards", lambda *given: given)

    def fails(seed: int) -> bool:
        try:
            return bool(wrong(seed))
        except (IndexError, NameError):
            return True

    assert any(map(fails, range(CASES)))
