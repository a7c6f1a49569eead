"""Where functions of the user read the elements of arrays."""

from __future__ import annotations

from collections.abc import Iterable

from looptx.model.callees.cells import Test
from looptx.model.expr import TRUE, Cond, conj, negate
from looptx.source.nests.sizes.affine import Affine


def happening(tests: Iterable[Test], affine: Affine) -> tuple[Cond, bool]:
    """Where tests come out as they have to, and whether that is exact.

    Args:
        tests: what has to come out how. affine: what expressions mean there.

    Returns:
        The condition over loops and sizes, and whether data have no say in it.
    """
    where: Cond = TRUE
    exact = True
    for test in tests:
        cond = None if test.value is None else affine.cond(test.value)
        if cond is not None:
            where = conj(where, cond if test.holds else negate(cond))
            continue
        exact = False
        if test.value is not None:
            where = conj(where, affine.implied(test.value, test.holds))
    return where, exact
