"""Surgery on schedule trees that several directives share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from looptx.model.expr import Const, floordiv, mod, variables
from looptx.model.records import replace
from looptx.model.schedule import (
    Band,
    Collapsed,
    Dim,
    Index,
    Leaf,
    Schedule,
    Sequence,
    Tree,
    bands,
    replace_band,
    sequence,
    shown,
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


def nested(
    tree: Tree, around: tuple[Band, ...] = ()
) -> Iterator[tuple[Band, tuple[Band, ...]]]:
    """Every band of a tree with those around it, outermost first."""
    for child in parts(tree):
        if isinstance(child, Band):
            yield child, around
            yield from nested(child.body, (*around, child))


def unfolded(schedule: Schedule, whole: Collection[str] = ()) -> Tree:
    """The tree with the dimensions of its collapsed loops.

    They follow the last dimension that their loop's value is made of, which determines
    them: that changes no order. Later loops may be made of earlier ones.

    Args:
        schedule: the schedule.
        whole: collapsed loops that the two dimensions shall replace instead.
    """
    left, _ = opened(schedule, whole)
    tree = left.tree
    for loop in reversed([*left.collapsed]):
        tree = _determined(schedule, tree, loop, frozenset())
    return tree


def whole_loops(schedule: Schedule, apart: Collection[str] = ()) -> frozenset[str]:
    """The collapsed loops that two loops can stand for: nothing else is made of them.

    Such a loop is not split or skewed, no other loop is skewed along it, and it is not
    fused with others. The two loops may run through fewer iterations, where their
    bounds depend on loops around them. ``apart`` are those that are known not to be.
    """
    around = {band.dim.uid: statements(band) for band in bands(schedule.tree)}
    found: set[str] = set()
    for loop, pair in reversed([*schedule.collapsed.items()]):
        made = places(schedule, loop)
        used = {
            uid
            for uid, values in schedule.position.items()
            for value in values.values()
            if loop in variables(value)
        }
        inside = schedule.position[pair.outer.uid].keys()
        for uid in made:
            alone = made == used == {uid} and inside == set(around.get(uid, ()))
            if alone and loop not in apart:
                found.add(loop)
                around.update({dim.uid: around[uid] for dim in pair.dims})
    return frozenset(found)


def opened(
    schedule: Schedule, whole: Collection[str]
) -> tuple[Schedule, Mapping[int, int]]:
    """The same order with two loops in the place of each of ``whole``.

    Returns:
        The schedule, and the collapsed dimension that each of these loops stands for.
    """
    tree, stands = schedule.tree, dict[int, int]()
    for loop, pair in reversed([*schedule.collapsed.items()]):
        if loop in whole:
            (uid,) = places(schedule, loop)

            def both(band: Band, pair: Collapsed = pair) -> Tree:
                return Band(pair.outer, Band(pair.inner, band.body))

            tree = replace_band(tree, uid, both)
            stands.update({dim.uid: stands.get(uid, uid) for dim in pair.dims})
    left = {x: pair for x, pair in schedule.collapsed.items() if x not in whole}
    return replace(schedule, tree=tree, collapsed=left), stands


def places(schedule: Schedule, loop: str) -> frozenset[int]:
    """The dimensions that the value of a loop is made of."""
    return frozenset().union(
        *(index.weights for (_, own), index in schedule.index.items() if own == loop)
    )


def _determined(
    schedule: Schedule, tree: Tree, loop: str, outer: frozenset[int]
) -> Tree:
    """The tree with the dimensions of a collapsed loop where its value is known."""
    made = [schedule.index.get((name, loop)) for name in statements(tree)]
    index = made[0]
    alike = all(other == index for other in made)
    if alike and (index is None or outer.issuperset(index.weights)):
        pair = schedule.collapsed[loop]
        return tree if index is None else Band(pair.outer, Band(pair.inner, tree))
    match tree:
        case Band(dim, body):
            return Band(dim, _determined(schedule, body, loop, outer | {dim.uid}))
        case Sequence(children):
            return Sequence(
                tuple(_determined(schedule, child, loop, outer) for child in children)
            )
    return tree


def in_sequence(schedule: Schedule, tree: Tree) -> Tree:
    """A tree with a sequence for every fusing dimension: each nest has its place there.

    Loops inside it stand in each of the nests that run in them.
    """
    match tree:
        case Band(dim, body) if dim.fusing:
            places: dict[int, list[str]] = {}
            for name in statements(body):
                place = schedule.position[dim.uid][name]
                assert isinstance(place, Const)
                places.setdefault(place.value, []).append(name)
            nests = (_only(body, places[place]) for place in sorted(places))
            return sequence(tuple(in_sequence(schedule, nest) for nest in nests))
        case Band(dim, body):
            return Band(dim, in_sequence(schedule, body))
        case Sequence(children):
            return sequence(tuple(in_sequence(schedule, child) for child in children))
    return tree


def _only(tree: Tree, names: Collection[str]) -> Tree:
    """The part of the tree that encloses some statements."""
    match tree:
        case Band(dim, body):
            return Band(dim, _only(body, names))
        case Sequence(children):
            kept = (
                child
                for child in children
                if not set(names).isdisjoint(statements(child))
            )
            return sequence(tuple(_only(child, names) for child in kept))
    return tree


def without(tree: Tree, names: Collection[str]) -> Tree:
    """A tree without some statements, and without the loops around them alone."""
    return _only(tree, [name for name in statements(tree) if name not in names])


def with_dims(tree: Tree, change: Callable[[Dim], Dim]) -> Tree:
    """A tree with every dimension changed."""
    match tree:
        case Band(dim, body):
            return Band(change(dim), with_dims(body, change))
        case Sequence(children):
            return Sequence(tuple(with_dims(child, change) for child in children))
    return tree


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
    """Drop the owner of a dimension whose lead no longer grows with the position.

    ``skew i j | skew j i by -1`` leaves nothing of i in its own dimension; such a loop
    shows its position.
    """
    kept = dict(schedule.owner)
    for band in bands(unfolded(schedule)):
        uid, own = band.dim.uid, shown(schedule, band)
        for statement, loop in own.items():
            if schedule.index[statement, loop].weights.get(uid, 0) <= 0:
                kept[uid] = {x: y for x, y in kept[uid].items() if x not in own}
            break
    return replace(schedule, owner=kept)


def split_dim(
    schedule: Schedule, uid: int, size: int, outer: Dim, inner: Dim
) -> Schedule:
    """Replace dimension ``uid`` by ``outer`` (blocks of ``size``) over ``inner``.

    Positions: outer = d // size, inner = d % size; back: d = size * outer + inner.
    """
    old = schedule.position[uid]
    position = {key: value for key, value in schedule.position.items() if key != uid}
    position[outer.uid] = {name: floordiv(value, size) for name, value in old.items()}
    position[inner.uid] = {name: mod(value, size) for name, value in old.items()}
    owner = {key: value for key, value in schedule.owner.items() if key != uid}
    owner[outer.uid] = owner[inner.uid] = schedule.owner[uid]
    index = {
        key: _reweigh(value, uid, {outer.uid: size, inner.uid: 1})
        for key, value in schedule.index.items()
    }
    tree = replace_band(
        schedule.tree, uid, lambda band: Band(outer, Band(inner, band.body))
    )
    return replace(schedule, tree=tree, position=position, owner=owner, index=index)


def _reweigh(index: Index, uid: int, parts: Mapping[int, int]) -> Index:
    """``index`` with dimension ``uid`` written as the weighted sum of others."""
    if uid not in index.weights:
        return index
    weights = dict(index.weights)
    weight = weights.pop(uid)
    for part, factor in parts.items():
        weights[part] = weights.get(part, 0) + weight * factor
    return replace(
        index, weights={key: value for key, value in weights.items() if value}
    )
