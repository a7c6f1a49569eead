"""Native code means what Python and NumPy mean: a table of rows, run both ways."""

from __future__ import annotations

import importlib
import shutil

import pytest
from kit.samples import TIMES
from semantics.run import names, outcomes
from semantics.table import THEMES
from semantics.turns import WHOLE, kind, taken

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)


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
    assert [one.row for one in found] == names(theme)


@pytest.mark.parametrize("theme", ["arrays.slices", "arrays.whole", "programs.counts"])
def test_all_types_have_their_turn(theme, tmp_path):
    def kinds(tables):
        return [{kind(row.make, str(tmp_path)) for row in x.rows} for x in tables]

    whole = importlib.import_module(f"semantics.{theme}").TABLES
    run = taken(theme, whole)
    every, some = kinds(whole), kinds(run)
    assert set().union(*every) == set().union(*some)
    firsts = [[table.rows[0] for table in tables] for tables in (whole, run)]
    assert firsts[0] == firsts[1]
    if TIMES <= 1:
        assert sum(map(len, some)) < 0.6 * sum(map(len, every))


def test_functions_that_have_all_types_are_there():
    for theme, functions in WHOLE.items():
        known = importlib.import_module(f"semantics.{theme}").TABLES
        assert {*functions} <= {table.function.__name__ for table in known}


def test_the_table_is_large():
    assert len({(theme, name) for theme in THEMES for name in names(theme)}) >= 300
