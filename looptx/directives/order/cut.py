"""``cut``: index-set splitting, one loop for each range of values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from looptx.directives.base import (
    LoopVerb,
    check,
    check_clause,
    fits,
    join,
    loop_name,
    make,
)
from looptx.directives.fusing import in_order
from looptx.directives.names import check_new, find, used
from looptx.directives.order.cutting import counted, in_parts
from looptx.directives.order.fused.alignment import moved
from looptx.directives.order.values import value_at
from looptx.language.conditions import parse_value
from looptx.language.grammar import Clause
from looptx.model.dims import paths
from looptx.model.expr import (
    Const,
    IntExpr,
    add,
    distance,
    neg,
    variables,
)
from looptx.model.expr.measure import largest
from looptx.model.moves.cutting import Parts
from looptx.model.records import dataclass, replace
from looptx.model.schedule import (
    Band,
    Dim,
    Group,
    Leaf,
    Schedule,
    Tree,
    bands,
    replace_band,
    sequence,
    statements,
)
from looptx.model.schedule import Sequence as InOrder
from looptx.model.tree import uids, with_copies, with_dims, without

USAGE = "write, for example, `cut j k k+1 n//2`"
"""The hint for what is no value."""

MOST_VALUES = 8
"""Values in one directive: the proof takes time for each pair of parts."""

MOST_STATEMENTS = 64
"""Statements after a cut: the proof asks of each pair."""


@dataclass(frozen=True)
class Cut(LoopVerb):
    """Run a loop up to a value, then from it: the parts are loops of their own.

    syntax: ``cut LOOP VALUE... [as NAME...]``
    rewrite: ``for j in range(n): S`` ->
        ``for j in range(min(k, n)): S`` and then ``for j in range(max(0, k), n): S``
    """

    values: tuple[str, ...]
    names: tuple[str, ...] = ()

    verb = "cut"
    usage = "cut LOOP VALUE... [as NAME...]"

    @classmethod
    def from_clause(cls, clause: Clause) -> Cut:
        """Read the loop, the values, and perhaps names."""
        check_clause(clause, cls, names=True)
        fits(len(clause.operands) > 1, cls, "needs a loop and a value")
        loop, *given = clause.operands
        values = tuple(map(str, given))
        check(
            len(values) <= MOST_VALUES,
            f"`cut` takes at most {MOST_VALUES} values",
            "cut a part again",
            "LX103",
        )
        for value in values:
            parse_value(value, USAGE)
        want = len(values) + 1
        fits(
            len(clause.names) in (0, want),
            cls,
            f"gives {want} loops here: name all of them after `as`",
        )
        place, source = clause.place, clause.source
        name = loop_name(loop, cls)
        return cls(name, values, clause.names, place=place, source=source)

    @property
    def text(self) -> str:
        """``cut j k k+1``."""
        return join(self.verb, self.loop, *self.values, names=self.names)

    @property
    def thresholds(self) -> Mapping[str, tuple[int, ...]]:
        """The numbers in the values."""
        numbers = (largest(parse_value(value, USAGE)) for value in self.values)
        return {self.loop: tuple(filter(None, numbers))}

    @property
    def parameters(self) -> frozenset[str]:
        """The names in the values."""
        parsed = (parse_value(value, USAGE) for value in self.values)
        return frozenset().union(*map(variables, parsed))

    def change(self, schedule: Schedule) -> Schedule:
        """Copy the statements of the loop, and give each copy a loop of its own."""
        dim = find(schedule, self.loop)
        check_new(used(schedule, dim), self.names, dim.name)
        _check_whole(schedule, dim, self.loop)
        count = len(self.values) + 1
        check(
            len(statements(schedule.tree)) + len(schedule.position[dim.uid]) * count
            <= MOST_STATEMENTS,
            f"`{self.loop}` is cut into too many parts",
            f"leave at most {MOST_STATEMENTS} statements in the nest",
        )
        return _cut(schedule, dim, self.values, self.names or (dim.name,) * count)


def _check_whole(schedule: Schedule, dim: Dim, name: str) -> None:
    """See that a loop runs through the values of the source's. Raises LX106, LX112."""
    if dim.fusing:
        raise in_order(dim)
    check(
        not schedule.moves,
        f"`{name}` cannot be cut after statements have moved or arrays have buffers",
        "put `cut` before the directives that do this",
    )
    owner = schedule.owner.get(dim.uid, {})
    for statement in schedule.position[dim.uid]:
        loop = owner.get(statement)
        if loop is None and counted(schedule, dim) is not None:
            continue
        check(
            loop is not None or dim.part or not schedule.fused,
            f"`{name}` was fused with a nest that has no such loop",
            "fuse fewer loops with `partial=`, so that it is not fused"
            if _fused_around(schedule, dim)
            else "leave this directive out, or `fuse`",
        )
        check(
            loop is not None
            and loop not in schedule.collapsed
            and schedule.index[statement, loop].weights == {dim.uid: 1},
            f"`{name}` is split, skewed or collapsed",
            "put `cut` before the directive that does this",
        )


def _fused_around(schedule: Schedule, dim: Dim) -> bool:
    """Whether another loop of the nests that are fused in a dimension is fused, too."""
    own = schedule.position[dim.uid].keys()
    return any(
        own <= loops.keys() and len({loops[name] for name in own}) > 1
        for uid, loops in schedule.owner.items()
        if uid != dim.uid
    )


def _cut(
    schedule: Schedule, dim: Dim, values: Sequence[str], names: Sequence[str]
) -> Schedule:
    """The schedule with loops of their own for the parts of a dimension.

    Args:
        schedule: the schedule. dim: the dimension.
        values: where its parts after the first begin. names: those of the parts.
    """
    around = {
        name: tuple(takewhile(lambda one: one.uid != dim.uid, own))
        for name, own in paths(schedule.tree).items()
    }
    inside = {
        name: [
            value_at(schedule, name, around[name], parse_value(value, USAGE))
            for value in values
        ]
        for name in schedule.position[dim.uid]
    }
    ranges = {x: in_parts(schedule, dim, x, y) for x, y in inside.items()}
    made_of = {x: {f"{x}#{at + 1}": y[at] for at in y} for x, y in ranges.items()}
    schedule, inner = _copied(schedule, Parts(made_of)), _inside(schedule.tree, dim.uid)
    parts: list[_Part] = []
    for at, name in enumerate(names):
        own = {f"{x}#{at + 1}": y for x, y in inside.items() if at in ranges[x]}
        new = range(schedule.fresh, schedule.fresh + len(inner)) if at else inner
        parts.append(_Part(name, own, dict(zip(inner, new, strict=True))))
        schedule = replace(schedule, fresh=schedule.fresh + len(inner) * bool(at))

    def change(band: Band) -> Tree:
        return sequence(tuple(one.of(band, dim) for one in parts))

    result = schedule.with_tree(replace_band(schedule.tree, dim.uid, change))
    for at, part in enumerate(parts[1:]):
        made = {
            new: (old, tuple(x for x in part.statements if x in result.position[old]))
            for old, new in part.dims.items()
        }
        begins = {x: y[at] for x, y in part.statements.items()}
        result = _counted(with_copies(result, made), part.dims[dim.uid], begins)
    return result


@dataclass(frozen=True, slots=True)
class _Part:
    """One of the loops.

    Attributes:
        name: its name.
        statements: those in it, with the values at which they go from part to part.
        dims: the dimensions of it, and of the loops inside, by those of the whole.
    """

    name: str
    statements: Mapping[str, Sequence[IntExpr]]
    dims: Mapping[int, int]

    def of(self, band: Band, whole: Dim) -> Tree:
        """What a loop of the whole dimension becomes."""

        def dim(old: Dim) -> Dim:
            name = self.name if old.uid == whole.uid else old.name
            headers = old.headers if self.dims[old.uid] == old.uid else ()
            return replace(old, uid=self.dims[old.uid], name=name, headers=headers)

        others = set(statements(band)) - self.statements.keys()
        return with_dims(without(band, others), dim)


def _inside(tree: Tree, uid: int) -> list[int]:
    """A dimension, and those of the loops inside its loops."""
    found = (uids(band) for band in bands(tree) if band.dim.uid == uid)
    return sorted(frozenset().union(*found))


def _counted(schedule: Schedule, uid: int, begins: Mapping[str, IntExpr]) -> Schedule:
    """The schedule with the positions of a part counted from the value it begins with.

    Where that depends on other loops, or is a rest of a loop in steps, they are counted
    as before.

    Args:
        schedule: the schedule. uid: the dimension of the part.
        begins: the value, by statement.
    """
    position, indices = dict(schedule.position[uid]), dict(schedule.index)
    owner = schedule.owner[uid]
    first = next(iter(owner.items()))
    for name, value in begins.items():
        loop = owner.get(name)
        own = schedule.index[(name, loop) if loop else first]
        shift = neg(distance(own.start, value, own.step))
        if variables(value) & schedule.nest.loops.keys() or not (
            abs(own.step) == 1 or isinstance(shift, Const)
        ):
            return schedule
        position[name] = add(position[name], shift)
        for key, index in schedule.index.items():
            if key[0] == name:
                indices[key] = moved(index, uid, uid, shift, key[1] == loop)
    return replace(
        schedule, position={**schedule.position, uid: position}, index=indices
    )


def _copied(schedule: Schedule, parts: Parts) -> Schedule:
    """The schedule with copies at the times of their statements."""
    now = {x: tuple(y) for x, y in parts.copies.items()}

    def leaves(tree: Tree) -> Tree:
        match tree:
            case Leaf(name):
                return sequence(tuple(map(Leaf, now.get(name, (name,)))))
            case Band(dim, body):
                return Band(dim, leaves(body))
            case InOrder(children):
                return sequence(tuple(map(leaves, children)))

    def named(names: Mapping[str, object]) -> Iterator[tuple[str, str]]:
        return ((new, old) for old in names for new in now.get(old, (old,)))

    nest = schedule.nest
    return replace(
        schedule,
        nest=replace(nest, statements={**nest.statements, **parts.of(nest.statements)}),
        tree=leaves(schedule.tree),
        position={
            uid: {new: values[old] for new, old in named(values)}
            for uid, values in schedule.position.items()
        },
        owner={
            uid: {new: values[old] for new, old in named(values)}
            for uid, values in schedule.owner.items()
        },
        index={
            (new, loop): index
            for (old, loop), index in schedule.index.items()
            for new in now.get(old, (old,))
        },
        groups={
            name: Group(
                frozenset(y for x in own.statements for y in now.get(x, (x,))),
                own.loops,
            )
            for name, own in schedule.groups.items()
        },
        cuts=(*schedule.cuts, parts),
    )


def cut(loop: str, *values: str | int, as_: Sequence[str] = ()) -> Cut:
    """Run ``loop`` up to each of ``values`` and then from it, in loops of their own."""
    return make(Cut, loop, *values, names=as_)
