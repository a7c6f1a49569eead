"""What passes between a nest that moved and the loop it moved into.

A nest that moves runs in certain iterations of the loop, exactly those that need it or
that complete what it needs (see ``dependences.moving``). Here is asked what that means
for a choice among loops: which cells one iteration exchanges with the nest, how often
the nest's iterations run, whether some iteration of the loop would find a sum that is
not finished, and whether the results that the nest reads are made in one place.
"""

from __future__ import annotations

from collections.abc import Mapping

import islpy as isl

from looptx.model.moves import Coordinate, Move, When
from looptx.model.records import dataclass
from looptx.poly.dependences.flows import Flow
from looptx.poly.dependences.moving.copies import Copies
from looptx.poly.dependences.program import Program
from looptx.poly.exchange.counting import count, middle, usual

_SET, _PARAM = isl.dim_type.set, isl.dim_type.param


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A sum that an iteration of a loop leaves unfinished.

    Attributes:
        array: what it is summed up in. loop: what the loop is called.
        statements: those of the sum that have not moved.
    """

    array: str
    loop: str
    statements: frozenset[str]


class Exchange:
    """What the last of a program's steps, a move, makes a nest exchange with its loop.

    Args:
        program: what runs; its last step is a ``Move``.

    Attributes:
        once: whether no iteration of the nest runs several times.
        arrays: the arrays and scalars that are exchanged, in alphabetical order.
    """

    def __init__(self, program: Program) -> None:
        assert isinstance(program.last, Copies)
        self._copies = program.last
        self._move: Move = self._copies.move
        self._program = program
        self._new = frozenset(self._move.moved.values())
        self.once = self._copies.unique
        self._flows: dict[str, list[Flow]] = {}
        for name, flows in program.flows.items():
            found = [one for one in flows if self._passes(one)]
            if found:
                self._flows[name] = found
        self.arrays = tuple(sorted(self._flows))

    def _passes(self, flow: Flow) -> bool:
        """Whether values flow between the nest and what else is in the loop."""
        ends = {*flow.ends}
        return len(ends & self._new) == 1 and ends <= self._copies.tags.keys()

    def carried(self) -> Unfinished | None:
        """A sum in which the nest has a part, and that an iteration leaves unfinished.

        The nest reads what is summed up, or starts it, or it is a sum of its own. A
        nest between its terms would wait for the last, and a part of it would run in
        every iteration.

        Returns:
            The sum, and the outermost of the loops that the nest moves into of which
            several iterations collect a cell.
        """
        found: list[tuple[int, str, list[str]]] = []
        for one in self._program.dependences:
            ends = {one.source.name, one.sink.name}
            if one.reduction is None or not ends <= self._copies.tags.keys():
                continue
            name = one.reduction.target.array
            if name in self._flows or ends <= self._new:
                at = self._differing(one.relation)
                if at is not None:
                    found.append((at, name, sorted(ends - self._new)))
        if not found:
            return None
        at, name, others = min(found)
        loop = self._program.spaces.nest.loops[self._move.coordinates[at]]
        label = loop.label if isinstance(loop, Coordinate) else loop.id
        return Unfinished(name, label, frozenset(others))

    def _differing(self, pairs: isl.Map) -> int | None:
        """The first of the loops that is at different positions in some pairs."""
        ends = (pairs.get_tuple_name(side) for side in (isl.dim_type.in_, _SET))
        one, other = (self._tagged(str(name)) for name in ends)
        met = pairs.apply_domain(one).apply_range(other)
        known = len(self._move.coordinates)
        first = met.dim(_SET) - known
        for at in range(first):
            met = met.equate(isl.dim_type.in_, at, isl.dim_type.out, at)
        for at in range(known):
            equal = met.equate(isl.dim_type.in_, first + at, _SET, first + at)
            if not met.is_subset(equal):
                return at
        return None

    def scattered(self) -> str:
        """A result that an iteration of the nest reads, and that is made elsewhere.

        A nest that waits for several results runs where the last is complete. They
        agree on their place if the others are complete in that iteration, too.

        Returns:
            The array or scalar, or "".
        """
        if self._move.when is not When.COMPLETE:
            return ""
        for name, flows in self._flows.items():
            everything, here = (
                isl.UnionSet.empty(self._program.spaces.params_space())
                for _ in range(2)
            )
            for one in flows:
                if one.sink not in self._new:
                    continue
                pairs = one.pairs
                level = self._tagged(one.source).apply_range(
                    self._tagged(one.sink).reverse()
                )
                everything = everything.union(isl.UnionSet.from_set(pairs.range()))
                met = (pairs & level).range()
                here = here.union(isl.UnionSet.from_set(met))
            if not everything.is_subset(here):
                return name
        return ""

    def _tagged(self, name: str) -> isl.Map:
        """``{ statement[x] -> [the iteration of the loop] }``."""
        found = self._copies.state.map(name, self._copies.tags[name])
        return found.reset_tuple_id(isl.dim_type.out)

    def cells(self) -> Mapping[str, int]:
        """How many cells of each array one iteration in the middle exchanges.

        Raises:
            Unproven: LX204 where isl gives up.
        """
        sizes = self._sizes()
        by_array: dict[str, isl.Map] = {}
        for name, flows in self._flows.items():
            for one in flows:
                used = self._tagged(one.sink).reverse().apply_range(one.read)
                known = by_array.get(name)
                by_array[name] = used if known is None else known | used
        found = {}
        for name, used in by_array.items():
            there = used.intersect_params(sizes)
            there = there.project_out(_PARAM, 0, there.dim(_PARAM))
            if there.is_empty():
                found[name] = 0
                continue
            one_place = middle(there.domain())
            found[name] = count(one_place.apply(there))
        return found

    def recomputed(self) -> float:
        """How often an iteration of the nest that runs in the loop runs, on average.

        Raises:
            Unproven: LX204 where isl gives up.
        """
        if self.once:
            return 1.0
        sizes = self._sizes()
        runs = origins = 0
        for old in self._move.moved:
            pairs = self._copies.before(old).intersect_params(sizes)
            runs += self._number(pairs.domain())
            origins += self._number(pairs.range())
        return runs / origins if origins else 1.0

    def _number(self, instances: isl.Set) -> int:
        """How many there are."""
        return count(instances.project_out(_PARAM, 0, instances.dim(_PARAM)))

    def _sizes(self) -> isl.Set:
        """Usual values of the parameters."""
        return usual(self._program.spaces.context)
