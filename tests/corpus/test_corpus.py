"""Functions as people write them: right to the bit, and as native as the table says."""

from __future__ import annotations

import shutil

import pytest

from corpus import FIELDS
from corpus.running import NATIVE, PART, cases, outcomes
from corpus.table import blocking, recorded, shares

compiled = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)

AGAIN = "`make corpus ARGS=--write` records what runs now"


@compiled
@pytest.mark.parametrize("field", FIELDS)
def test_functions_are_right_and_as_native_as_recorded(field: str) -> None:
    found = list(outcomes(field))

    assert not [text for one in found for text in one.wrong]
    ran = {one.name: one.ran for one in found}
    known = recorded()[field]
    changed = {name: (known.get(name), ran[name]) for name in ran}
    assert not {n: two for n, two in changed.items() if two[0] != two[1]}, AGAIN
    assert known.keys() == ran.keys(), AGAIN


def test_the_corpus_is_large() -> None:
    names = [name for field in FIELDS for name in cases(field)]

    assert len(names) >= 150
    assert len(set(names)) == len(names)


def test_functions_are_not_spoken_of_without_their_names() -> None:
    table = {"f": {"a": NATIVE, "b": f"{PART}LX1 `x` is odd", "c": "LX1 `y` is odd"}}

    assert blocking(table) == [("LX1 ... is odd", ["f.b", "f.c"])]
    assert list(shares(table))[2:] == [
        "| f | 3 | 1 | 1 | 1 |",
        "| all | 3 | 1 | 1 | 1 |",
    ]
