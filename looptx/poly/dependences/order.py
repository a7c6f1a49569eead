"""Orders and cells as isl relations: what runs before what, what touches what."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import islpy as isl

from looptx.model.elements import Access
from looptx.model.expr import Const, IntExpr, Var, mul
from looptx.model.program import Statement
from looptx.model.schedule import Band, Leaf, Schedule, Sequence, Tree, initial, path
from looptx.poly.spaces import Spaces


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
        return self._ordered(first, second, isl.Map.lex_le, isl.Map.lex_lt)

    def not_before(self, first: Statement, second: Statement) -> isl.Map:
        """The other pairs: all, as every position is a total function of iterations."""
        return self._ordered(first, second, isl.Map.lex_gt, isl.Map.lex_ge)

    def _ordered(
        self,
        first: Statement,
        second: Statement,
        ahead: Callable[[isl.Space], isl.Map],
        level: Callable[[isl.Space], isl.Map],
    ) -> isl.Map:
        """Pairs by their times in common dimensions.

        Args:
            first, second: the statements of the pairs.
            ahead: the relation of times, where the first stands before the second.
            level: that elsewhere.
        """
        ours, theirs, decided = self.common(first.name, second.name)
        source = self.spaces.map(first.name, first.loops, ours)
        sink = self.spaces.map(second.name, second.loops, theirs)
        order = (ahead if decided < 0 else level)(source.get_space().range())
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


def first(relation: isl.Map) -> isl.Map:
    """The lexicographically first of what a relation relates to each element."""
    return _end(relation, isl.Map.lexmin, isl.Map.lex_lt)


def last(relation: isl.Map) -> isl.Map:
    """The lexicographically last of what a relation relates to each element."""
    return _end(relation, isl.Map.lexmax, isl.Map.lex_gt)


def _end(
    relation: isl.Map,
    found: Callable[[isl.Map], isl.Map],
    beyond: Callable[[isl.Space], isl.Map],
) -> isl.Map:
    """What nothing else is beyond, of all that is related to the same element.

    A function of isl finds it in few pieces where the relation is convex. Of a union (a
    stencil that reads in tiles) its pieces are many and have divisions, which makes
    hundreds of lines of its loops, or it fails; a difference has fewer then.

    Args:
        relation: the relation. found: the function: lexmin or lexmax.
        beyond: relates what is found to all that is not.
    """
    known = relation.coalesce()
    ends = [known - known.apply_range(beyond(known.get_space().range()))]
    with suppress(isl.Error):
        ends.insert(0, found(relation))
    return min((end.coalesce() for end in ends), key=_pieces)


def _pieces(relation: isl.Map) -> tuple[int, int]:
    """Of how many pieces a relation is, and how many divisions they have."""
    found = relation.get_basic_maps()
    return len(found), sum(one.dim(isl.dim_type.div) for one in found)


def access_map(
    spaces: Spaces, statement: Statement, access: Access, rank: int
) -> isl.Map:
    """The cells that an access touches.

    Args:
        spaces: those of the nest.
        statement: one of its statements.
        access: one of the statement's.
        rank: the number of coordinates of a cell.

    Returns:
        ``{ statement[x] -> [cell] }``; unknown subscripts are unconstrained.
    """
    domain = spaces.guarded(statement, access, spaces.domain(statement))
    space = domain.get_space()
    result, coordinates = isl.Map.from_domain(domain), access.coordinates
    for axis in range(rank):
        known = coordinates[axis] if axis < len(coordinates) else None
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
