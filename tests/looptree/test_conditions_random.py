"""Conditions that are known in part: random ones, run on data before and after."""

from __future__ import annotations

import random

import numpy as np
import pytest
from kit.samples import some

from looptx.cli.text import transform_text

KNOWN = ("i < 3", "i >= n", "i > 4", "i % 2 == 0", "i == 5", "n > 6", "i != 2")
DATA = ("B[i] > 0", "B[i] > 1", "m > 2")
SCHEDULES = ("split i 3 | reorder ii i", "parallel i", "split i 2 | split ii 1")
CELLS = ("A[i]", "A[i + 1]", "A[i - 1]", "A[0]", "A[n]", "A[2]")
SIZES = (0, 1, 2, 5, 8, 13)


def condition(dice: random.Random, depth: int = 2) -> str:
    if depth == 0 or dice.random() < 0.2:
        return dice.choice(KNOWN if dice.random() < 0.6 else DATA)
    if dice.random() < 0.2:
        return f"not ({condition(dice, depth - 1)})"
    word = dice.choice((" and ", " or "))
    parts = (f"({condition(dice, depth - 1)})" for _ in range(2))
    return word.join(parts)


def program(dice: random.Random) -> str:
    lines = [f"# looptx: {dice.choice(SCHEDULES)}", "for i in range(1, n):"]
    if dice.random() < 0.5:
        test = condition(dice)
        values = (f"{dice.choice(CELLS)} + {number}" for number in (1, 2))
        lines.append(f"    A[i] = {' if {} else '.join(values).format(test)}")
    else:
        for word in ("if", "elif"):
            lines.append(f"    {word} {condition(dice)}:")
            lines.append(f"        {dice.choice(CELLS)} = {dice.choice(CELLS)} + 1")
        lines += ["    else:", "        A[i] = B[i]"]
    return "def f(A, B, n, m):\n" + "".join(f"    {line}\n" for line in lines)


def run(text: str, n: int, seed: int) -> list[float]:
    """What a function makes of arrays, `parallel` loops backwards as well."""
    scope: dict[str, object] = {}
    exec(text, scope)
    A = np.arange(n + 4.0) * 7
    B = np.random.default_rng(seed).integers(-1, 3, n + 4).astype(float)
    scope["f"](A, B, n, seed)  # type: ignore[operator]
    return A.tolist()


@pytest.mark.parametrize("seed", range(some(2)))
def test_what_is_accepted_computes_the_same(seed: int) -> None:
    dice = random.Random(seed)
    accepted = 0
    for _ in range(40):
        text = program(dice)
        result = transform_text(text, "f.py")
        assert all(error.code[:4] == "LX20" for error in result.errors)
        if result.errors:
            continue
        accepted += 1
        backwards = text.replace("range(1, n)", "range(n - 1, 0, -1)")
        others = [result.text, *([backwards] if "parallel" in text else [])]
        for n in SIZES:
            for data in range(5):
                expected = run(text, n, data)
                for other in others:
                    assert run(other, n, data) == expected, text
    assert accepted > 3
