"""Statements under other names, without one of them, or in addition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from looptx.model.records import replace
from looptx.model.schedule import Band, Leaf, Schedule, Tree, sequence

T = TypeVar("T")


def renamed(schedule: Schedule, new: Mapping[str, str], gone: str = "") -> Schedule:
    """The schedule with statements under their new names, and without another one.

    Args:
        schedule: the schedule. new: ``{old name: new name}``.
        gone: the statement of which nothing is left; the tree is without it.
    """

    def tree(node: Tree) -> Tree:
        match node:
            case Band(dim, body):
                return Band(dim, tree(body))
            case Leaf(name):
                return Leaf(new.get(name, name))
        return sequence(tuple(map(tree, node.children)))

    groups = {
        name: replace(
            one, statements=frozenset(new.get(x, x) for x in one.statements - {gone})
        )
        for name, one in schedule.groups.items()
    }
    return replace(
        schedule,
        tree=tree(schedule.tree),
        position={
            uid: {new.get(x, x): y for x, y in values.items() if x != gone}
            for uid, values in schedule.position.items()
        },
        owner={
            uid: {new.get(x, x): y for x, y in values.items() if x != gone}
            for uid, values in schedule.owner.items()
        },
        index={
            (new.get(name, name), loop): value
            for (name, loop), value in schedule.index.items()
            if name != gone
        },
        groups={name: one for name, one in groups.items() if one.statements},
    )


def beside(schedule: Schedule, new: Mapping[str, str]) -> Schedule:
    """The schedule with statements under new names in front of those of the old ones.

    Args:
        schedule: the schedule. new: ``{old name: new name}``.
    """

    def tree(node: Tree) -> Tree:
        match node:
            case Band(dim, body):
                return Band(dim, tree(body))
            case Leaf(name):
                return sequence((Leaf(new[name]), node)) if name in new else node
        return sequence(tuple(map(tree, node.children)))

    def both(values: Mapping[str, T]) -> dict[str, T]:
        return {**values, **{new[x]: y for x, y in values.items() if x in new}}

    more = {
        (new[name], loop): value
        for (name, loop), value in schedule.index.items()
        if name in new
    }
    return replace(
        schedule,
        tree=tree(schedule.tree),
        position={uid: both(values) for uid, values in schedule.position.items()},
        owner={uid: both(values) for uid, values in schedule.owner.items()},
        index={**schedule.index, **more},
        groups={
            name: replace(
                one,
                statements=one.statements.union(
                    new[x] for x in new if x in one.statements
                ),
            )
            for name, one in schedule.groups.items()
        },
    )
