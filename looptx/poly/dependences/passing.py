"""Scalars whose values pass from one iteration of a loop to what is outside of it.

The iteration is the only one that sets such a scalar, or else the next one would depend
on it, and the proof would not let them run together: ``if i == k: s = x[i]`` in front
of a use of ``s``. Threads and lanes have variables of their own, which would lose it.
"""

from __future__ import annotations

from collections.abc import Collection

import islpy as isl

from looptx.model.schedule import Dim, Schedule, bands, statements
from looptx.model.tree import opened, whole_loops
from looptx.poly.collapse.pairs import Pairs
from looptx.poly.collapse.products import Products
from looptx.poly.dependences.legality import positions
from looptx.poly.dependences.memory_based import Dependence
from looptx.poly.dependences.program import Program


def passing(
    program: Program, schedule: Schedule, dim: Dim, combined: Collection[str]
) -> tuple[str, ...]:
    """The scalars that a dimension sets, and whose values pass from its iterations.

    Args:
        program: what runs under the schedule.
        schedule: a legal one.
        dim: a dimension of it whose iterations run together.
        combined: the targets of the reductions that it carries.

    Returns:
        Their names: those that no iteration has for itself, at whatever loop, and those
        that iterations of outer loops have, of which a part is elsewhere.
    """
    nest = program.spaces.nest
    band = next(b for b in bands(schedule.tree) if b.dim.uid == dim.uid)
    inside = frozenset(statements(band))
    written = {
        access.array
        for name in inside
        for access in nest.statements[name].accesses
        if access.write and access.array in nest.scalars
    }
    found = dict.fromkeys(sorted(written - program.dataflows.keys() - {*combined}))
    ends = _Ends(program, schedule, dim, inside)
    for dependence in program.dependences:
        name = dependence.source_access.array
        own = name in written and name in program.dataflows and name not in combined
        if own and name not in found and ends.leaves(dependence):
            found[name] = None
    return (*found,)


class _Ends:
    """Tells which dependences are not inside of one iteration of a dimension.

    Args:
        program, schedule, dim: as of ``passing``. inside: the statements of the loop.
    """

    def __init__(
        self, program: Program, schedule: Schedule, dim: Dim, inside: frozenset[str]
    ) -> None:
        self.inside = inside
        self.dim = dim
        self.order, self.stands = opened(schedule, whole_loops(schedule))
        spaces = program.spaces.with_starts()
        self.pairs = Pairs(Products(spaces, self.order, named=True))

    def leaves(self, dependence: Dependence) -> bool:
        """Whether an end of a dependence is in an iteration, and the other is not."""
        ends = dependence.source, dependence.sink
        among = [one.name in self.inside for one in ends]
        if not all(among):
            return any(among)
        loops = self.pairs.spaces.nest.statements
        source, sink = (loops[one.name] for one in ends)
        maps = []
        for one in (source, sink):
            outer, own = positions(self.order, self.stands, one.name, self.dim)
            maps.append(self.pairs.spaces.map(one.name, one.loops, [*outer, *own]))
        same: isl.Map = maps[0].apply_range(maps[1].reverse())
        relation = self.pairs.lift(dependence.relation, source, sink)
        return not relation.is_subset(same)
