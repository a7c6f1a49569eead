"""Array dataflow analysis and privatization of temporaries.

The flow is that of the source's order, found from exact last writers (Feautrier,
"Dataflow analysis of array and scalar references", IJPP 1991). Where it stays inside
one iteration of some outer loops, each such iteration may have cells of its own
(Maydan, Amarasinghe, Lam, "Array data-flow analysis and its use in array
privatization", POPL 1993); every schedule that keeps the dependences keeps the flow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import reduce

import islpy as isl

from looptx.model.expr import TRUE, Const, IntExpr, Var, variables
from looptx.model.program import Access, Nest, Statement
from looptx.model.schedule import Band, path
from looptx.poly.budget import FACT_OPERATIONS, Exceeded, budget
from looptx.poly.dependences.order import SourceTimes, Times, access_map
from looptx.poly.spaces import Spaces


@dataclass(frozen=True, slots=True)
class Dataflow:
    """From which writes to which reads the values of an array or scalar flow.

    Attributes:
        users: the statements that touch it.
        loops: the outermost loops that have cells of their own in every iteration.
        flow: relations from writes to the reads that may see them.
        first: the reads that may see what the cells hold at first.
        around: by user, what else tells cells apart: the iterations of loops that the
            statements moved into.
    """

    users: tuple[Statement, ...]
    loops: tuple[str, ...]
    flow: tuple[isl.Map, ...]
    first: isl.UnionMap
    around: Mapping[str, tuple[IntExpr, ...]] = field(default_factory=dict)

    def prefix(self, user: Statement) -> tuple[IntExpr, ...]:
        """What tells the cells of different iterations apart."""
        return (*self.around.get(user.name, ()), *map(Var, self.loops))

    def subscripts(self, user: Statement, access: Access) -> tuple[IntExpr | None, ...]:
        """The subscripts of an access after expansion by the private loops."""
        return (*self.prefix(user), *access.subscripts)

    def own(self, user: Statement, access: Access) -> Access:
        """The access to that cell."""
        return replace(access, subscripts=self.subscripts(user, access))


def pieces(union: isl.UnionMap) -> list[isl.Map]:
    """The relations, one for each pair of spaces, that another one is made of."""
    maps = union.get_map_list()
    return [maps.get_at(at) for at in range(maps.n_map())]


def united(maps: Iterable[isl.Map], space: isl.Space) -> isl.UnionMap:
    """A relation that is made of some; ``space`` has their parameters."""
    each = map(isl.UnionMap.from_map, maps)
    return reduce(isl.UnionMap.union, each, isl.UnionMap.empty(space))


def dataflows(
    spaces: Spaces, temporaries: frozenset[str], safe: Callable[[], isl.Set] | None
) -> dict[str, Dataflow]:
    """The dataflow of temporaries, and of the scalars that may be private.

    A scalar qualifies when it is not read after the nest and every read gets a value
    written in the same iteration of the outermost k >= 1 loops around all its uses.

    Args:
        spaces: those of the nest.
        temporaries: arrays with cells of their own.
        safe: gives the sizes that matter, if not all. They can take isl long to say:
            it is asked only where fewer sizes may give more private loops.

    Returns:
        The dataflow of each of them, by its name.
    """
    nest = spaces.nest
    order = SourceTimes(spaces)
    fewer: Spaces | None = None
    result = {}
    for name, own in _users(nest, temporaries).items():
        if name in nest.live_out:
            continue
        found = dataflow(spaces, order, name, own)
        short = found.loops == _common_loops(own) and found.first.is_empty()
        if safe is not None and not short:
            with suppress(Exceeded), budget(FACT_OPERATIONS):
                fewer = fewer or spaces.at(safe())
                found = dataflow(fewer, order, name, own)
            safe = safe if fewer else None
        if name in temporaries or (found.loops and found.first.is_empty()):
            result[name] = found
    return result


def _users(nest: Nest, temporaries: frozenset[str]) -> Mapping[str, list[Statement]]:
    found: dict[str, list[Statement]] = {}
    for statement in nest.statements.values():
        for name in dict.fromkeys(access.array for access in statement.accesses):
            if name in temporaries or name in nest.scalars:
                found.setdefault(name, []).append(statement)
    return found


def users(nest: Nest, name: str) -> list[Statement]:
    """The statements that touch an array or scalar."""
    return [
        statement
        for statement in nest.statements.values()
        if any(access.array == name for access in statement.accesses)
    ]


def dataflow(
    spaces: Spaces,
    order: Times,
    name: str,
    users: Sequence[Statement],
    *,
    end: bool = False,
) -> Dataflow:
    """The dataflow of an array or scalar.

    Args:
        spaces: those of the nest.
        order: in which the statements run.
        name: of the array or scalar.
        users: the statements that touch it.
        end: whether what is left of each cell is read at the ``END``.
    """
    reads = isl.UnionMap.empty(spaces.params_space())
    must, may, times = reads, reads, reads
    for time in _time_maps(spaces, order, users).values():
        times = times.union(isl.UnionMap.from_map(time))
    for _, access, touched in cells(spaces, name, users):
        one = isl.UnionMap.from_map(touched)
        if not access.write:
            reads = reads.union(one)
        elif access.certain:
            must = must.union(one)
        else:
            may = may.union(one)
    if end:
        left, times = _at_end(must.union(may), times)
        reads = reads.union(left)
    info = (
        isl.UnionAccessInfo.from_sink(reads).set_must_source(must).set_may_source(may)
    )
    found = info.set_schedule_map(times).compute_flow()
    flow = tuple(pieces(found.get_may_dependence()))
    prefix = _common_loops(users)
    for piece in flow:
        if piece.get_tuple_name(isl.dim_type.out) == END:
            continue
        depth = 0
        while depth < len(prefix) and _equal_at(piece, depth):
            depth += 1
        prefix = prefix[:depth]
    return Dataflow(tuple(users), prefix, flow, found.get_may_no_source())


def cells(
    spaces: Spaces, name: str, users: Sequence[Statement]
) -> Iterator[tuple[Statement, Access, isl.Map]]:
    """The accesses to an array or scalar, each with the cells that it touches.

    Args:
        spaces: those of the nest.
        name: of the array or scalar.
        users: the statements that touch it.
    """
    touched = [
        (user, access)
        for user in users
        for access in user.accesses
        if access.array == name
    ]
    rank = max(len(access.subscripts) for _, access in touched)
    for user, access in touched:
        found = access_map(spaces, user, _without_data(spaces.nest, access), rank)
        yield user, access, found.set_tuple_name(isl.dim_type.out, "cell")


END = "the end"
"""Stands for a statement behind the nest that reads a cell in each instance."""


def _at_end(
    writes: isl.UnionMap, times: isl.UnionMap
) -> tuple[isl.UnionMap, isl.UnionMap]:
    """The reads of all written cells behind the nest, and times that say so.

    Args:
        writes: from instances to cells. times: of the instances.
    """
    found = pieces(times)
    length = found[0].dim(isl.dim_type.out)
    later = isl.UnionMap.empty(times.get_space())
    for time in found:
        first = isl.Map.from_domain(time.domain()).add_dims(isl.dim_type.out, 1)
        first = first.fix_val(isl.dim_type.out, 0, isl.Val.zero(time.get_ctx()))
        later = later.union(isl.UnionMap.from_map(first.flat_range_product(time)))
    written = isl.Set.from_union_set(writes.range())
    left = isl.Set.identity(written).set_tuple_name(isl.dim_type.in_, END)
    last = isl.Map.from_domain(left.domain()).add_dims(isl.dim_type.out, length + 1)
    for at in range(length + 1):
        value = isl.Val.one(last.get_ctx()) if at == 0 else isl.Val.zero(last.get_ctx())
        last = last.fix_val(isl.dim_type.out, at, value)
    return isl.UnionMap.from_map(left), later.union(isl.UnionMap.from_map(last))


def _without_data(nest: Nest, access: Access) -> Access:
    """An access without what only the proof knows: storage has the nest's sizes."""
    known = variables(access.where) <= {*nest.parameters, *nest.loops}
    return access if known else replace(access, where=TRUE)


def _common_loops(users: Sequence[Statement]) -> tuple[str, ...]:
    """The outermost loops around all statements."""
    prefix = users[0].loops
    for user in users:
        pairs = zip(prefix, user.loops, strict=False)
        common = 0
        for ours, theirs in pairs:
            if ours != theirs:
                break
            common += 1
        prefix = prefix[:common]
    return prefix


def _equal_at(relation: isl.Map, axis: int) -> bool:
    """Whether both ends of every pair agree on an iterator."""
    space = relation.get_space()
    same = isl.Map.universe(space).equate(
        isl.dim_type.in_, axis, isl.dim_type.out, axis
    )
    return bool(relation.is_subset(same))


def _time_maps(
    spaces: Spaces, order: Times, users: Sequence[Statement]
) -> dict[str, isl.Map]:
    """Complete time vectors, padded to one length."""
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
