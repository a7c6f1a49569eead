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

Positions that may stand below (those of whole blocks, or of the loops skewed along) but
do not show where a loop is cut short. Where to cut is free: the parts are closed under
"earlier" and "later", so any region keeps the order. (Index set splitting: Griebl,
Feautrier, Lengauer 2000; full tiles: Ancourt, Irigoin 1991.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import combinations, pairwise

import islpy as isl

from looptx.model.records import dataclass
from looptx.poly.codegen.coordinates import Coordinates
from looptx.poly.codegen.ends import Ends

_IN, _OUT, _SET, _PARAM = (
    isl.dim_type.in_,
    isl.dim_type.out,
    isl.dim_type.set,
    isl.dim_type.param,
)

Domains = Mapping[str, isl.Set]
"""``{statement: positions}``."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some positions of a band; ``region`` if no loop that opens is cut short there."""

    positions: Domains
    region: bool

    @property
    def calls(self) -> int:
        """How often statements are written for it, at least."""
        return sum(not values.is_empty() for values in self.positions.values())


class Regions:
    """Cuts the positions of the statements in a band."""

    def __init__(self, coordinates: Coordinates, ends: Ends) -> None:
        self.coordinates = coordinates
        self.ends = ends
        self.schedule = coordinates.schedule
        self._may: dict[tuple[str, frozenset[str]], isl.Set] = {}

    def cut(self, alive: Domains, depth: int, most: int) -> list[Part]:
        """The parts of a band, in the order they run.

        Args:
            alive: the statements in the band, with the positions that arrive there.
            depth: how many bands stand around it.
            most: how often the statements may be written, all parts together.

        Returns:
            The parts, in their order; one when nothing is cut.
        """
        parts = self._unswitched(alive, depth)
        if sum(part.calls for part in parts) <= most:
            return parts
        return [Part(alive, True)]

    def _unswitched(self, alive: Domains, depth: int) -> list[Part]:
        """What is before, in and after the region; all if nothing is cut short."""
        for along in (True, False):
            short = [
                bad
                for name, positions in alive.items()
                for bad in self._short(name, positions, depth, along)
            ]
            parts = self._divided(alive, short, depth)
            if parts:
                return parts
        return [Part(alive, True)]

    def _divided(
        self, alive: Domains, outside: list[isl.Set], depth: int
    ) -> list[Part]:
        """The parts before, in and after the region that some half spaces leave.

        None where nothing is cut, or where there is a region only at sizes with some
        equality between them.
        """
        if not outside:
            return []
        inside = here = reduce(
            isl.Set.union, (first(values, depth) for values in alive.values())
        ).coalesce()
        later = _later(here)
        before: list[isl.Set] = []
        beyond: list[isl.Set] = []
        for bad in outside:
            met = bad & here
            if met.is_empty():
                continue
            if (bad.apply(later) & here).is_subset(met):
                beyond.append(bad.apply(later))
            else:
                bad = bad.apply(later.reverse())
                before.append(inside & bad)
                inside -= bad
        beyond = _widest(beyond)
        rest = self.ends.least(beyond) if len(beyond) > 1 else None
        if rest is not None:
            beyond = [rest]
        after: list[isl.Set] = []
        for rest in beyond:
            after.insert(0, inside & rest)
            inside -= rest
        if not inside.params().affine_hull().is_equal(here.params().affine_hull()):
            return []
        parts = [
            Part(_arriving(alive, values), values is inside)
            for values in (*before, inside, *after)
        ]
        return [part for part in parts if part.calls]

    def _short(
        self, name: str, alive: isl.Set, depth: int, along: bool
    ) -> Iterator[isl.Set]:
        """The first positions at which a loop that opens below is cut short.

        One set for each bound that cuts it short: such sets are convex.

        Args:
            name: the statement.
            alive: its positions.
            depth: the band.
            along: whether the whole course of a loop that the band is skewed along is
                its own, or as many iterations as the band's loop has (the rectangle of
                a loop that is shorter than the skew).
        """
        opened, others = self._opened(name, depth)
        if not opened or not (along or others):
            return
        own = self.schedule.owner[self.coordinates.dims[name][depth].uid]
        bounded = others if along else frozenset({own[name]})
        may, alive = self._unbounded(name, bounded), alive.reset_tuple_id()
        for at in reversed(range(depth + 1, alive.dim(_SET))):
            if at not in opened:
                alive = alive.project_out(_SET, at, 1)
                may = may.project_out(_SET, at, 1)
        known = first(may, depth)
        for bound in _constraints(alive):
            if bound.involves_dims(_SET, depth + 1, len(opened)):
                inside = isl.Set.from_basic_set(isl.BasicSet.from_constraint(bound))
                bad = first(may - inside, depth).gist(known)
                if bad.involves_dims(_SET, depth, 1):
                    yield bad

    def _unbounded(self, name: str, bounded: frozenset[str]) -> isl.Set:
        known = self._may.get((name, bounded))
        if known is None:
            known = self.coordinates.positions(name, bounded)
            self._may[name, bounded] = known = known.reset_tuple_id()
        return known

    def _opened(self, name: str, depth: int) -> tuple[set[int], frozenset[str]]:
        """The deeper bands whose loops open at a band, or opened around it.

        Also the source loops that the band is skewed along: all of their bands count,
        and their bounds say where they begin and end.
        """
        dims = self.coordinates.dims[name]
        if any(dim.merged for dim in dims[: depth + 1]):
            return set(), frozenset()
        pieces = self._pieces(name)
        opened = {
            at
            for places in pieces.values()
            for at in places[1:]
            if places[0] <= depth < at
        }
        inside = {dim.uid: at for at, dim in enumerate(dims) if at > depth}
        along: set[str] = set()
        for loop, places in pieces.items():
            if depth in places:
                weights = self.schedule.index[name, loop].weights
                met = {at for uid, at in inside.items() if uid in weights} - opened
                along = {
                    other
                    for other, own in pieces.items()
                    if other != loop and not met.isdisjoint(own)
                }
        skewed = {at for loop in along for at in pieces[loop] if at > depth}
        return opened | skewed, frozenset(along)

    def uneven(self, alive: Domains, depth: int) -> bool:
        """Whether the statements of a band shall have loops of their own in it.

        They run at different values, at sizes at which they run. Where the band only
        chooses blocks the bounds of the loops below say it; there statements have loops
        of their own only where sizes have no part in which of them run.
        """
        values = [first(positions, depth) for positions in alive.values()]
        values = [one for one in values if not one.is_empty()]
        if all(_alike(one, other) for one, other in pairwise(values)):
            return False
        blocks = all(
            any(_below(places, depth) for places in self._pieces(name).values())
            for name in alive
        )
        return not blocks or (
            len({_ends(one, depth) for one in values} - {frozenset()}) < 2
            and all(_nested(one, other) for one, other in combinations(values, 2))
        )

    def _pieces(self, name: str) -> dict[str, list[int]]:
        """The bands that a source loop was split into, the coarsest first."""
        found: dict[str, list[tuple[int, int]]] = {}
        for at, dim in enumerate(self.coordinates.dims[name]):
            loop = self.schedule.owner.get(dim.uid, {}).get(name)
            if loop is not None and not dim.merged:
                weight = self.schedule.index[name, loop].weights.get(dim.uid, 0)
                found.setdefault(loop, []).append((-abs(weight), at))
        return {
            loop: [at for _, at in sorted(places)] for loop, places in found.items()
        }


def _constraints(values: isl.Set) -> list[isl.Constraint]:
    return [
        bound
        for basic in values.coalesce().get_basic_sets()
        for bound in basic.get_constraints()
    ]


def _below(places: list[int], depth: int) -> bool:
    """Whether a band chooses blocks of a loop that a deeper band runs through.

    Args:
        places: the bands of the loop, the coarsest first. depth: the band.
    """
    return depth in places and any(at > depth for at in places[places.index(depth) :])


def _ends(values: isl.Set, depth: int) -> frozenset[str]:
    """The bounds of a band that depend on sizes."""
    return frozenset(
        str(bound)
        for bound in _constraints(values)
        if bound.involves_dims(_SET, depth, 1)
        and bound.involves_dims(_PARAM, 0, bound.dim(_PARAM))
    )


def _alike(one: isl.Set, other: isl.Set) -> bool:
    """Whether two sets are equal at all sizes at which neither is empty."""
    ours, theirs = one.params(), other.params()
    return bool(one.intersect_params(theirs).is_equal(other.intersect_params(ours)))


def _nested(one: isl.Set, other: isl.Set) -> bool:
    """Whether one set lies in another, or apart, at sizes at which both have some."""
    sizes = one.params() & other.params()
    ours, theirs = one.intersect_params(sizes), other.intersect_params(sizes)
    return bool(
        ours.is_subset(theirs) or theirs.is_subset(ours) or ours.is_disjoint(theirs)
    )


def _widest(sets: list[isl.Set]) -> list[isl.Set]:
    """The sets that are not part of another."""
    kept: list[isl.Set] = []
    for one in sets:
        if not any(one.is_subset(other) for other in kept):
            kept = [other for other in kept if not other.is_subset(one)]
            kept.append(one)
    return kept


def first(positions: isl.Set, depth: int) -> isl.Set:
    """The positions in a band and those around it, or some more.

    What is only said with divisions does not count: it would make everything that
    is asked here expensive.
    """
    left = positions.dim(_SET) - depth - 1
    values = positions.project_out(_SET, depth + 1, left).reset_tuple_id()
    return values.remove_divs().coalesce()


def outer_cases(alive: Domains, depth: int) -> list[Domains]:
    """The parts of some positions that different iterations of outer bands have.

    Args:
        alive: the positions by statement.
        depth: how many outer bands there are.

    Returns:
        The parts; one where they are not apart.
    """
    found: list[isl.Set] = []
    for positions in alive.values():
        for piece in positions.coalesce().get_basic_sets():
            inner = piece.dim(_SET) - depth
            outer = isl.Set.from_basic_set(piece.project_out(_SET, depth, inner))
            outer = outer.reset_tuple_id()
            if not any(outer.is_equal(other) for other in found):
                found.append(outer)
    apart = all(one.is_disjoint(other) for one, other in combinations(found, 2))
    if not apart:
        return [alive]
    return [_arriving(alive, outer) for outer in found]


def _arriving(alive: Domains, values: isl.Set) -> Domains:
    """The positions that begin with given values."""
    depth = values.dim(_SET)
    return {
        name: positions
        & values.add_dims(_SET, positions.dim(_SET) - depth).set_tuple_name(name)
        for name, positions in alive.items()
    }


def _later(values: isl.Set) -> isl.Map:
    """From each value to those not before it in the last dimension, the rest equal."""
    last = values.dim(_SET) - 1
    later = isl.Map.universe(isl.Space.map_from_set(values.get_space()))
    for at in range(last):
        later = later.equate(_IN, at, _OUT, at)
    return later.order_le(_IN, last, _OUT, last)
