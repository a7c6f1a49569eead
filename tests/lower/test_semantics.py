"""Native code means what Python and NumPy mean: a table of rows, run both ways."""

from __future__ import annotations

import shutil

import pytest
from semantics.run import names, outcomes
from semantics.table import THEMES

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


def test_the_table_is_large():
    assert len({(theme, name) for theme in THEMES for name in names(theme)}) >= 300
