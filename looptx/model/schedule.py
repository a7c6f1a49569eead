"""Schedules: one map per statement, written as a tree of named dimensions.

A schedule is a tree of ``Band`` (one loop dimension), ``Sequence`` (textual order) and
``Leaf`` (a statement). The time of a statement instance is the vector of its positions
along the path from the root; executing visits times in lexicographic order.

For every band dimension and statement, ``position`` gives the dimension's value as a
quasi-affine expression over the statement's iterators (``Var(loop id)``), parameters
and ``Start``. For every statement and loop, ``index`` gives the way back: the loop's
value as a linear form over dimensions. A directive changes both by substitution, so any
sequence of directives composes. (The idea of one map per statement: Feautrier 1992;
schedule trees: Verdoolaege et al., IMPACT 2014.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from looptx.model.expr import (
    Cond,
    Const,
    IntExpr,
    Start,
    Var,
    add,
    floordiv,
    mod,
    mul,
    sub,
)
from looptx.model.program import LoopNode, Nest, Node, StatementNode


@dataclass(frozen=True, slots=True)
class Parallel:
    """Options of a parallel loop, as OpenMP names them."""

    schedule: str = ""
    chunk: int = 0
    threads: int = 0


@dataclass(frozen=True, slots=True)
class Marks:
    """How a dimension is executed; none of it changes the order of a legal schedule.

    ``vectorize`` and ``unroll`` are None when absent and 0 for "default" and "full".
    ``unroll_below`` unrolls those generated loops of the dimension whose constant count
    is below it (``skew i j unroll<3``).
    """

    parallel: Parallel | None = None
    vectorize: int | None = None
    unroll: int | None = None
    unroll_below: int = 0


PLAIN = Marks()
"""A loop that is run as it stands."""


@dataclass(frozen=True, slots=True)
class Dim:
    """One dimension of time. ``uid`` is unique in the schedule, ``name`` is the user's.

    ``owner`` is the source loop whose absolute index the generated loop shows, per
    statement; ``merged`` names the group of two adjacent dimensions that ``collapse``
    prints as one loop.
    """

    uid: int
    name: str
    marks: Marks = PLAIN
    merged: str = ""
    comments: tuple[str, ...] = ()
    behind: str = ""


@dataclass(frozen=True, slots=True)
class Band:
    """A loop over one dimension."""

    dim: Dim
    body: Tree


@dataclass(frozen=True, slots=True)
class Sequence:
    """Children executed one after the other; at least two."""

    children: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """One statement, by name."""

    statement: str


Tree: TypeAlias = Band | Sequence | Leaf


@dataclass(frozen=True, slots=True)
class Index:
    """A loop's value: ``start + step * (offset + sum(weight * dim))``."""

    start: IntExpr
    step: int
    offset: IntExpr
    weights: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Schedule:
    """The time of every statement instance, and what the user asserted about it.

    Attributes:
        tree: the order.
        position: ``{dim uid: {statement: value}}``.
        owner: ``{dim uid: {statement: loop id}}``, the index a loop shows.
        index: ``{(statement, loop id): Index}``.
        assumes: conditions checked on entry and used by the proof.
        reassociate: targets (scalars or arrays) whose reductions may be reordered.
        independent: arrays whose accesses from different iterations never conflict.
        trust_order: the user vouches for the order.
        applied: the text of each directive applied so far.
        taken: identifiers of the function, which new names must avoid.
        fresh: the next unused dimension uid.
    """

    nest: Nest
    tree: Tree
    position: Mapping[int, Mapping[str, IntExpr]]
    owner: Mapping[int, Mapping[str, str]]
    index: Mapping[tuple[str, str], Index]
    assumes: tuple[Cond, ...] = ()
    reassociate: frozenset[str] = frozenset()
    independent: frozenset[str] = frozenset()
    trust_order: bool = False
    applied: tuple[str, ...] = ()
    taken: frozenset[str] = frozenset()
    fresh: int = field(default=0)

    def with_tree(self, tree: Tree) -> Schedule:
        """The same maps in another order."""
        return replace(self, tree=tree)


def sequence(children: tuple[Tree, ...]) -> Tree:
    """A sequence, nested ones flattened and a single child returned as it is."""
    flat: list[Tree] = []
    for child in children:
        flat.extend(child.children if isinstance(child, Sequence) else (child,))
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def statements(tree: Tree) -> tuple[str, ...]:
    """The statements of a tree, in order."""
    match tree:
        case Leaf(name):
            return (name,)
        case Band(_, body):
            return statements(body)
        case Sequence(children):
            return tuple(name for child in children for name in statements(child))


def bands(tree: Tree) -> Iterator[Band]:
    """Every band of a tree, outer before inner, in textual order."""
    match tree:
        case Band(_, body):
            yield tree
            yield from bands(body)
        case Sequence(children):
            for child in children:
                yield from bands(child)


def path(tree: Tree, statement: str) -> tuple[tuple[Tree, int], ...]:
    """The nodes from the root to a statement's leaf, each with the child taken."""
    match tree:
        case Leaf():
            return ()
        case Band(_, body):
            return ((tree, 0), *path(body, statement))
        case Sequence(children):
            for number, child in enumerate(children):
                if statement in statements(child):
                    return ((tree, number), *path(child, statement))
    raise KeyError(statement)


def replace_band(tree: Tree, uid: int, change: Callable[[Band], Tree]) -> Tree:
    """The tree with the band of dimension ``uid`` replaced by ``change(band)``."""
    match tree:
        case Leaf():
            return tree
        case Band(dim, body):
            return (
                change(tree)
                if dim.uid == uid
                else Band(dim, replace_band(body, uid, change))
            )
        case Sequence(children):
            return sequence(
                tuple(replace_band(child, uid, change) for child in children)
            )


def initial(nest: Nest, taken: frozenset[str] = frozenset()) -> Schedule:
    """The order of the source: one band per loop, positions counted from its start."""
    uids = {loop: number for number, loop in enumerate(nest.loops)}
    position: dict[int, dict[str, IntExpr]] = {uid: {} for uid in uids.values()}
    owner: dict[int, dict[str, str]] = {uid: {} for uid in uids.values()}
    index: dict[tuple[str, str], Index] = {}
    for statement in nest.statements.values():
        for loop in statement.loops:
            step = nest.loops[loop].step
            distance = sub(Var(loop), Start(loop))
            value = floordiv(
                distance if step > 0 else mul(Const(-1), distance), abs(step)
            )
            position[uids[loop]][statement.name] = value
            owner[uids[loop]][statement.name] = loop
            weights = {uids[loop]: 1}
            index[statement.name, loop] = Index(Start(loop), step, Const(0), weights)

    def block(nodes: tuple[Node, ...]) -> Tree:
        return sequence(tuple(map(build, nodes)))

    def build(node: Node) -> Tree:
        match node:
            case StatementNode(name):
                return Leaf(name)
            case LoopNode(loop, body):
                comments = loop.comments
                dim = Dim(
                    uids[loop.id],
                    loop.var,
                    comments=comments.above,
                    behind=comments.behind,
                )
                return Band(dim, block(body))

    return Schedule(
        nest, block(nest.body), position, owner, index, taken=taken, fresh=len(uids)
    )


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


def shown(
    schedule: Schedule, uid: int, statement: str, outer: frozenset[int]
) -> IntExpr:
    """The value a generated loop shows for a dimension: absolute where it can be.

    It is the index of the owner loop with every dimension that is not yet fixed
    (neither ``uid`` nor in ``outer``) at 0. For fixed outer dimensions it grows with
    the position (or falls, for a negative step), so the order is the same. A dimension
    without owner shows its position.
    """
    loop = schedule.owner.get(uid, {}).get(statement)
    if loop is None:
        return schedule.position[uid][statement]
    index = schedule.index[statement, loop]
    fixed = [
        mul(Const(weight), schedule.position[key][statement])
        for key, weight in index.weights.items()
        if key == uid or key in outer
    ]
    return add(index.start, mul(Const(index.step), add(index.offset, *fixed)))
