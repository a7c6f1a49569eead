"""Functions as people write them: right to the bit, and as native as the table says."""

from __future__ import annotations

import shutil
import types

import pytest

from corpus import FIELDS
from corpus.against import Timed, jitted, rows
from corpus.built import PYTHON, built
from corpus.running import NATIVE, PART, cases, left, outcomes
from corpus.table import FIRST, LAST, README, blocking, recorded, shares, told

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


@compiled
@pytest.mark.parametrize("field", ["graphs", "geometry"])
def test_what_is_built_ahead_of_time_is_right_and_native(field: str) -> None:
    found = list(built(field))

    assert not [text for one in found for text in one.wrong]
    assert not [one.name for one in found if one.ran == PYTHON]


@compiled
def test_masks_that_files_name_are_known_ahead_of_time() -> None:
    ran = {one.name: one.ran for one in built("bits") if not one.wrong}

    assert ran["fnv1a_64"] == ran["hashed_buckets"] == ran["xoroshiro_uniform"]
    assert ran["fnv1a_64"] != PYTHON


def test_the_corpus_is_large() -> None:
    names = [name for field in FIELDS for name in cases(field)]

    assert len(names) >= 150
    assert len(set(names)) == len(names)


def test_the_readme_tells_what_is_recorded() -> None:
    text = README.read_text("utf-8").partition(FIRST)[2].partition(LAST)[0]

    assert text == told(recorded()), AGAIN


@pytest.mark.parametrize("count", [0, 3, 12])
def test_few_reasons_are_all_of_them(count: int) -> None:
    lines = told(stopped(count)).splitlines()

    assert "other reasons" not in "".join(lines)
    rows = lines[lines.index("|---|---|") + 1 :]
    assert sorted(rows) == sorted(f"| ... {k} | 1 |" for k in range(count))


def test_reasons_beyond_the_twelfth_are_counted() -> None:
    assert told(stopped(15)).splitlines()[-1] == "| 3 other reasons | 3 |"


def stopped(count: int) -> dict[str, dict[str, str]]:
    """A table of as many functions, each with a reason of its own."""
    return {"field": {f"f{k}": f"`x` {k}" for k in range(count)}}


def test_helpers_are_compiled_for_the_comparison_too() -> None:
    compiled: list[str] = []

    def jit(function: types.FunctionType) -> types.FunctionType:
        compiled.append(function.__name__)
        return function

    case = cases("distances")["pairwise_helper"]
    copy = jitted(case.function, jit)

    assert compiled == ["euclidean", "pairwise_helper"]
    assert left(copy, case, 7) == left(case.function, case, 7)
    assert copy.__globals__ is not case.function.__globals__


def test_a_comparison_says_what_it_comes_to() -> None:
    found = [Timed("a", 16, 1.0, 2.0, (0, 0)), Timed("b", 16, 4.0, 2.0, (0, 0))]

    assert [line.split(" ")[1] for line in list(rows(found, False))[2:4]] == ["b", "a"]
    assert list(rows(found, False))[-1] == (
        "2 functions: median 1.25, geometric mean 1.00, largest 2.00, 1 above 1.5"
    )


def test_functions_are_not_spoken_of_without_their_names() -> None:
    table = {"f": {"a": NATIVE, "b": f"{PART}LX1 `x` is odd", "c": "LX1 `y` is odd"}}

    assert blocking(table) == [("LX1 ... is odd", ["f.b", "f.c"])]
    assert list(shares(table))[2:] == [
        "| f | 3 | 1 | 1 | 1 |",
        "| all | 3 | 1 | 1 | 1 |",
    ]
