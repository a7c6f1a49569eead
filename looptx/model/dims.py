"""Dimensions with several loops: one time dimension, and the trees it denotes.

The nests of a ``fuse`` have one common time: the loops that are fused, the fusing
dimension, and the loops of each nest that are not. A statement has the dimensions of
its path. Where a loop of one nest stands before a fused dimension, that dimension has a
loop of its own in every nest, and is one dimension nevertheless: it has one name, one
place in the order, and the same marks everywhere. (The slices of one fused iteration
space: Accera's manual, section 4.)
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import groupby, takewhile
from typing import TypeAlias

from looptx.model.expr import IntExpr, mod, neg, sub, variables
from looptx.model.naming import free
from looptx.model.program import Nest
from looptx.model.records import replace
from looptx.model.schedule import (
    Band,
    Dim,
    Index,
    Leaf,
    Schedule,
    Sequence,
    Tree,
    bands,
    replace_band,
    sequence,
    statements,
)
from looptx.model.tree import unfolded, with_copies, with_dims


def paths(tree: Tree) -> dict[str, tuple[Dim, ...]]:
    """The dimensions of every statement, outermost first, in textual order."""
    match tree:
        case Band(dim, body):
            return {name: (dim, *inner) for name, inner in paths(body).items()}
        case Sequence(children):
            return {x: y for child in children for x, y in paths(child).items()}
        case Leaf(name):
            return {name: ()}


def loops(tree: Tree, uid: int) -> list[Band]:
    """The loops of a dimension, in textual order."""
    return [band for band in bands(tree) if band.dim.uid == uid]


def down_to(tree: Tree, uid: int) -> tuple[Dim, ...]:
    """The dimensions around the first loop of a dimension, and it, outermost first."""
    (first, *_) = loops(tree, uid)
    path = paths(tree)[statements(first)[0]]
    return path[: [dim.uid for dim in path].index(uid) + 1]


def in_one_order(found: Collection[tuple[Dim, ...]]) -> list[Dim]:
    """All dimensions of some paths in an order that each path is in.

    Where two are in no path together, that of the earlier path is first.
    """
    known = {dim.uid: dim for path in found for dim in path}
    left = dict.fromkeys(tuple(dim.uid for dim in path) for path in found)
    order: list[Dim] = []
    while left := dict.fromkeys(filter(None, left)):
        inner = frozenset(uid for path in left for uid in path[1:])
        first = next(path[0] for path in left if path[0] not in inner)
        order.append(known[first])
        left = dict.fromkeys(x[1:] if x[0] == first else x for x in left)
    return order


_Path: TypeAlias = tuple[list[Dim], str]
"""The dimensions of a statement, outermost first, and its name."""


def woven(schedule: Schedule, paths: list[_Path]) -> Tree:
    """The tree of some statements, each with its dimensions, in textual order.

    What stands side by side and begins with one dimension has one loop of it; inside a
    fusing dimension each nest has its own.
    """
    children: list[Tree] = []
    for uid, group in groupby(paths, lambda one: one[0][0].uid if one[0] else None):
        same = list(group)
        if uid is None:
            children.extend(Leaf(name) for _, name in same)
        else:
            dim = same[0][0][0]
            inside = [(own[1:], name) for own, name in same]
            nests = _nests(schedule, dim, inside)
            bodies = [woven(schedule, nest) for nest in nests]
            children.append(Band(dim, sequence(tuple(bodies))))
    return sequence(tuple(children))


def _nests(schedule: Schedule, dim: Dim, paths: list[_Path]) -> list[list[_Path]]:
    """The nests that a fusing dimension holds apart; for any other, all as one.

    Nests of one position, as a part of the dimension has them, stay one if another
    stands between them in the text.
    """
    place = schedule.position[dim.uid]
    runs = groupby(paths, lambda one: dim.fusing and place[one[1]])
    found = [(at, list(nest)) for at, nest in runs]
    alone = len(found) == len(dict(found))
    return [nest for _, nest in found] if alone else [paths]


def detached(schedule: Schedule, uid: int, names: Collection[str]) -> Schedule:
    """The loops of a dimension around some statements as a dimension of their own.

    Neither it nor the rest is common to all that the fusing dimensions around it hold
    apart: like loops that were never fused, both have to stay inside these.

    Args:
        schedule: the schedule.
        uid: the dimension.
        names: the statements whose loops are to be detached.

    Returns:
        The schedule with one dimension more.
    """
    new, inside = schedule.fresh, set(names)
    around = paths(schedule.tree)[next(iter(names))]
    unfused = {dim.fusing for dim in takewhile(lambda dim: dim.uid != uid, around)}

    def change(band: Band) -> Band:
        dim = replace(band.dim, unfused=band.dim.unfused | unfused - {0})
        if inside.issuperset(statements(band)):
            dim = replace(dim, uid=new, headers=())
        return Band(dim, band.body)

    tree = replace_band(schedule.tree, uid, change)
    result = with_copies(schedule, {new: (uid, tuple(names))})
    return replace(result, tree=tree, fresh=new + 1)


def taken_along(schedule: Schedule, names: Collection[str]) -> Schedule:
    """The schedule in which no dimension but f has loops both in a nest and elsewhere.

    Args:
        schedule: the schedule.
        names: the statements of the nest.
    """
    inside = set(names)
    known = [band.dim for band in bands(schedule.tree) if not band.dim.fusing]
    for uid in dict.fromkeys(dim.uid for dim in known):
        found = [statements(band) for band in loops(schedule.tree, uid)]
        own = [one for one in found if inside.issuperset(one)]
        if 0 < len(own) < len(found):
            schedule = detached(schedule, uid, [name for one in own for name in one])
    return schedule


def apart(schedule: Schedule) -> Schedule:
    """The same order with a dimension for every loop, and as few loops as there can be.

    Neighbours inside a fusing dimension may share a loop: it keeps their order.
    """
    schedule = schedule.with_tree(_joined(schedule.tree))
    known: set[int] = set()
    for band in bands(schedule.tree):
        if band.dim.uid in known:
            schedule = detached(schedule, band.dim.uid, statements(band))
        known.add(band.dim.uid)
    return schedule


def distinct(schedule: Schedule) -> Schedule:
    """The schedule in which no loop is named like one around it.

    A nest that moves into another keeps the names of its loops; what is written in the
    end needs different variables, also for the two loops of a collapsed one. Those of
    loops that the source does not have are none of its names.
    """
    known = schedule.nest.statements
    tree = unfolded(schedule)
    taken = {band.dim.name for band in bands(tree)} | schedule.taken
    names: dict[int, str] = {}

    def visit(tree: Tree, around: frozenset[str]) -> None:
        match tree:
            case Band(dim, body):
                added = all(known[name].copy is not None for name in statements(body))
                name = names.get(dim.uid, dim.name)
                if name in around or (added and name in schedule.taken):
                    name = names[dim.uid] = free(dim.name, taken, 2)
                    taken.add(name)
                visit(body, around | {name})
            case Sequence(children):
                for child in children:
                    visit(child, around)

    def renamed(dim: Dim) -> Dim:
        return replace(dim, name=names.get(dim.uid, dim.name))

    visit(tree, frozenset())
    pairs = {
        loop: replace(pair, outer=renamed(pair.outer), inner=renamed(pair.inner))
        for loop, pair in schedule.collapsed.items()
    }
    return replace(schedule, tree=with_dims(schedule.tree, renamed), collapsed=pairs)


def _joined(tree: Tree) -> Tree:
    """The tree with one loop for neighbours that are loops of one dimension."""
    match tree:
        case Band(dim, body):
            return Band(dim, _joined(body))
        case Sequence(children):
            found: list[Tree] = []
            for child in children:
                last = found[-1] if found else None
                if (
                    isinstance(last, Band)
                    and isinstance(child, Band)
                    and last.dim.uid == child.dim.uid
                ):
                    found[-1] = Band(last.dim, sequence((last.body, child.body)))
                else:
                    found.append(child)
            return sequence(tuple(map(_joined, found)))
    return tree


def shift(nest: Nest, loop: str, index: Index) -> IntExpr:
    """What is added to the linear form of a loop's value, less than a step.

    Args:
        nest: the nest.
        loop: one of its loops.
        index: how a statement computes its value from positions.

    Returns:
        The phase of the loop's start among the steps from the index's start.
    """
    own = nest.loops[loop]
    apart = sub(own.start, index.start)
    if own.step > 0:
        return mod(apart, own.step)
    return neg(mod(neg(apart), -own.step))


def source_loops(schedule: Schedule, uid: int) -> frozenset[str]:
    """The loops of the source whose extents say how long the loops of a dimension are.

    Of a skewed one, that is the loop whose index it shows.
    """
    inside = frozenset().union(*map(variables, schedule.position[uid].values()))
    found = inside.intersection(schedule.owner.get(uid, {}).values()) or inside
    parts = (
        source_loops(schedule, dim.uid)
        for name in found & schedule.collapsed.keys()
        for dim in schedule.collapsed[name].dims
    )
    return (found & schedule.nest.loops.keys()).union(*parts)
