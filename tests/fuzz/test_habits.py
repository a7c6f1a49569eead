"""What people write in loops is drawn by the native tier, and can be compiled."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from fuzz.generate.program import SCHEDULES
from fuzz.native.calls import calls
from fuzz.native.program import drawn

SEEDS = 450
LEAST = 3
"""So many of the functions have each construct."""

CONSTRUCTS = {
    "a tuple with a name": r"(pair|best) = \(",
    "a tuple taken apart": r"low, high = (pair|best)",
    "a row taken apart": r"left, right = P\[",
    "a row put together": r"P\[.*\] = .*, ",
    "an element whose place is no name": r"for f in ",
    "rows in turn": r"for left, right in P:",
    "arrays that exchange names": r"u, v = v, u|v, u = u, v",
    "an array that a loop makes": r"own\[\w\] \+=",
    "a name without a value": r"return .*(found|last)",
    "a guard of a position": r"if 0 < \w < [nm] - 1:",
    "a guarded element": r"if \w \+ \d < [nm] else",
    "a square": r"\*\* 2$",
    "another power": r"\*\* (-1|3|1\.5|0\.5)",
    "a shift by a variable": r"(<<|>>) \(?[a-z(]",
    "a product of rows": r" @ |np\.dot\(",
    "a sum of a row": r"np\.sum\(",
    "numbers written out": r"in [(\[]-?\d, -?\d.*[)\]]:",
    "a table of numbers": r"weights\[\w\]",
    "neighbours that change places": r"([KL]\[[^=]*\]), ([KL]\[[^=]*\]) = \2, \1",
    "cells moved as long as they say so": r"while h > 0 and [KL]\[",
    "a place that was seen": r"if D\[h\] [<>] D\[b\]:\n +b = ",
    "a power of one number": r"q \*\* \(?-?[hgn]",
    "a cell that the last of a few rounds stores": r"if V\[g, h\].*\n +U\[.*\] = ",
    "bits from the other end": r"into << 1",
    "a list that a comprehension makes": r"made = \[[^\[].* for h in",
    "rows that a comprehension makes": r"made = \[\[.* for h in",
    "a list that has another length by then": r"m = len\(made\)",
    "values that places choose": r"^ +[YZXW]\[.*\] [-+]?= .* if .*\bh\b.* else",
    "a place and a number in a test": r"if .*\bh\b [<>=!]=? .* (and|or) [YZXW]\[",
    "ways that write alike": (
        r"( +)if [YZXW]\[.*:\n\1    ([YZXW]\[[gh, ]+\] [-+]?=).*\n\1else:\n\1    \2"
    ),
    "a cell that some iterations store, and all": (
        r"( +)if [YZXW]\[.*:\n\1    ([YZ]\[[gh, ]+\]) .*\n\1\2 [+]?="
    ),
    "an array from its end": r"in reversed\(",
    "numbers among others": r"(if |= ).*\bin [({\[][-\w]",
    "functions of rows": r"sweep\d+\(.*[RQS]",
    "what functions give": r"[RQ]\[.*\] = fill\d+\([RQ]",
    "parts that get one value": r"Q[ab]\[.*\] = Q[ab]\[.*\] = ",
    "a function of a part that lies backwards": r"np\.\w+\(Q[ab]\[(-\d)?:.*-1\]",
    "cells as far apart as a loop says": r"Q[ab]\[.*:.*:(h|m|n - h).*\] [-+*]?= ",
    "the lowest bits of what is large": r"mix \^?= .*[&%]",
    "pixels of several numbers": r"R[ab]\[\(.*\) \* 2",
    "a part as large as data say": r"part = Ta\[.*:.*\]",
    "an array as large as data say": r"own = np\.(zeros|ones|full)\(.*(g|Tc)",
    "positions that a mask tells": r"here = np\.(flatnonzero|nonzero)\(",
    "a part of a table": r"np\.\w+\(Qc\[",
    "powers of elements in turn": r"S[ab]\[h\]\)? \*\* ",
    "exponents of an array": r"\*\* Sc\[h\]",
    "a range that is numbered": r"enumerate\(range\(",
    "a range beside others": r"zip\(.*range\(",
    "a function that asks of arrays": r"ask\d+\(Q",
    "a place in a row": r"np\.searchsorted\(",
    "the order of a row": r"np\.(nan)?(median|percentile|quantile|ptp)\(M",
    "a row where data say": r"row = Qa\[",
    "rows that get names at once": r"row, other = Qa",
    "what a generator gives": r"(sum|max|min|any|all)\(.* for ",
    "a row that a loop goes through": r"for (h, )?v(, w)? in .*Ra\[",
    "numbers of several types": r"held = ",
    "elements under a mask": r"row = Q[abc].*\[~?\(?Qb [<>!]",
    "a list that a loop fills": r"found\.append\(",
    "a list that is emptied": r"= stack\.pop\(",
    "a list that each round makes": r"^ +found2 = \[",
    "a complex array as a whole": r"^ +W[abr]\[:, :\] = ",
    "an axis that is repeated": r"[-+*] Wc",
    "a cell by its number": r"Fa\.flat\[",
    "a number beside a place": r"Fa\[g, [h0]\].*Fa\.flat|Fa\.flat.*Fa\[g, [h0]\]",
    "any number of numbers": r"take\d+\(g",
    "a name that gets its value late": r"\blate\b",
    "what may be None": r"\bOa is (not )?None",
    "an element of a tuple": r"parts\[",
    "a list of numbers of Python": r"kept\[",
    "a list of lists": r"deep\[",
    "a function that calls itself": r"walk\d+\(N",
    "an array that the first round makes": r"if h == 0:\n +began = ",
    "what a function gives to a row": r"give\d+\(V",
    "a number on the way to a row": (
        r"(V[ab]\[.*\]|t) [-+*]?=.* (math\.|abs\(h|max\(h|float\(h)"
    ),
    "all elements": r"\.(ravel|flatten)\(\)",
}


@pytest.fixture(scope="module")
def texts() -> list[str]:
    found = (drawn(seed, SCHEDULES) for seed in range(SEEDS))
    return [made.text() for made in found if made is not None]


def _compiled(texts: list[str]) -> Iterator[str]:
    for text in texts:
        compile(text, "drawn.py", "exec")
        yield text


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_constructs_are_drawn(construct: str, texts: list[str]) -> None:
    pattern = re.compile(CONSTRUCTS[construct], re.MULTILINE)
    assert sum(bool(pattern.search(text)) for text in _compiled(texts)) >= LEAST


def test_arrays_that_belong_together_mostly_have_their_extents() -> None:
    alike, rows = [], []
    for seed in range(120):
        made = drawn(seed, SCHEDULES)
        if made is None or not any(x.row or x.like for x in made.functions[0].arrays):
            continue
        for call in calls(made, lambda **_: None, seed):
            shapes = {one.name: one.shape for one in call.arrays}
            if {"u", "v"} <= {*shapes}:
                alike.append(shapes["u"] == shapes["v"])
            if "P" in shapes:
                rows.append(shapes["P"][1] == 2)
    assert len(alike) > 20 and len(rows) > 20
    # Some share memory with an array of other extents.
    assert 0.75 < sum(alike) / len(alike) < 1 and 0.75 < sum(rows) / len(rows) < 1
