"""Several subtrees of a schedule made one: aligned loops, then the fusing dimension.

The fused dimensions hold the statements of all nests, at equal positions where the
index values are equal. Inside them stands the fusing dimension f: nest number k has the
position k there, so that for every value of the fused dimensions all work of the first
nest runs before all of the second. (The dimension f: Accera's manual, section 4.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from looptx.directives.base import check
from looptx.directives.names import free_name, loop_names, used
from looptx.directives.order.fused.alignment import moved, shifts
from looptx.directives.order.fused.between import placed, replaced
from looptx.directives.order.fused.places import positions
from looptx.directives.order.values import value_at
from looptx.errors import Malformed
from looptx.language.words import suggestion
from looptx.model.dims import in_one_order, paths
from looptx.model.expr import Const, IntExpr, add
from looptx.model.records import dataclass, replace
from looptx.model.schedule import (
    Band,
    Dim,
    Group,
    Schedule,
    Tree,
    sequence,
    shown,
    statements,
)
from looptx.model.schedule import Sequence as InOrder
from looptx.model.tree import parts as children_of
from looptx.model.tree import with_dims


@dataclass(frozen=True, slots=True)
class Part:
    """A nest to be fused.

    Attributes:
        name: of the nest. tree: what it is now.
        chain: its loops, nested perfectly from the top; a fusing dimension ends it.
        rest: what is inside them.
    """

    name: str
    tree: Tree
    chain: tuple[Band, ...]
    rest: Tree

    @property
    def imperfect(self) -> bool:
        """Whether statements stand beside the loops that the chain ends with."""
        return isinstance(self.rest, InOrder)

    def below(self, rank: int) -> Tree:
        """What is inside the first ``rank`` loops."""
        return self.chain[rank] if rank < len(self.chain) else self.rest


def part(schedule: Schedule, name: str, group: Group) -> Part:
    """The subtree of a nest.

    Args:
        schedule: the schedule.
        name: of the nest. group: its statements and loops.

    Raises:
        Malformed: LX106 when its statements are no subtree.
    """
    tree = _subtree(schedule.tree, group.statements)
    while isinstance(tree, Band):
        owners = shown(schedule, tree).values()
        if not owners or group.loops.issuperset(owners):
            break
        tree = tree.body
    if tree is None:
        raise Malformed(
            "LX106",
            f"`{name}` is no longer one nest: its loops are distributed or cut",
            hint="put this directive before the one that does this, or leave out one",
        )
    chain: list[Band] = []
    rest: Tree = tree
    while isinstance(rest, Band) and not rest.dim.fusing:
        chain.append(rest)
        rest = rest.body
    return Part(name, tree, tuple(chain), rest)


def _subtree(tree: Tree, wanted: frozenset[str]) -> Tree | None:
    """The outermost subtree with exactly these statements."""
    if frozenset(statements(tree)) == wanted:
        return tree
    for child in children_of(tree.body) if isinstance(tree, Band) else _children(tree):
        if wanted <= frozenset(statements(child)):
            return _subtree(child, wanted)
    return None


def _children(tree: Tree) -> tuple[Tree, ...]:
    return tree.children if isinstance(tree, InOrder) else ()


def fused(
    schedule: Schedule,
    parent: InOrder,
    parts: Sequence[Part],
    rank: int,
    names: Sequence[str],
    at: Mapping[str, IntExpr],
) -> Schedule:
    """The schedule with the first ``rank`` loops of ``parts`` fused.

    Args:
        schedule: the schedule.
        parent: the sequence that the nests are children of.
        parts: the nests, in their order along f.
        rank: how many of their loops.
        names: of the fused loops and f; those of the first nest when empty.
        at: the values of loops at which nests stand that lack them, by their names.

    Raises LX104 for the names in ``at``, LX106 for nests whose loops are marked
    differently, LX116 for loops that cannot be aligned.
    """
    places = _places(schedule, parts, rank, at)
    dims: list[Dim] = []
    for level in range(rank):
        schedule, dim = _level(schedule, parts, level, places)
        dims.append(dim)
    schedule, f = _fusing(schedule, parts)
    named = _named(schedule, [*dims, f], names)
    outer = frozenset(dim.name for dim in named)
    textual = sorted(parts, key=lambda each: parent.children.index(each.tree))
    inside = sequence(tuple(each.below(rank) for each in textual))
    schedule = _parts_renamed(schedule, frozenset(statements(inside)), outer)
    tree = _inside(schedule, inside, f.uid, outer)
    for dim in reversed(named):
        tree = Band(dim, tree)
    whole = Group(
        frozenset().union(*(schedule.groups[each.name].statements for each in parts)),
        frozenset().union(*(schedule.groups[each.name].loops for each in parts)),
    )
    own = [each.tree for each in textual]
    children = placed(schedule.nest, parent, own, tree)
    first = parts[0].name
    return replace(
        schedule,
        tree=replaced(schedule.tree, parent, children),
        groups={**schedule.groups, first: whole},
        fused={**schedule.fused, **{each.name: first for each in parts[1:]}},
    )


def side_by_side(tree: Tree, parts: Sequence[Part]) -> InOrder:
    """The sequence that all nests are children of. Raises LX106 for no such one."""
    apart = len({statements(each.tree) for each in parts}) == len(parts)
    for node in _sequences(tree):
        if apart and all(each.tree in node.children for each in parts):
            return node
    names = ", ".join(f"`{each.name}`" for each in parts)
    raise Malformed(
        "LX106",
        f"the nests do not stand side by side: {names}",
        hint="fuse nests that stand under the same loops",
    )


def _sequences(tree: Tree) -> Iterator[InOrder]:
    """Every sequence of a tree."""
    match tree:
        case InOrder(children):
            yield tree
            for child in children:
                yield from _sequences(child)
        case Band(_, body):
            yield from _sequences(body)


def _places(
    schedule: Schedule, parts: Sequence[Part], rank: int, at: Mapping[str, IntExpr]
) -> dict[str, dict[str, IntExpr]]:
    """The value of each loop that has one, at the statements of nests that lack it.

    Args:
        schedule: the schedule. parts: the nests.
        rank: how many of their loops are fused.
        at: the values, by the names of the loops.

    Raises:
        Malformed: LX104 for a loop that no nest lacks, and for names in the values.
    """
    around = paths(schedule.tree)
    lacked = {
        band.dim.name: [one for one in parts if len(one.chain) <= level]
        for each in parts
        for level, band in enumerate(each.chain[:rank])
    }
    lacked = {name: some for name, some in lacked.items() if some}
    found: dict[str, dict[str, IntExpr]] = {}
    for name, value in at.items():
        if name not in lacked:
            raise Malformed(
                "LX104",
                f"`{name}` is no fused loop that one of the nests lacks",
                detail=(f"such loops: {', '.join(sorted(lacked))}",) if lacked else (),
                hint=suggestion(name, lacked, "name a loop that only some nests have"),
            )
        found[name] = {
            each: value_at(schedule, each, around[each], value)
            for one in lacked[name]
            for each in statements(one.tree)
        }
    return found


def _level(
    schedule: Schedule,
    parts: Sequence[Part],
    level: int,
    at: Mapping[str, Mapping[str, IntExpr]],
) -> tuple[Schedule, Dim]:
    """Give all statements one dimension in the place of each nest's own.

    Args:
        schedule: the schedule. parts: the nests.
        level: which of their loops.
        at: the values of loops where statements stand that lack them.
    """
    loops = {each.name: each.chain[level] for each in parts if level < len(each.chain)}
    dims = [band.dim for band in loops.values()]
    check(
        all(dim.marks == dims[0].marks for dim in dims),
        f"the loops to be fused as `{dims[0].name}` are marked differently",
        "mark the fused loop, after `fuse`",
    )
    shift, starts = shifts(schedule, loops)
    uid = schedule.fresh
    position, owner = dict(schedule.position), dict(schedule.owner)
    values: dict[str, IntExpr] = {}
    owners: dict[str, str] = {}
    index = dict(schedule.index)
    for each in parts:
        if each.name not in loops:
            continue
        old = loops[each.name].dim.uid
        for name, value in position.pop(old).items():
            values[name] = add(value, shift[name])
        owners.update(owner.pop(old, {}))
        for key in schedule.index:
            if key[0] in values:
                own = owners.get(key[0]) == key[1]
                index[key] = moved(index[key], old, uid, shift[key[0]], own)
                if own and key[0] in starts:
                    index[key] = replace(index[key], start=starts[key[0]])
    dim = Dim(
        uid,
        dims[0].name,
        dims[0].marks,
        headers=tuple(dict.fromkeys(loop for dim in dims for loop in dim.headers)),
        part=any(dim.part for dim in dims),
        unfused=frozenset().union(*(dim.unfused for dim in dims)),
    )
    shows = next(iter(owners.items()), None)
    shown_by = index[shows] if shows else None
    places = next((at[one.name] for one in dims if one.name in at), {})
    for each in parts:
        if each.name not in loops:
            lacking = statements(each.tree)
            values |= positions(schedule, lacking, shows, shown_by, dim, places)
    position[uid], owner[uid] = values, owners
    result = replace(
        schedule, position=position, owner=owner, index=index, fresh=uid + 1
    )
    return result, dim


def _fusing(schedule: Schedule, parts: Sequence[Part]) -> tuple[Schedule, Dim]:
    """The dimension f: nest number k at position k."""
    uid = schedule.fresh
    place: dict[str, IntExpr] = {
        name: Const(number)
        for number, each in enumerate(parts)
        for name in statements(each.tree)
    }
    outside = (band.dim.unfused for each in parts for band in each.chain[:1])
    dim = Dim(uid, "f", fusing=uid, unfused=frozenset().union(*outside))
    position = {**schedule.position, uid: place}
    owner: dict[int, Mapping[str, str]] = {**schedule.owner, uid: {}}
    result = replace(schedule, position=position, owner=owner, fresh=uid + 1)
    return result, dim


def _named(schedule: Schedule, dims: Sequence[Dim], names: Sequence[str]) -> list[Dim]:
    """The fused dimensions and f under names of their own."""
    if names:
        return [replace(dim, name=name) for dim, name in zip(dims, names, strict=True)]
    taken: frozenset[str] = frozenset()
    result = []
    for dim in dims:
        avoid = loop_names(schedule, dim) | taken if dim.fusing else taken
        result.append(replace(dim, name=free_name(dim.name, avoid)))
        taken |= {result[-1].name}
    return result


def _parts_renamed(
    schedule: Schedule, inside: frozenset[str], outer: frozenset[str]
) -> Schedule:
    """The parts of collapsed loops, which get their values inside the fused loops: none
    is named like one of these.
    """
    taken = set(used(schedule) | outer)

    def renamed(dim: Dim) -> Dim:
        if dim.name not in outer or inside.isdisjoint(schedule.position[dim.uid]):
            return dim
        name = free_name(dim.name, frozenset(taken))
        taken.add(name)
        return replace(dim, name=name)

    collapsed = {
        loop: replace(pair, outer=renamed(pair.outer), inner=renamed(pair.inner))
        for loop, pair in schedule.collapsed.items()
    }
    return replace(schedule, collapsed=collapsed)


def _inside(schedule: Schedule, tree: Tree, fusing: int, outer: frozenset[str]) -> Tree:
    """The unfused loops: they stay inside f, and none is named like a fused one."""
    taken = used(schedule) | outer
    names: dict[int, str] = {}
    for dim in in_one_order(paths(tree).values()):
        names[dim.uid] = dim.name
        if dim.name in outer:
            names[dim.uid] = free_name(dim.name, taken)
            taken |= {names[dim.uid]}

    def change(dim: Dim) -> Dim:
        return replace(dim, name=names[dim.uid], unfused=dim.unfused | {fusing})

    return with_dims(tree, change)
