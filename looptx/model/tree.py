"""Surgery on schedule trees that several directives share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from looptx.model.schedule import (
    Band,
    Index,
    Leaf,
    Schedule,
    Sequence,
    Tree,
    statements,
)


def parts(tree: Tree) -> tuple[Tree, ...]:
    """The children of a sequence; any other tree is its own only child."""
    return tree.children if isinstance(tree, Sequence) else (tree,)


def uids(tree: Tree) -> frozenset[int]:
    """The dimensions of every band of a tree."""
    match tree:
        case Leaf():
            return frozenset()
        case Band(dim, body):
            return uids(body) | {dim.uid}
        case Sequence(children):
            return frozenset().union(*map(uids, children))


def heads(tree: Tree) -> Iterator[Band]:
    """Every loop as it will be printed: of two collapsed bands, only the outer."""
    match tree:
        case Band(dim, body):
            yield tree
            if dim.merged and isinstance(body, Band) and body.dim.merged == dim.merged:
                body = body.body
            yield from heads(body)
        case Sequence(children):
            for child in children:
                yield from heads(child)


def with_copies(
    schedule: Schedule, copies: Mapping[int, tuple[int, tuple[str, ...]]]
) -> Schedule:
    """Let some statements use copies of a dimension.

    Args:
        copies: ``{new uid: (old uid, statements that move to it)}``.
    """
    position = {uid: dict(values) for uid, values in schedule.position.items()}
    owner = {uid: dict(values) for uid, values in schedule.owner.items()}
    moved: dict[str, dict[int, int]] = {}
    for new, (old, names) in copies.items():
        values, owners = position[old], owner.setdefault(old, {})
        position[new] = {name: values.pop(name) for name in names}
        owner[new] = {name: owners.pop(name) for name in names if name in owners}
        for name in names:
            moved.setdefault(name, {})[old] = new
    index = {
        (name, loop): _renamed(value, moved.get(name, {}))
        for (name, loop), value in schedule.index.items()
    }
    return replace(schedule, position=position, owner=owner, index=index)


def _renamed(index: Index, new: Mapping[int, int]) -> Index:
    weights = {new.get(uid, uid): weight for uid, weight in index.weights.items()}
    return replace(index, weights=weights)


def settle_owners(schedule: Schedule) -> Schedule:
    """Drop the owner of a dimension whose statements no longer show one growing index.

    A loop shows its owner's index only while that is the same increasing function of
    the position for every statement in it. ``skew i j | skew j i by -1`` leaves nothing
    of i in its own dimension; such a loop shows its position.
    """
    dropped: set[int] = set()

    def visit(tree: Tree, outer: frozenset[int]) -> None:
        for child in parts(tree):
            if isinstance(child, Band):
                uid = child.dim.uid
                forms = [
                    _form(schedule, uid, name, outer) for name in statements(child)
                ]
                if any(form != forms[0] for form in forms) or forms[0] is None:
                    dropped.add(uid)
                visit(child.body, outer | {uid})

    visit(schedule.tree, frozenset())
    if not dropped:
        return schedule
    none: dict[int, dict[str, str]] = {uid: {} for uid in dropped}
    return replace(schedule, owner={**schedule.owner, **none})


def _form(
    schedule: Schedule, uid: int, statement: str, outer: frozenset[int]
) -> tuple[object, ...] | None:
    """What a statement's loop shows, as a function of positions; None for its own."""
    loop = schedule.owner.get(uid, {}).get(statement)
    if loop is None:
        return None
    index = schedule.index[statement, loop]
    if index.weights.get(uid, 0) <= 0:
        return None
    fixed = {key: w for key, w in index.weights.items() if key == uid or key in outer}
    return index.start, index.step, index.offset, fixed
