"""Marks on loops, which say how a loop runs and move nothing."""

from __future__ import annotations

from dataclasses import replace

from looptx.model.schedule import Band, Dim, Marks, Schedule, replace_band


def mark(schedule: Schedule, dim: Dim, marks: Marks) -> Schedule:
    """The schedule with other marks on one dimension."""
    dim = replace(dim, marks=marks)
    tree = replace_band(schedule.tree, dim.uid, lambda old: Band(dim, old.body))
    return schedule.with_tree(tree)
