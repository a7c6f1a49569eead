"""Random reductions of integers in parts, with random directives before and behind.

What is right is what CPython makes of the source. No schedule drawn here that names
what there is may be refused but for the reasons listed.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from kit.carried import rewritten, same
from kit.samples import some

NESTS = {
    "for k in range({bounds}):\n    {s}": ("s", "A[k, 0]", ""),
    "for i in range(n):\n    for k in range({bounds}):\n        {s}": (
        "C[i // 2, 0]",
        "A[i, k]",
        "i",
    ),
    "for i in range(n):\n    C[i, 1] = 3\n    for k in range({bounds}):\n        {s}": (
        "C[i, 1]",
        "A[i, k]",
        "i",
    ),
    "for i in range(n):\n    s = A[i, 0]\n    for k in range({bounds}):\n        {s}\n"
    "    C[i, 0] = s": ("s", "A[i, k]", "i"),
    "for i in range(n):\n    for k in range(i, n):\n        {s}\n"
    "    B[i, 0] = C[i, 0]": ("C[i, 0]", "A[i, k]", "i"),
    "for j in range(n):\n    for k in range({bounds}):\n        if k > 1:\n"
    "            {s}": ("s", "A[j, k]", "j"),
    "for i in range(n):\n    for j in range(3):\n        for k in range({bounds}):\n"
    "            {s}": ("C[i + j, n - i]", "A[i, k] * B[k, j]", "i"),
}
"""``{nest: (target, term, outer loop)}``."""

FORMS = (
    "{t} += {x}",
    "{t} = {t} - {x}",
    "{t} *= {x}",
    "{t} |= {x}",
    "{t} ^= {x}",
    "{t} = max({t}, {x})",
    "{t} = {x} if {x} < {t} else {t}",
)
BOUNDS = ("n", "n", "2, n", "n - 1, -1, -1", "0, n, 2")
REFUSED = ("LX104", "LX105", "LX106", "LX201")
"""What has gone or become several, or a second cut that needs the parts of a row."""


def drawn(seed: int) -> str:
    """A function with directives."""
    pick = random.Random(seed).choice
    text = pick([*NESTS])
    target, term, outer = NESTS[text]
    form = pick(FORMS).format(t=target, x=term)
    nest = text.format(bounds=pick(BOUNDS), s=form)
    first = [pick(["split k 3", "split k 2", "pad k 1", ""])]
    loop = pick(["k", "kk"]) if "split" in first[0] else "k"
    more = [f"parallel P.{loop}", f"split P.{loop} 2", f"rfactor {loop} as R"]
    if outer:
        first.append(pick([f"split {outer} 2", "", ""]))
        more += [f"compute_at P {outer}", f"reorder P.{outer} P.{loop}", "temp P"]
    chosen = [*first, f"rfactor {loop} as P", pick(more), pick(["", *more])]
    directives = " | ".join(dict.fromkeys(filter(None, chosen)))
    lines = "\n".join(f"    {line}" for line in nest.splitlines())
    arrays = ", ".join(f'{name}: "int64[:, :]"' for name in "ABC")
    return (
        f'def f({arrays}, s: "int", n: "int"):\n'
        f"    # looptx: {directives}\n{lines}\n    return s\n"
    )


def calls() -> list[list[object]]:
    """Arguments for sizes that nothing divides."""
    found: list[list[object]] = []
    for n in (0, 1, 2, 3, 7):
        values = np.random.default_rng(n)
        shape = (2 * n + 3, 2 * n + 3)
        arrays = [values.integers(-9, 9, shape) for _ in range(3)]
        found.append([*arrays, 5, n])
    return found


@pytest.mark.parametrize("seed", range(some(20)))
def test_parts_are_what_the_source_adds_up(seed: int) -> None:
    source = drawn(seed)
    new = rewritten(source)
    if new.code:
        assert new.code in REFUSED, f"{new.message}\n{source}"
    else:
        same(source, *calls())


def test_most_are_legal() -> None:
    legal = [not rewritten(drawn(seed)).code for seed in range(some(20))]
    assert sum(legal) > len(legal) * 0.6
