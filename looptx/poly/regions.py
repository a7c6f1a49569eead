"""Unswitching: where the loops inside a band have all their iterations.

At a band the iterations are cut in up to three parts that run one after the other:
before, inside and after its *region*, the values at which every loop that opens below
runs its whole course. A loop opens below a band

- when it runs through the blocks that the band, or one around it, chooses: the region
  is the full tiles, and what is left are the partial ones;
- when the band was skewed along it: the region is the rectangle, and what is left are
  the triangles.

Only the inside is cut again at deeper bands, so ``d`` nested blocks give ``d + 1``
copies of a statement (``2 * d + 1`` with partial blocks at both ends), not ``2**d``.

The iterations that may stand below (those of whole blocks, or of the loops skewed
along) without those that do show where a loop is cut short. Where to cut is free: the
parts are closed under "earlier" and "later", so any region keeps the order. (Index set
splitting: Griebl, Feautrier, Lengauer 2000; full tiles: Ancourt, Irigoin 1991.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

import islpy as isl

from looptx.model.schedule import Dim, Schedule
from looptx.poly.spaces import Spaces

_SET = isl.dim_type.set

Domains = Mapping[str, isl.Set]
"""``{statement: iterations}``."""


class Regions:
    """Cuts the iterations of the statements in a band; positions are the coordinates.

    Args:
        spaces: the nest.
        schedule: says the positions.
        dims: the dimensions of every statement, outermost first.
    """

    def __init__(
        self, spaces: Spaces, schedule: Schedule, dims: Mapping[str, Sequence[Dim]]
    ) -> None:
        self.spaces = spaces
        self.schedule = schedule
        self.dims = dims
        self._times = {name: self._time(name) for name in dims}

    def _time(self, name: str) -> isl.Map:
        loops = self.spaces.nest.statements[name].loops
        values = [self.schedule.position[dim.uid][name] for dim in self.dims[name]]
        return self.spaces.map(name, loops, values)

    def cut(self, alive: Domains, depth: int) -> list[tuple[Domains, bool]]:
        """The parts of the band that ``depth`` bands enclose, in the order they run.

        Args:
            alive: the statements of the band with the iterations that arrive there.
            depth: the number of the band on the path from the root.

        Returns:
            For each part its iterations, and whether it is the region. The one part is
            no region where nothing opens or nothing is cut short.
        """
        short = [bad for name in alive if (bad := self._short(name, depth)) is not None]
        if not short:
            return [(alive, True)]
        here = reduce(
            isl.Set.union,
            (
                iterations.apply(self._upto(name, depth))
                for name, iterations in alive.items()
            ),
        )
        cut_short = reduce(isl.Set.union, short) & here
        later = _later(here)
        before = after = isl.Set.empty(here.get_space())
        for basic in cut_short.coalesce().get_basic_sets():
            piece = isl.Set.from_basic_set(basic)
            rest = piece.apply(later) & here
            if rest.is_subset(cut_short):
                after |= rest
            else:
                before |= piece.apply(later.reverse()) & here
        after -= before
        inside = here - before - after
        if inside.is_empty() or (before.is_empty() and after.is_empty()):
            return [(alive, True)]
        parts = [(before, False), (inside, True), (after, False)]
        return [
            (self._arriving(alive, values.gist(here).coalesce(), depth), full)
            for values, full in parts
            if not values.is_empty()
        ]

    def _arriving(self, alive: Domains, values: isl.Set, depth: int) -> Domains:
        """The iterations whose first positions lie in a set."""
        return {
            name: iterations & self._upto(name, depth).intersect_range(values).domain()
            for name, iterations in alive.items()
        }

    def _upto(self, name: str, depth: int) -> isl.Map:
        """``{ statement[x] -> [positions of its first bands] }``."""
        time = self._times[name]
        left = len(self.dims[name]) - depth - 1
        return time.project_out(isl.dim_type.out, depth + 1, left)

    def _short(self, name: str, depth: int) -> isl.Set | None:
        """The first positions at which a loop that opens below is cut short."""
        blocks, along = self._opened(name, depth)
        if not blocks and not along:
            return None
        statement = self.spaces.nest.statements[name]
        loops = [loop for loop in statement.loops]
        owners = {
            loop
            for at in along
            for loop in [self.schedule.owner[self.dims[name][at].uid][name]]
        }
        time = self._times[name]
        keep = {*range(depth + 1), *blocks, *along}
        for at in reversed(range(len(self.dims[name]))):
            if at not in keep:
                time = time.project_out(isl.dim_type.out, at, 1)
        does = self.spaces.domain(statement).apply(time)
        may = self.spaces.lattice(statement, frozenset(owners)).apply(time)
        bad = may - does
        count = len(keep) - depth - 1
        return bad.project_out(_SET, depth + 1, count)

    def _opened(self, name: str, depth: int) -> tuple[set[int], set[int]]:
        """The places of the deeper dimensions that open at a band or around it.

        First those that run through chosen blocks, then those of the loops that the
        band is skewed along.
        """
        dims = self.dims[name]
        if any(dim.merged for dim in dims[: depth + 1]):
            return set(), set()
        place = {dim.uid: at for at, dim in enumerate(dims)}
        owner = {
            at: self.schedule.owner.get(dim.uid, {}).get(name)
            for at, dim in enumerate(dims)
        }
        blocks: set[int] = set()
        along: set[int] = set()
        pieces: dict[str, list[int]] = {}
        for at, loop in owner.items():
            if loop is None:
                continue
            weights = self.schedule.index[name, loop].weights
            pieces.setdefault(loop, []).append(at)
        for loop, places in pieces.items():
            weights = self.schedule.index[name, loop].weights
            places.sort(key=lambda at: -abs(weights.get(dims[at].uid, 0)))
            for at in places[1:]:
                if places[0] <= depth and at > depth:
                    blocks.add(at)
        loop = owner[depth]
        if loop is not None:
            for uid in self.schedule.index[name, loop].weights:
                at = place[uid]
                other = owner[at]
                if (
                    at > depth
                    and other is not None
                    and other != loop
                    and at not in blocks
                ):
                    along.update(
                        p for p in pieces[other] if p > depth and p not in blocks
                    )
        return blocks, along


def _later(values: isl.Set) -> isl.Map:
    """From each value to those not before it in the last dimension, the rest equal."""
    last = values.dim(_SET) - 1
    later = isl.Map.universe(isl.Space.map_from_set(values.get_space()))
    for at in range(last):
        later = later.equate(isl.dim_type.in_, at, isl.dim_type.out, at)
    return later.order_le(isl.dim_type.in_, last, isl.dim_type.out, last)
