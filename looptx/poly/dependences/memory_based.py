"""Dependences: which pairs of statement instances must keep their order.

Two instances depend on each other when they touch the same cell and at least one writes
(memory-based dependences, so exactly the pairs whose order can be observed; exact as in
Pugh, "A practical algorithm for exact array dependence analysis", CACM 1992). Scalars
are cells without subscripts; a scalar or temporary that every iteration writes before
reading is given cells of its own in each iteration first (see ``privatization``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import islpy as isl

from looptx.errors import Unproven
from looptx.model.elements import Access
from looptx.model.expr import Compare, Const
from looptx.model.nests.pairs import MOST_PAIRS, pairs
from looptx.model.program import Nest, Reduction, Statement
from looptx.model.records import dataclass
from looptx.poly.dependences.order import SourceTimes, access_map
from looptx.poly.dependences.privatization import Dataflow
from looptx.poly.spaces import Spaces


@dataclass(frozen=True, slots=True)
class Dependence:
    """Instances of one statement that must run before instances of another.

    Attributes:
        source, sink: the statements.
        source_access, sink_access: their accesses to one cell.
        relation: ``{ source[x] -> sink[y] }``.
        exact: false where a subscript is approximated, or an access depends on data.
        reduction: the one operation both ends apply to the cell, where to reorder them
            only reassociates it.
    """

    source: Statement
    sink: Statement
    source_access: Access
    sink_access: Access
    relation: isl.Map
    exact: bool
    reduction: Reduction | None = None


def wrapping(spaces: Spaces) -> frozenset[str]:
    """The arrays with an affine subscript that may be negative, and wrap around."""
    found = set()
    for statement in spaces.nest.statements.values():
        domain = spaces.domain(statement)
        for access in statement.accesses:
            for subscript in access.subscripts:
                if subscript is None or access.array in found:
                    continue
                negative = spaces.cond(
                    Compare("<", subscript, Const(0)),
                    domain.get_space(),
                    statement.loops,
                )
                if not spaces.guarded(statement, access, domain).is_disjoint(negative):
                    found.add(access.array)
    return frozenset(found)


def dependences(
    spaces: Spaces,
    private: Mapping[str, Dataflow],
    independent: frozenset[str] = frozenset(),
) -> list[Dependence]:
    """All dependences of a nest in the order of the source.

    Args:
        spaces: those of the nest.
        private: the temporaries and scalars that have cells of their own.
        independent: arrays the user vouches for.

    Returns:
        One for each pair of accesses with any.

    Raises:
        Unproven: LX204, there are too many pairs of accesses.
    """
    nest, order = spaces.nest, SourceTimes(spaces)
    uses = [
        (statement, access)
        for statement in nest.statements.values()
        for access in dict.fromkeys(statement.accesses)
    ]
    _check_pairs(nest)
    cells = _Cells(spaces, private, uses)
    before: dict[tuple[str, str], isl.Map] = {}
    result = []
    for one, other in product(uses, uses):
        (source, source_access), (sink, sink_access) = one, other
        if not (source_access.write or sink_access.write):
            continue
        arrays = frozenset((source_access.array, sink_access.array))
        # Two elements of a list may be one array.
        aliased = arrays in nest.aliases
        if independent & arrays or (len(arrays) > 1 and not aliased):
            continue
        pair = source.name, sink.name
        if pair not in before:
            before[pair] = order.before(source, sink)
        shared, exact = cells.shared(one, other, aliased=aliased)
        relation = shared & before[pair]
        if relation.is_empty():
            continue
        reduction = _one_reduction(source, source_access, sink, sink_access)
        ends = source, sink, source_access, sink_access
        result.append(Dependence(*ends, relation, exact, reduction))
    return result


_Use = tuple[Statement, Access]


class _Cells:
    """The cells that accesses of a nest touch.

    Args:
        spaces, private: as for ``dependences``. uses: the accesses.
    """

    def __init__(
        self, spaces: Spaces, private: Mapping[str, Dataflow], uses: Sequence[_Use]
    ) -> None:
        self.spaces = spaces
        self.private = private
        self.ranks: dict[str, int] = {}
        for _, access in uses:
            rank = max(self.ranks.get(access.array, 0), len(access.coordinates))
            self.ranks[access.array] = rank
        self.known = {
            (user.name, access): self._cells(user, access) for user, access in uses
        }

    def _cells(self, user: Statement, access: Access) -> isl.Map:
        """From iterations to cells, of which each array has as many coordinates."""
        dataflow = self.private.get(access.array)
        own = dataflow.own(user, access) if dataflow else access
        rank = self.ranks[access.array]
        rank += len(own.coordinates) - len(access.coordinates)
        return access_map(self.spaces, user, own, rank)

    def shared(self, one: _Use, other: _Use, *, aliased: bool) -> tuple[isl.Map, bool]:
        """The instances of two accesses that touch one cell.

        Args:
            one, other: the accesses. aliased: whether any cells may be one.

        Returns:
            These, and whether that is exact.
        """
        ours, theirs = (self.known[user.name, access] for user, access in (one, other))
        if aliased:
            every = isl.Map.from_domain_and_range(ours.domain(), theirs.domain())
            return every, False
        exact = all(_is_known(x, self.ranks[x.array]) for _, x in (one, other))
        return ours.apply_range(theirs.reverse()), exact


def _is_known(access: Access, rank: int) -> bool:
    """Whether an access is must-execute, and to a known cell or row."""
    somewhere = not access.subscripts and rank > 0
    return access.certain and None not in access.coordinates and not somewhere


def _check_pairs(nest: Nest) -> None:
    """Refuse what isl's budget would not last for.

    Raises:
        Unproven: LX204.
    """
    found = pairs(nest)
    if found > MOST_PAIRS:
        raise Unproven(
            "LX204",
            "unknown: the dependence analysis exceeded its budget",
            detail=(f"{found} pairs of accesses, at most {MOST_PAIRS} are compared",),
            hint="split the nest into smaller ones",
        )


def _one_reduction(
    source: Statement, source_access: Access, sink: Statement, sink_access: Access
) -> Reduction | None:
    """The operation both ends apply to the same target, if that is all they do."""
    ours, theirs = source.reduction, sink.reduction
    if ours is None or theirs is None or ours.op != theirs.op:
        return None
    ends = source_access.cell, sink_access.cell
    same = ours.target.array == theirs.target.array
    return theirs if same and ends == (ours.target.cell, theirs.target.cell) else None
