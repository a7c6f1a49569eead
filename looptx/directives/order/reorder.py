"""``reorder``: a new order of loops, with fission where statements stand beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from looptx.directives.base import (
    Verb,
    check,
    check_clause,
    fits,
    join,
    loop_name,
    make,
)
from looptx.directives.names import find
from looptx.errors import Malformed
from looptx.language.grammar import Clause
from looptx.model.dims import in_one_order, paths, woven
from looptx.model.expr import IntExpr
from looptx.model.records import dataclass, replace
from looptx.model.schedule import (
    Band,
    Dim,
    Schedule,
    Tree,
    bands,
    path,
    replace_band,
    sequence,
    statements,
)
from looptx.model.tree import parts, uids, with_copies


@dataclass(frozen=True)
class Reorder(Verb):
    """Give the named loops a new order, outermost first, in the places they hold.

    syntax: ``reorder LOOP LOOP...``
    rewrite: ``for i: for j: S`` -> ``for j: for i: S``
    """

    order: tuple[str, ...]

    verb = "reorder"
    usage = "reorder LOOP LOOP..."

    @classmethod
    def from_clause(cls, clause: Clause) -> Reorder:
        """Read two or more different loops."""
        check_clause(clause, cls)
        order = tuple(loop_name(operand, cls) for operand in clause.operands)
        fits(len(order) > 1, cls, "needs at least two loops")
        fits(len(set(order)) == len(order), cls, "names one loop twice")
        return cls(order, place=clause.place, source=clause.source)

    @property
    def text(self) -> str:
        """``reorder j k i``."""
        return join(self.verb, *self.order)

    @property
    def loops(self) -> tuple[str, ...]:
        """The loops, in their new order."""
        return self.order

    def change(self, schedule: Schedule) -> Schedule:
        """Permute the loops."""
        return permute(schedule, [find(schedule, loop).uid for loop in self.order])


def reorder(*order: str) -> Reorder:
    """Give the named loops a new order, outermost first."""
    return make(Reorder, *order)


@dataclass(frozen=True, slots=True)
class _Level:
    """One loop of the path and what stands beside the next loop, in its body."""

    dim: Dim
    before: tuple[Tree, ...]
    after: tuple[Tree, ...]


def permute(schedule: Schedule, order: Sequence[int]) -> Schedule:
    """The schedule with the named dimensions in a new order.

    The loops on the path from the first named one to the last, or to a fusing
    dimension, are ``levels``. ``new`` is the order of their dimensions and of all
    inside, with the named ones permuted in the places they hold: the statements inside
    take it, each as far as the dimensions are its own. A statement beside the path
    lacks the path's deeper loops. It stays inside the longest prefix of ``new`` that
    consists of its own loops, right before (or after) the loop that it lacks; the rest
    of its loops are copied for it, in their old order. Statements that leave for one
    place leave together, so no more is distributed than the new order needs.

    Raises LX106 when the loops are not nested in one another, in any of the nests.
    """
    check(len(set(order)) == len(order), "one loop is named twice", "name it once")
    top = _top(schedule.tree, frozenset(order))
    levels, core = _path(top, frozenset(order))
    inner = paths(core)
    _check_nested(schedule, inner, frozenset(order))
    outer = tuple(level.dim for level in levels)
    new = _permuted((*outer, *in_one_order(inner.values())), order)
    depth = [_shared(new, levels[: q + 1]) for q in range(len(levels))]
    copies: dict[int, tuple[int, tuple[str, ...]]] = {}

    def beside(d: int, side: str) -> tuple[Tree, ...]:
        """What stands at depth ``d`` on one side: the old path, cut down to it."""
        body: tuple[Tree, ...] = ()
        for level, own in zip(reversed(levels), reversed(depth), strict=True):
            if own == d:
                body = (
                    (*level.before, *body)
                    if side == "before"
                    else (*body, *level.after)
                )
            if body and level.dim not in new[:d]:
                body = (copy(level.dim, sequence(body)),)
        return body

    def copy(dim: Dim, body: Tree) -> Band:
        uid = schedule.fresh + len(copies)
        copies[uid] = (dim.uid, statements(body))
        return Band(replace(dim, uid=uid, headers=()), body)

    deepest = max(depth, default=0)
    rest = {name: _own(new, (*outer, *own)) for name, own in inner.items()}
    tree = woven(schedule, [(own[deepest:], name) for name, own in rest.items()])
    for d in range(deepest, -1, -1):
        if d < deepest:
            tree = Band(new[d], tree)
        tree = sequence((*beside(d, "before"), *parts(tree), *beside(d, "after")))
    tree = replace_band(schedule.tree, top.dim.uid, lambda _: tree)
    result = with_copies(schedule, copies)
    return replace(result, tree=tree, fresh=schedule.fresh + len(copies))


def _permuted(dims: Sequence[Dim], order: Sequence[int]) -> list[Dim]:
    """Dimensions with the named ones in a new order, in the places they hold."""
    known = {dim.uid: dim for dim in dims}
    following = iter(order)
    return [known[next(following) if uid in order else uid] for uid in known]


def _own(dims: Sequence[Dim], path: Sequence[Dim]) -> list[Dim]:
    """Those of some dimensions that are in a path."""
    own = {dim.uid for dim in path}
    return [dim for dim in dims if dim.uid in own]


def _top(tree: Tree, named: frozenset[int]) -> Band:
    """The loop that holds all that moves: the first named one, or an f around it."""
    first = next(band for band in bands(tree) if band.dim.uid in named)
    around = path(tree, statements(first)[0])
    nodes = [node for node, _ in around if isinstance(node, Band)]
    outer = nodes[: nodes.index(first)]
    return next((band for band in outer if band.dim.fusing), first)


def _check_nested(
    schedule: Schedule, inner: Mapping[str, tuple[Dim, ...]], named: frozenset[int]
) -> None:
    """Check that in every fused nest a statement is inside all of its named loops."""
    nests: dict[tuple[IntExpr, ...], list[frozenset[int]]] = {}
    for name, own in inner.items():
        place = (schedule.position[dim.uid][name] for dim in own if dim.fusing)
        inside = named & {dim.uid for dim in own}
        nests.setdefault(tuple(place), []).append(inside)
    for loops in nests.values():
        if frozenset().union(*loops) not in loops:
            raise _apart()


def _apart() -> Malformed:
    return Malformed(
        "LX106",
        "the loops are not nested in one another",
        hint="name loops that enclose one common statement",
    )


def _shared(new: Sequence[Dim], own: Sequence[_Level]) -> int:
    """The length of the longest prefix of ``new`` made of ``own`` loops."""
    loops = {level.dim.uid for level in own}
    return next((d for d, dim in enumerate(new) if dim.uid not in loops), len(new))


def _path(top: Band, named: frozenset[int]) -> tuple[list[_Level], Tree]:
    """The levels from ``top`` to the innermost named loop, and that loop's body.

    A fusing dimension ends them: it and what is inside have one order of their own.

    Raises LX106 for a named loop that is elsewhere.
    """
    levels: list[_Level] = []
    band, left = top, named - {top.dim.uid}
    while left and not band.dim.fusing:
        children = parts(band.body)
        inside = [number for number, child in enumerate(children) if left & uids(child)]
        at = inside[0] if inside else 0
        following = children[at]
        if not isinstance(following, Band) or not left <= uids(following):
            raise _apart()
        levels.append(_Level(band.dim, children[:at], children[at + 1 :]))
        band, left = following, left - {following.dim.uid}
    if not band.dim.fusing:
        return [*levels, _Level(band.dim, (), ())], band.body
    if not left <= uids(band):
        raise _apart()
    return levels, band
