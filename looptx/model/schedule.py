"""Schedules: one map per statement, written as a tree of named dimensions.

A schedule is a tree of ``Band`` (a loop of a dimension), ``Sequence`` (textual order)
and ``Leaf`` (a statement). The time of a statement instance is the vector of its
positions along the path from the root; executing visits times in lexicographic order.

For every band dimension and statement, ``position`` gives the dimension's value as a
quasi-affine expression over the statement's iterators (``Var(loop id)``), parameters
and ``Start``. For every statement and loop, ``index`` is the inverse map: the loop's
value as a linear form over dimensions. A directive changes both by substitution, so any
sequence of directives composes. (The idea of one map per statement: Feautrier 1992;
schedule trees: Verdoolaege et al., IMPACT 2014.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from looptx.model.execution.marks import PLAIN, Marks
from looptx.model.expr import (
    ZERO,
    Cond,
    Const,
    IntExpr,
    Start,
    Var,
    floordiv,
    mul,
    sub,
    variables,
)
from looptx.model.moves import Cache, Case, Factor, Inline, Move, Step
from looptx.model.moves.cutting import Parts
from looptx.model.nests.applied import Applied
from looptx.model.program import Loop, LoopNode, Nest, Node, StatementNode
from looptx.model.records import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Dim:
    """One dimension of time. ``uid`` is unique in the schedule, ``name`` is the user's.

    ``merged`` is, for the two dimensions of a ``Collapsed``, the name of their loop; no
    band of a schedule's tree has it. ``part`` is true for what ``split`` made: its
    positions count blocks or lie in one. ``fusing`` is the number of the ``fuse`` whose
    dimension f this is (0 for none), ``unfused`` holds those whose f must stay around
    this dimension. ``headers`` are the loops of the source whose comments it keeps.
    """

    uid: int
    name: str
    marks: Marks = PLAIN
    merged: str = ""
    headers: tuple[str, ...] = ()
    part: bool = False
    fusing: int = 0
    unfused: frozenset[int] = frozenset()


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


def counted(uid: int) -> Index:
    """The index of a loop that is the position in a dimension."""
    return Index(ZERO, 1, ZERO, {uid: 1})


@dataclass(frozen=True, slots=True)
class Collapsed:
    """Two dimensions that ``collapse`` replaced by one.

    Position (row, column) of the two became the value ``row * width + column`` of a
    loop of its own, counted from their first positions; ``width`` is the number of
    positions of ``inner`` over the whole nest. That value is a variable of the
    statements, like those of the source's loops, so directives change it as they change
    those: it is no linear form over the source's loops where the width is a run-time
    size. Both dimensions keep their entries in ``position``, ``owner`` and ``index``.
    """

    name: str
    outer: Dim
    inner: Dim

    @property
    def dims(self) -> tuple[Dim, Dim]:
        """The outer dimension and the inner one."""
        return self.outer, self.inner


@dataclass(frozen=True, slots=True)
class Group:
    """The statements of a nest or sub-nest, and the source loops inside it."""

    statements: frozenset[str]
    loops: frozenset[str]


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
        temporaries: local arrays kept only as far as they are live.
        scratch: arguments among them, each with the name that its memory has.
        applied: the directives applied so far.
        taken: identifiers of the function, which new names must avoid.
        fresh: the next unused dimension uid.
        groups: the named nests and sub-nests; a fused one holds all it was made of.
        fused: ``{nest: the nest it was fused into}``.
        within: the nest whose loops bare names mean; all when empty.
        collapsed: ``{loop id: the two dimensions}`` of every collapsed loop, in the
            order they were made. Such loops have an owner and an index as others have.
        moves: the statements that moved into loops of other nests, in order. ``nest``
            has them and their coordinates beside those of the source.
        memory: where temporaries and buffers have to be, by name.
        cuts: the statements that became several, in order. ``nest`` has these beside
            those of the source.
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
    temporaries: frozenset[str] = frozenset()
    scratch: Mapping[str, str] = field(default_factory=dict)
    applied: tuple[Applied, ...] = ()
    taken: frozenset[str] = frozenset()
    fresh: int = field(default=0)
    groups: Mapping[str, Group] = field(default_factory=dict)
    fused: Mapping[str, str] = field(default_factory=dict)
    within: str = ""
    collapsed: Mapping[str, Collapsed] = field(default_factory=dict)
    moves: tuple[Step, ...] = ()
    memory: Mapping[str, str] = field(default_factory=dict)
    cuts: tuple[Parts, ...] = ()

    @property
    def left(self) -> frozenset[str]:
        """The statements that have moved, under their old names and later ones."""
        found: set[str] = set()
        for move in self.moves:
            if not isinstance(move, Move | Case):
                found.update(y for x, y in move.moved.items() if x in found)
            if isinstance(move, Inline):
                found.add(move.producer)
            found.update(move.moved)
        return frozenset(found)

    def cached(self, name: str) -> str:
        """The array that a buffer holds cells or parts of; any other is itself."""
        for move in reversed(self.moves):
            if isinstance(move, Cache | Factor) and move.buffer == name:
                name = move.array
        return name

    @property
    def trusted(self) -> tuple[Applied, ...]:
        """The directives whose assertions nothing checks."""
        return tuple(each for each in self.applied if each.trusted)

    def with_tree(self, tree: Tree) -> Schedule:
        """The same maps in another order."""
        return replace(self, tree=tree)


def running(schedule: Schedule) -> Nest:
    """The nest with the statements of the tree, in its order."""
    known = schedule.nest.statements
    names = statements(schedule.tree)
    return replace(schedule.nest, statements={name: known[name] for name in names})


def source(nest: Nest) -> Nest:
    """The nest without the statements, loops and arrays that directives added."""
    found = [node for node, _ in nest.walk()]
    names = [node.statement for node in found if isinstance(node, StatementNode)]
    loops = [node.loop for node in found if isinstance(node, LoopNode)]
    return replace(
        nest,
        statements={name: nest.statements[name] for name in names},
        loops={loop.id: loop for loop in loops},
        allocations={
            array: own
            for array, own in nest.allocations.items()
            if own.first_line or own.given
        },
    )


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
            start = first_value(nest, nest.loops[loop])
            distance = sub(Var(loop), start)
            value = floordiv(
                distance if step > 0 else mul(Const(-1), distance), abs(step)
            )
            position[uids[loop]][statement.name] = value
            owner[uids[loop]][statement.name] = loop
            weights = {uids[loop]: 1}
            index[statement.name, loop] = Index(start, step, Const(0), weights)

    def block(nodes: tuple[Node, ...]) -> Tree:
        return sequence(tuple(map(build, nodes)))

    def build(node: Node) -> Tree:
        match node:
            case StatementNode(name):
                return Leaf(name)
            case LoopNode(loop, body):
                dim = Dim(uids[loop.id], loop.var, headers=(loop.id,))
                return Band(dim, block(body))

    return Schedule(
        nest,
        block(nest.body),
        position,
        owner,
        index,
        taken=taken.union(nest.scalars),
        fresh=len(uids),
        groups=groups(nest),
    )


def in_source_order(schedule: Schedule) -> bool:
    """Whether a schedule runs one iteration at a time, in the order of the source.

    It may say no where the order happens to be the same.
    """
    marks = (band.dim.marks for band in bands(schedule.tree))
    together = any(one.together for one in marks)
    return not together and has_loops_of_source(schedule)


def has_loops_of_source(schedule: Schedule) -> bool:
    """Whether the loops are those of the source, whatever marks they have."""
    first = initial(schedule.nest)
    return _ordered(schedule.tree) == _ordered(first.tree) and all(
        schedule.position[uid] == values for uid, values in first.position.items()
    )


def _ordered(tree: Tree) -> object:
    """A tree without the names and marks that leave its order alone."""
    match tree:
        case Leaf(name):
            return name
        case Band(dim, body):
            return dim.uid, _ordered(body)
        case Sequence(children):
            return tuple(map(_ordered, children))


def first_value(nest: Nest, loop: Loop) -> IntExpr:
    """The first value a loop takes over the whole nest."""
    depends = variables(loop.start) & set(nest.loops)
    return Start(loop.id) if depends else loop.start


def groups(nest: Nest) -> dict[str, Group]:
    """The named nests: all of it, each named loop with what is inside, statements."""
    found = {nest.name: Group(frozenset(nest.statements), frozenset(nest.loops))}
    for name, root in nest.asked.subnests.items():
        if isinstance(root, StatementNode):
            found[name] = Group(frozenset((root.statement,)), frozenset())
            continue
        inside = [s for s in nest.statements.values() if root in s.loops]
        loops = {
            loop for each in inside for loop in each.loops[each.loops.index(root) :]
        }
        found[name] = Group(frozenset(each.name for each in inside), frozenset(loops))
    return found


def shown(schedule: Schedule, band: Band) -> dict[str, str]:
    """``{statement: loop id}``, whose indices one loop of a dimension shows."""
    owner, inside = schedule.owner.get(band.dim.uid, {}), statements(band)
    return {name: loop for name, loop in owner.items() if name in inside}


def lead(schedule: Schedule, uid: int) -> Index | None:
    """The index that the loop of a dimension shows: that of its first statement."""
    for statement, loop in schedule.owner.get(uid, {}).items():
        return schedule.index[statement, loop]
    return None
