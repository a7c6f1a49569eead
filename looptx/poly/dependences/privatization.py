"""Array dataflow analysis and privatization of temporaries.

The flow is that of the source's order, found from exact last writers (Feautrier,
"Dataflow analysis of array and scalar references", IJPP 1991). Where it stays inside
one iteration of some outer loops, each such iteration may have cells of its own
(Maydan, Amarasinghe, Lam, "Array data-flow analysis and its use in array
privatization", POPL 1993); every schedule that keeps the dependences keeps the flow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

import islpy as isl

from looptx.model.elements import Access
from looptx.model.expr import TRUE, Const, IntExpr, Var, variables
from looptx.model.program import Nest, Statement
from looptx.model.records import dataclass, field, replace
from looptx.model.schedule import Band, path
from looptx.poly.budget import FACT_OPERATIONS, Exceeded, budget
from looptx.poly.dependences.flows import CELL, END, START, Flow, at_end, last_writers
from looptx.poly.dependences.order import SourceTimes, Times, access_map
from looptx.poly.spaces import Spaces


@dataclass(frozen=True, slots=True)
class Dataflow:
    """From which writes to which reads the values of an array or scalar flow.

    Attributes:
        users: the statements that touch it.
        loops: the outermost loops that have cells of their own in every iteration.
        flow: from writes to the reads that may see them, and from the ``START`` to
            those that may see what the cells hold at first.
        around: by user, what else tells cells apart: the iterations of loops that the
            statements moved into.
    """

    users: tuple[Statement, ...]
    loops: tuple[str, ...]
    flow: tuple[Flow, ...]
    around: Mapping[str, tuple[IntExpr, ...]] = field(default_factory=dict)

    @property
    def first(self) -> tuple[Flow, ...]:
        """What flows from the ``START``."""
        return tuple(one for one in self.flow if one.source == START)

    @property
    def inner(self) -> tuple[Flow, ...]:
        """What flows from statement to statement."""
        ends = START, END
        return tuple(x for x in self.flow if not {*x.ends} & {*ends})

    def prefix(self, user: Statement) -> tuple[IntExpr, ...]:
        """What tells the cells of different iterations apart."""
        return (*self.around.get(user.name, ()), *map(Var, self.loops))

    def subscripts(self, user: Statement, access: Access) -> tuple[IntExpr | None, ...]:
        """The subscripts of an access after expansion by the private loops."""
        return (*self.prefix(user), *access.subscripts)

    def own(self, user: Statement, access: Access) -> Access:
        """The access to that cell."""
        digits = access.digits and (*self.prefix(user), *access.digits)
        subscripts = self.subscripts(user, access)
        return replace(access, subscripts=subscripts, digits=digits)


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
        short = found.loops == _common_loops(own) and not found.first
        if safe is not None and not short:
            with suppress(Exceeded), budget(FACT_OPERATIONS):
                fewer = fewer or spaces.at(safe())
                found = dataflow(fewer, order, name, own)
            safe = safe if fewer else None
        if name in temporaries or (found.loops and not found.first):
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
    rank: int = 0,
) -> Dataflow:
    """The dataflow of an array or scalar.

    Args:
        spaces: those of the nest.
        order: in which the statements run.
        name: of the array or scalar.
        users: the statements that touch it.
        end: whether what is left of each cell is read at the ``END``.
        rank: how many coordinates a cell has at least.
    """
    reads = isl.UnionMap.empty(spaces.params_space())
    must, may, times = reads, reads, reads
    for time in _time_maps(spaces, order, users).values():
        times = times.union(isl.UnionMap.from_map(time))
    for _, access, touched in cells(spaces, name, users, rank):
        one = isl.UnionMap.from_map(touched)
        if not access.write:
            reads = reads.union(one)
        elif access.certain:
            must = must.union(one)
        else:
            may = may.union(one)
    if end:
        left, times = at_end(must.union(may), times)
        reads = reads.union(left)
    flow = last_writers(reads, must, may, times)
    found = Dataflow(tuple(users), _common_loops(users), flow)
    prefix = found.loops
    for pairs in (one.pairs for one in found.inner):
        depth = 0
        while depth < len(prefix) and _equal_at(pairs, depth):
            depth += 1
        prefix = prefix[:depth]
    return replace(found, loops=prefix)


def cells(
    spaces: Spaces, name: str, users: Sequence[Statement], rank: int = 0
) -> Iterator[tuple[Statement, Access, isl.Map]]:
    """The accesses to an array or scalar, each with the cells that it touches.

    Args:
        spaces: those of the nest.
        name: of the array or scalar.
        users: the statements that touch it.
        rank: how many coordinates a cell has at least.
    """
    uses = [
        (user, access)
        for user in users
        for access in user.accesses
        if access.array == name
    ]
    rank = max((rank, *(len(access.coordinates) for _, access in uses)))
    for user, access in uses:
        access = _without_data(spaces.nest, access)
        yield user, access, touched(spaces, user, access, rank)


def touched(spaces: Spaces, user: Statement, access: Access, rank: int) -> isl.Map:
    """``{ statement[x] -> cell[c] }`` of an access.

    Args:
        spaces: those of the nest.
        user: the statement. access: one of its accesses.
        rank: the number of coordinates of a cell.
    """
    found = access_map(spaces, user, access, rank)
    return found.set_tuple_name(isl.dim_type.out, CELL)


def _without_data(nest: Nest, access: Access) -> Access:
    """An access without what only the proof knows: storage has the nest's sizes."""
    known = variables(access.where) <= {*nest.parameters, *nest.loops}
    return access if known else replace(access, where=TRUE, certain=False)


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
