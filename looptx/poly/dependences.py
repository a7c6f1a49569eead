"""Dependences: which pairs of statement instances must keep their order.

Two instances depend on each other when they touch the same cell and at least one writes
(memory-based dependences, so exactly the pairs whose order can be observed). Scalars
are cells without subscripts; a scalar that every iteration writes before reading is
given one cell per iteration first (*privatisation*, found from exact last writers:
Feautrier, "Dataflow analysis of array and scalar references", 1991).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import islpy as isl

from looptx.model.expr import Compare, Const, IntExpr, Var, mul
from looptx.model.program import Access, Nest, Reduction, Statement
from looptx.model.schedule import Band, Leaf, Schedule, Sequence, Tree, initial, path
from looptx.poly.spaces import Spaces


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


class Times:
    """Time vectors of a schedule as isl functions, cached per statement."""

    def __init__(self, spaces: Spaces, schedule: Schedule) -> None:
        self.spaces = spaces
        self.schedule = schedule

    def value(self, uid: int, statement: str) -> IntExpr:
        """The position of a dimension; overridden for the order of the source."""
        return self.schedule.position[uid][statement]

    def common(
        self, first: str, second: str
    ) -> tuple[list[IntExpr], list[IntExpr], int]:
        """Times of two statements along their common path, and how the path decides.

        The last number is -1 (first comes before), 1 (after) or 0 (the same leaf).
        """
        ours: list[IntExpr] = []
        theirs: list[IntExpr] = []
        tree: Tree = self.schedule.tree
        for (node, mine), (_, other) in zip(
            path(tree, first), path(tree, second), strict=False
        ):
            match node:
                case Band(dim, _):
                    ours.append(self.value(dim.uid, first))
                    theirs.append(self.value(dim.uid, second))
                case Sequence() if mine != other:
                    return ours, theirs, -1 if mine < other else 1
                case Sequence() | Leaf():
                    pass
        return ours, theirs, 0

    def before(self, first: Statement, second: Statement) -> isl.Map:
        """``{ first[x] -> second[y] }`` where x runs strictly before y."""
        ours, theirs, decided = self.common(first.name, second.name)
        source = self.spaces.map(first.name, first.loops, ours)
        sink = self.spaces.map(second.name, second.loops, theirs)
        space = source.get_space().range()
        order = isl.Map.lex_le(space) if decided < 0 else isl.Map.lex_lt(space)
        return source.apply_range(order).apply_range(sink.reverse())


class SourceTimes(Times):
    """The order of the source, by loop indices instead of positions (no divisions)."""

    def __init__(self, spaces: Spaces) -> None:
        super().__init__(spaces, initial(spaces.nest))

    def value(self, uid: int, statement: str) -> IntExpr:
        """The index, negated for a loop that runs downward."""
        loop = self.schedule.owner[uid][statement]
        up = self.spaces.nest.loops[loop].step > 0
        return Var(loop) if up else mul(Const(-1), Var(loop))


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


def access_map(
    spaces: Spaces, statement: Statement, access: Access, rank: int
) -> isl.Map:
    """``{ statement[x] -> [cell] }``; unknown subscripts are unconstrained."""
    domain = spaces.domain(statement)
    space = domain.get_space()
    result = isl.Map.from_domain(domain)
    for axis in range(rank):
        known = access.subscripts[axis] if axis < len(access.subscripts) else None
        if known is None:
            anywhere = isl.Set.universe(spaces.space("", 1)).reset_tuple_id()
            one = isl.Map.from_domain_and_range(isl.Set.universe(space), anywhere)
        else:
            cell = spaces.expr(known, space, statement.loops)
            if access.array in spaces.shapes:
                extent = Var(spaces.shape_text(access.array, axis))
                wrapped = cell.add(spaces.expr(extent, space, statement.loops))
                zero = spaces.expr(Const(0), space, statement.loops)
                inside = cell.ge_set(zero)
                cell = cell.intersect_domain(inside).union_add(
                    wrapped.intersect_domain(inside.complement())
                )
                # Beyond the array Python raises; only what does not is ordered.
                size = spaces.expr(extent, space, statement.loops)
                cell = cell.intersect_domain(cell.ge_set(zero) & cell.lt_set(size))
            one = isl.Map.from_pw_aff(cell)
        result = result.flat_range_product(one)
    return result


def privatise(spaces: Spaces) -> dict[str, tuple[str, ...]]:
    """The scalars with a cell per iteration, and the loops that index them.

    A scalar qualifies when it is not read after the nest and every read gets a value
    written in the same iteration of the outermost k >= 1 loops around all its uses.
    """
    nest = spaces.nest
    order = SourceTimes(spaces)
    users: dict[str, list[Statement]] = {}
    for statement in nest.statements.values():
        for access in statement.accesses:
            if not access.subscripts and access.array in nest.scalars:
                users.setdefault(access.array, []).append(statement)
    result = {}
    for scalar, found in users.items():
        if scalar in nest.live_out:
            continue
        unique = list(dict.fromkeys(found))
        depth = _private_depth(spaces, order, scalar, unique)
        if depth:
            result[scalar] = unique[0].loops[:depth]
    return result


def _private_depth(
    spaces: Spaces, order: SourceTimes, scalar: str, users: list[Statement]
) -> int:
    """How many common outer loops separate the lives of a scalar; 0 when none do."""
    prefix = users[0].loops
    for user in users:
        common = 0
        while (
            common < min(len(prefix), len(user.loops))
            and prefix[common] == user.loops[common]
        ):
            common += 1
        prefix = prefix[:common]
    if not prefix:
        return 0
    reads = isl.UnionMap.empty(spaces.params_space())
    must, may, times = reads, reads, reads
    full = _time_maps(spaces, order, users)
    for user in users:
        cell = isl.Map.from_domain(spaces.domain(user)).set_tuple_name(
            isl.dim_type.out, "cell"
        )
        times = times.union(isl.UnionMap.from_map(full[user.name]))
        for access in user.accesses:
            if access.array != scalar:
                continue
            one = isl.UnionMap.from_map(cell)
            if not access.write:
                reads = reads.union(one)
            elif access.certain:
                must = must.union(one)
            else:
                may = may.union(one)
    info = (
        isl.UnionAccessInfo.from_sink(reads).set_must_source(must).set_may_source(may)
    )
    flow = info.set_schedule_map(times).compute_flow()
    if not flow.get_may_no_source().is_empty():
        return 0
    pieces = flow.get_may_dependence().get_map_list()
    for piece in (pieces.get_at(at) for at in range(pieces.n_map())):
        depth = 0
        while depth < len(prefix) and _equal_at(piece, depth):
            depth += 1
        prefix = prefix[:depth]
    return len(prefix)


def _equal_at(relation: isl.Map, axis: int) -> bool:
    """Whether both ends of every pair agree on an iterator."""
    space = relation.get_space()
    same = isl.Map.universe(space).equate(
        isl.dim_type.in_, axis, isl.dim_type.out, axis
    )
    return bool(relation.is_subset(same))


def _time_maps(
    spaces: Spaces, order: SourceTimes, users: list[Statement]
) -> dict[str, isl.Map]:
    """Complete time vectors of the source, padded to one length."""
    vectors: dict[str, list[IntExpr]] = {}
    for user in users:
        vector: list[IntExpr] = []
        for node, taken in path(order.schedule.tree, user.name):
            if isinstance(node, Band):
                vector.append(order.value(node.dim.uid, user.name))
            else:
                vector.append(Const(taken))
        vectors[user.name] = vector
    length = max(map(len, vectors.values()))
    padded = {name: v + [Const(0)] * (length - len(v)) for name, v in vectors.items()}
    return {
        user.name: spaces.map(user.name, user.loops, padded[user.name])
        for user in users
    }


def dependences(
    spaces: Spaces,
    private: Mapping[str, tuple[str, ...]],
    independent: frozenset[str] = frozenset(),
) -> list[Dependence]:
    """All dependences of the nest in the order of the source."""
    nest = spaces.nest
    order = SourceTimes(spaces)
    ranks: dict[str, int] = {}
    uses: list[tuple[Statement, Access]] = []
    for statement in nest.statements.values():
        for access in dict.fromkeys(statement.accesses):
            if not access.subscripts and access.array in private:
                loops = tuple(Var(loop) for loop in private[access.array])
                access = replace(access, subscripts=loops)
            uses.append((statement, access))
            ranks[access.array] = max(
                ranks.get(access.array, 0), len(access.subscripts)
            )
    maps = {
        (s.name, a): access_map(spaces, s, a, ranks[a.array])
        for s, a in dict.fromkeys(uses)
    }
    before: dict[tuple[str, str], isl.Map] = {}
    result = []
    for source, source_access in uses:
        for sink, sink_access in uses:
            if not (source_access.write or sink_access.write):
                continue
            same = source_access.array == sink_access.array
            if not same and not _may_alias(
                nest, source_access.array, sink_access.array
            ):
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
    if (
        both
        and _is_cell(source_access, cells[0], ours)
        and _is_cell(sink_access, cells[1], theirs)
    ):
        return theirs
    return None


def _is_cell(
    access: Access, cell: tuple[IntExpr | None, ...], reduction: Reduction
) -> bool:
    """Whether an access is the reduction's own (private scalars have subscripts)."""
    return access.subscripts == cell or not cell
