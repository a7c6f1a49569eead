"""Loops that run through a collapsed one in its order, as two loops instead.

What is split and not reordered is in the order of rows and columns, which are affine
where the value of the collapsed loop is not.
"""

from __future__ import annotations

from itertools import pairwise

import islpy as isl

from looptx.model.expr import IntExpr, variables
from looptx.model.records import replace
from looptx.model.schedule import (
    Band,
    Schedule,
    Tree,
    bands,
    replace_band,
    statements,
)
from looptx.poly.spaces import Spaces


def in_rows(spaces: Spaces, schedule: Schedule) -> Schedule:
    """The same order, with two loops in the place of those that walk a collapsed one.

    Args:
        spaces: any.
        schedule: the schedule.

    Returns:
        The schedule; its ``collapsed`` are those loops for which that cannot be.
    """
    for loop in reversed([*schedule.collapsed]):
        chain = _chain(spaces, schedule, loop)
        if chain:
            pair = schedule.collapsed[loop]
            rows: Tree = Band(pair.outer, Band(pair.inner, chain[-1].body))

            def both(_: Band, rows: Tree = rows) -> Tree:
                return rows

            left = {x: one for x, one in schedule.collapsed.items() if x != loop}
            tree = replace_band(schedule.tree, chain[0].dim.uid, both)
            schedule = replace(schedule, tree=tree, collapsed=left)
    return schedule


def _chain(spaces: Spaces, schedule: Schedule, loop: str) -> list[Band]:
    """The loops that walk a collapsed one, if each is right in the other."""
    inside = {*schedule.position[schedule.collapsed[loop].outer.uid]}
    made = [
        band
        for band in bands(schedule.tree)
        if any(loop in variables(x) for x in schedule.position[band.dim.uid].values())
    ]
    if not made or inside & {*statements(schedule.tree)} != {*statements(made[0])}:
        return []
    if any(one.body != other for one, other in pairwise(made)):
        return []
    known = [{*schedule.position[band.dim.uid].values()} for band in made]
    if any(len(own) != 1 for own in known):
        return []
    values = [value for (value,) in known]
    return made if _ascending(spaces, loop, values) else []


def _ascending(spaces: Spaces, loop: str, values: list[IntExpr]) -> bool:
    """Whether a vector of functions of a loop's value ascends lexicographically."""
    if any(variables(value) != {loop} for value in values):
        return False
    times = spaces.map("", (loop,), values)
    later = isl.Map.lex_ge(times.get_space().range())
    late = times.apply_range(later).apply_range(times.reverse())
    wrong: isl.Map = late & isl.Map.lex_lt(times.get_space().domain())
    return wrong.is_empty()
