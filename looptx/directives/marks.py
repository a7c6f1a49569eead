"""Marks on loops, which say how a loop runs and move nothing."""

from __future__ import annotations

from dataclasses import replace

from looptx.model.schedule import Band, Marks, Schedule, replace_band


def mark(schedule: Schedule, band: Band, marks: Marks) -> Schedule:
    """The schedule with other marks on one loop."""
    dim = replace(band.dim, marks=marks)
    tree = replace_band(schedule.tree, dim.uid, lambda old: Band(dim, old.body))
    return schedule.with_tree(tree)
