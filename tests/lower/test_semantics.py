"""Native code means what Python and NumPy mean: a table of rows, run both ways."""

from __future__ import annotations

import importlib
import shutil

import pytest
from kit.samples import TIMES
from semantics.run import outcomes
from semantics.table import THEMES, Table
from semantics.turns import ROWS, WHOLE, kind, taken

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)


def whole(theme: str) -> tuple[Table, ...]:
    """The tables of a theme, with all rows."""
    found: tuple[Table, ...] = importlib.import_module(f"semantics.{theme}").TABLES
    return found


@pytest.mark.long
@pytest.mark.parametrize("theme", THEMES)
def test_native_code_agrees_with_python(theme, record_property, request):
    if theme in ("numbers.operators", "numbers.rounding", "programs.callees"):
        # Which of two NaN comes out of a sum, and whether the sum is fused with a
        # product, hangs on how the compiler optimises.
        request.getfixturevalue("optimised")
    found = list(outcomes(theme))
    record_property("rows", len(found))
    record_property("native", sum(one.native for one in found))
    record_property("compared", sum(one.compared for one in found))
    wrong = [f"{one.row}: {one.wrong}" for one in found if one.wrong]
    assert not wrong, "\n".join([f"{len(wrong)} of {len(found)} rows:", *wrong[:50]])
    functions = dict.fromkeys(table.function.__name__ for table in whole(theme))
    assert [*dict.fromkeys(one.row.split(":")[0] for one in found)] == [*functions]


@pytest.mark.parametrize("theme", ["arrays.slices", "arrays.whole", "programs.counts"])
def test_all_types_have_their_turn(theme, tmp_path):
    def kinds(tables):
        return [{kind(row.make, str(tmp_path)) for row in x.rows} for x in tables]

    every, run = kinds(whole(theme)), taken(theme, whole(theme))
    some = kinds(run)
    assert set().union(*every) == set().union(*some)
    firsts = [[table.rows[0] for table in tables] for tables in (whole(theme), run)]
    assert firsts[0] == firsts[1]
    if TIMES <= 1:
        assert sum(map(len, some)) < 0.6 * sum(map(len, every))


def test_lists_of_other_lengths_have_no_turns_of_their_own(tmp_path):
    def of(*given):
        return kind(lambda _: given, str(tmp_path))

    assert of([1, 2], 3) == of([1], -3) == of([7, 8, 9, 10], 2**70)
    assert of([[1.0], [2.0, 3.0]]) == of([[1.0]])
    assert len({of([]), of([1]), of([1.0]), of([1, 1.0]), of((1,)), of([[1]])}) == 6


def test_functions_and_rows_that_are_named_are_there():
    for theme, functions in WHOLE.items():
        assert {*functions} <= {one.function.__name__ for one in whole(theme)}
    for theme, rows in ROWS.items():
        known = (
            f"{x.function.__name__}: {y.name}" for x in whole(theme) for y in x.rows
        )
        assert {*rows} <= {*known}


def test_the_table_is_large():
    assert sum(len(table.rows) for theme in THEMES for table in whole(theme)) >= 300
