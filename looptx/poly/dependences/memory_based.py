"""Dependences: which pairs of statement instances must keep their order.

Two instances depend on each other when they touch the same cell and at least one writes
(memory-based dependences, so exactly the pairs whose order can be observed). Scalars
are cells without subscripts; a scalar or temporary that every iteration writes before
reading is given cells of its own in each iteration first (see ``lives``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import islpy as isl

from looptx.errors import Unproven
from looptx.model.expr import Compare, Const
from looptx.model.program import Access, Nest, Reduction, Statement
from looptx.poly.dependences.order import SourceTimes, access_map
from looptx.poly.dependences.privatization import Life
from looptx.poly.spaces import Spaces

MOST_PAIRS = 30_000
"""Pairs of accesses beyond which isl's budget would not last, found without asking."""


@dataclass(frozen=True, slots=True)
class Dependence:
    """``relation`` pairs instances of ``source`` with later ones of ``sink``.

    ``exact`` is false when a subscript had to be approximated or an access depends on
    data. ``reduction`` is the one
    operation both ends apply to the cell, when reordering them only reassociates it.
    """

    source: Statement
    sink: Statement
    source_access: Access
    sink_access: Access
    relation: isl.Map
    exact: bool
    reduction: Reduction | None = None


def wrapping(spaces: Spaces) -> frozenset[str]:
    """Arrays with an affine subscript that may be negative (and wrap around)."""
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
                if not domain.is_disjoint(negative):
                    found.add(access.array)
    return frozenset(found)


def dependences(
    spaces: Spaces,
    private: Mapping[str, Life],
    independent: frozenset[str] = frozenset(),
) -> list[Dependence]:
    """All dependences of the nest in the order of the source.

    Raises:
        Unproven: LX204, there are too many pairs of accesses.
    """
    nest = spaces.nest
    order = SourceTimes(spaces)
    ranks: dict[str, int] = {}
    uses: list[tuple[Statement, Access]] = []
    for statement in nest.statements.values():
        for access in dict.fromkeys(statement.accesses):
            uses.append((statement, access))
            ranks[access.array] = max(
                ranks.get(access.array, 0), len(access.subscripts)
            )
    _check_pairs(uses)
    maps = {}
    for user, access in uses:
        life = private.get(access.array)
        own = life.own(access) if life else access
        rank = ranks[access.array] + len(own.subscripts) - len(access.subscripts)
        maps[user.name, access] = access_map(spaces, user, own, rank)
    before: dict[tuple[str, str], isl.Map] = {}
    result = []
    for source, source_access in uses:
        for sink, sink_access in uses:
            if not (source_access.write or sink_access.write):
                continue
            # Two elements of a list may be one array.
            apart = not _may_alias(nest, source_access.array, sink_access.array)
            same = apart and source_access.array == sink_access.array
            if apart and not same:
                continue
            if independent & {source_access.array, sink_access.array}:
                continue
            pair = source.name, sink.name
            if pair not in before:
                before[pair] = order.before(source, sink)
            ours = maps[source.name, source_access]
            theirs = maps[sink.name, sink_access]
            if same:
                relation = ours.apply_range(theirs.reverse())
            else:
                relation = isl.Map.from_domain_and_range(ours.domain(), theirs.domain())
            relation = relation & before[pair]
            if relation.is_empty():
                continue
            exact = same and all(
                access.certain
                and None not in access.subscripts
                and len(access.subscripts) == ranks[access.array]
                for access in (source_access, sink_access)
            )
            result.append(
                Dependence(
                    source,
                    sink,
                    source_access,
                    sink_access,
                    relation,
                    exact,
                    _one_reduction(source, source_access, sink, sink_access),
                )
            )
    return result


def _check_pairs(uses: Sequence[tuple[Statement, Access]]) -> None:
    """Pairs of two reads are none. Errors: LX204."""
    reads = sum(not access.write for _, access in uses)
    pairs = len(uses) ** 2 - reads**2
    if pairs > MOST_PAIRS:
        raise Unproven(
            "LX204",
            "unknown: the dependence analysis exceeded its budget",
            detail=(f"{pairs} pairs of accesses, at most {MOST_PAIRS} are compared",),
            hint="split the nest into smaller ones",
        )


def _may_alias(nest: Nest, first: str, second: str) -> bool:
    return frozenset((first, second)) in nest.aliases


def _one_reduction(
    source: Statement, source_access: Access, sink: Statement, sink_access: Access
) -> Reduction | None:
    """The operation both ends apply to the same target, if that is all they do."""
    ours, theirs = source.reduction, sink.reduction
    if ours is None or theirs is None or ours.op != theirs.op:
        return None
    if ours.target.array != theirs.target.array:
        return None
    cells = ours.target.subscripts, theirs.target.subscripts
    both = (source_access.array, sink_access.array) == (ours.target.array,) * 2
    same = (source_access.subscripts, sink_access.subscripts) == cells
    return theirs if both and same else None
