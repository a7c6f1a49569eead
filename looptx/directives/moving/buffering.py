"""A buffer for the cells of an array that an iteration of a loop uses.

The copies are nests like others, named as the buffer is, with a loop for each axis.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from looptx.directives.base import check
from looptx.directives.names import (
    check_new,
    find,
    free_name,
    group,
    unknown_array,
    used,
)
from looptx.model.dims import loops, paths
from looptx.model.expr import TRUE, ZERO, Const, Var
from looptx.model.moves import Cache, Subscripts, redirected
from looptx.model.program import Access, Element, Loop, Nest, Statement
from looptx.model.schedule import (
    Band,
    Dim,
    Group,
    Index,
    Leaf,
    Schedule,
    Tree,
    replace_band,
    sequence,
    statements,
)
from looptx.model.storage import LIKE, Allocation, Copy


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for.

    Attributes:
        array: whose cells are kept.
        loop: in each iteration of which; empty for the whole nest.
        nest: the nest; empty where only one uses the array.
        name: of the buffer; empty for one that looptx chooses.
        writes: whether what is written goes to the buffer, and back at the end.
    """

    array: str
    loop: str
    nest: str
    name: str
    writes: bool


def buffered(schedule: Schedule, request: Request) -> Schedule:
    """The schedule in which an iteration uses a buffer instead of an array.

    Raises:
        Malformed: LX104, LX105, LX109 for names, LX106 where the array is not used
            element by element.
    """
    place = _place(schedule, request)
    last = request.array.rpartition(".")[2]
    name = request.name or free_name(f"{last}_cache", used(schedule))
    if request.name:
        check_new(used(schedule), (name,))
    cells = _cells(schedule, request, place)
    number = len(schedule.moves) + 1
    rank = len(next(iter(next(iter(cells.values())))))
    copies = _Copies(schedule, request.array, name, number, rank, place)
    moved = {old: f"{old}@{number}" for old in cells}
    cache = Cache(
        request.array,
        name,
        moved,
        cells,
        copies.coordinates,
        copies.axes,
        {
            old: tuple(schedule.position[uid][old] for uid in copies.counted)
            for old in cells
        },
        _others(schedule, request, cells),
        load=f"{name} load",
        store=f"{name} store" if request.writes else "",
    )
    result = _renamed(schedule, cache)
    result = replace(result, nest=_extended(result.nest, cache, copies))
    result = copies.inserted(result, cache)
    reassociate = schedule.reassociate
    if request.array in reassociate:
        reassociate |= {name}
    return replace(
        result,
        taken=schedule.taken | {name},
        reassociate=reassociate,
        moves=(*schedule.moves, cache),
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the copies stand.

    Attributes:
        band: the loop; None for the whole nest.
        tree: what is in it.
        around: the dimensions around the copies.
        whose: the nest of the loop.
    """

    band: Band | None
    tree: Tree
    around: tuple[Dim, ...]


def _place(schedule: Schedule, request: Request) -> _Place:
    """Where the copies stand. Raises LX104, LX105, LX106."""
    if request.loop:
        dim = find(schedule, request.loop)
        found = loops(schedule.tree, dim.uid)
        check(
            len(found) == 1,
            f"`{request.loop}` has become {len(found)} loops",
            "name one of them",
        )
        check(
            not dim.fusing,
            f"`{request.loop}` is a fusing dimension",
            "name a loop of one of the nests",
        )
        inside = statements(found[0])
        path = paths(schedule.tree)[inside[0]]
        around = path[: [each.uid for each in path].index(dim.uid) + 1]
        check(
            not any(
                dim in pair.dims or set(inside) & {*schedule.position[pair.outer.uid]}
                for pair in schedule.collapsed.values()
            ),
            f"`{request.loop}` is collapsed, or a loop around or in it is",
            "collapse the loops afterwards",
        )
        return _Place(found[0], found[0].body, tuple(around))
    tree = schedule.tree
    if request.nest:
        inside_nest = group(schedule, request.nest).statements
        tree = _subtree(tree, inside_nest)
    return _Place(None, tree, _around(schedule.tree, tree))


def _subtree(tree: Tree, wanted: Collection[str]) -> Tree:
    """The smallest subtree with some statements."""
    while True:
        children = (
            (tree.body,)
            if isinstance(tree, Band)
            else ()
            if isinstance(tree, Leaf)
            else tree.children
        )
        inner = [x for x in children if set(statements(x)) >= set(wanted)]
        if not inner or isinstance(tree, Band):
            return tree
        (tree,) = inner


def _around(tree: Tree, inner: Tree) -> tuple[Dim, ...]:
    """The dimensions around a subtree."""
    path = paths(tree)[statements(inner)[0]]
    own = {dim.uid for dim in paths(inner)[statements(inner)[0]]}
    return tuple(dim for dim in path if dim.uid not in own)


def _cells(
    schedule: Schedule, request: Request, place: _Place
) -> dict[str, frozenset[Subscripts]]:
    """The accesses that go to the buffer, by statement. Raises LX104, LX106."""
    nest, array = schedule.nest, request.array
    found: dict[str, frozenset[Subscripts]] = {}
    written: set[Subscripts] = set()
    for name in statements(place.tree):
        statement = nest.statements[name]
        own = [x for x in statement.accesses if x.array == array]
        written.update(x.subscripts for x in own if x.write)
        kept = {x.subscripts for x in own if x.write}
        wanted = {
            x.subscripts
            for x in own
            if request.writes or (not x.write and x.subscripts not in kept)
        }
        if wanted:
            known = {x.subscripts for x in statement.elements if x.array == array}
            check(
                known >= wanted and all(None not in x for x in wanted),
                f"`{array}` is not used element by element in line"
                f" {statement.place.line}, or at places that are not affine",
                "cache arrays whose subscripts are affine",
            )
            found[name] = frozenset(wanted)
    if not found or (request.writes and not written):
        raise unknown_array(
            array, _touched(schedule, place, write=request.writes), nest.arrays
        )
    check(
        len({len(x) for each in found.values() for x in each}) == 1,
        f"`{array}` is used with different numbers of subscripts",
        "write as many subscripts everywhere",
    )
    return found


def _others(
    schedule: Schedule, request: Request, cells: dict[str, frozenset[Subscripts]]
) -> dict[str, frozenset[Subscripts]]:
    """The reads that are of no cell that is written, as far as one sees that here."""
    if not request.writes:
        return {}
    accesses = {name: schedule.nest.statements[name].accesses for name in cells}
    written = {
        access.subscripts
        for own in accesses.values()
        for access in own
        if access.write and access.array == request.array
    }
    return {name: one - written for name, one in cells.items() if one - written}


def _touched(schedule: Schedule, place: _Place, *, write: bool) -> list[str]:
    """The arrays that are read, or written, in a place."""
    return sorted(
        {
            access.array
            for name in statements(place.tree)
            for access in schedule.nest.statements[name].accesses
            if access.write == write and access.subscripts
        }
    )


@dataclass(frozen=True, slots=True)
class _Copies:
    """The statements that copy, and their loops."""

    schedule: Schedule
    array: str
    name: str
    number: int
    rank: int
    place: _Place

    @property
    def counted(self) -> list[int]:
        """The dimensions around, as far as they are loops."""
        return [dim.uid for dim in self.place.around if not dim.fusing]

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The loops that stand for them."""
        return tuple(f"@{uid}@{self.number}" for uid in self.counted)

    @property
    def axes(self) -> tuple[str, ...]:
        """The loops over the cells."""
        return tuple(f"{self.name}.ax{axis}" for axis in range(self.rank))

    def loops(self, place: Nest) -> dict[str, Loop]:
        """All of them."""
        names = {dim.uid: dim.name for dim in self.place.around}
        pairs = zip(self.coordinates, self.counted, strict=True)
        found = {loop: names[uid] for loop, uid in pairs}
        found |= {axis: f"ax{at}" for at, axis in enumerate(self.axes)}
        return {
            loop: Loop(loop, var, ZERO, ZERO, 1, place.place)
            for loop, var in found.items()
        }

    def statement(self, nest: Nest, name: str, *, load: bool) -> Statement:
        """A statement that copies a cell."""
        cell = tuple(map(Var, self.axes))
        places: list[ast.expr] = [ast.Name(axis, ast.Load()) for axis in self.axes]
        index = places[0] if len(places) == 1 else ast.Tuple(places, ast.Load())
        target, value = (self.name, self.array) if load else (self.array, self.name)
        stored = ast.Subscript(_named(target), index, ast.Store())
        loaded = ast.Subscript(_named(value), index, ast.Load())
        code = ast.fix_missing_locations(ast.Assign([stored], loaded, lineno=1))
        own, other = (stored, loaded) if load else (loaded, stored)
        return Statement(
            name=name,
            loops=(*self.coordinates, *self.axes),
            guard=TRUE,
            accesses=(Access(value, cell, False), Access(target, cell, True)),
            code=(code,),
            place=nest.place,
            elements=(Element(self.name, cell, own), Element(self.array, cell, other)),
            copy=Copy(self.array, self.name, self.axes, load),
        )

    def inserted(self, schedule: Schedule, cache: Cache) -> Schedule:
        """The schedule with the copies in their place."""
        before: list[Tree] = []
        after: list[Tree] = []
        groups = dict(schedule.groups)
        names = set(statements(schedule.tree))
        both = bool(cache.load and cache.store)
        for name, side in ((cache.load, before), (cache.store, after)):
            if name:
                known = f"{self.name}_load" if both and side is before else self.name
                schedule, tree = self._nest(schedule, name)
                side.append(tree)
                groups[known] = Group(frozenset((name,)), frozenset(self.axes))
        own = frozenset(x for x in (cache.load, cache.store) if x)
        inner = set(statements(self.place.tree)) & names | set(cache.moved.values())
        groups = {
            name: replace(one, statements=one.statements | own)
            if not one.statements.isdisjoint(inner) and name not in (self.name,)
            else one
            for name, one in groups.items()
        }
        tree = self._with(schedule.tree, cache, before, after)
        return replace(schedule, tree=tree, groups=groups)

    def _with(
        self,
        tree: Tree,
        cache: Cache,
        before: Sequence[Tree],
        after: Sequence[Tree],
    ) -> Tree:
        """The tree with other ones before and behind what uses the buffer."""
        if self.place.band is not None:
            return replace_band(
                tree,
                self.place.band.dim.uid,
                lambda band: Band(band.dim, sequence((*before, band.body, *after))),
            )
        new = {cache.moved.get(x, x) for x in statements(self.place.tree)}
        inner = _subtree(tree, new)

        def visit(node: Tree) -> Tree:
            if node is inner:
                return sequence((*before, node, *after))
            match node:
                case Band(dim, body):
                    return Band(dim, visit(body))
                case Leaf():
                    return node
            return sequence(tuple(visit(child) for child in node.children))

        return visit(tree)

    def _nest(self, schedule: Schedule, name: str) -> tuple[Schedule, Tree]:
        """The loops of a copy."""
        position = {uid: dict(values) for uid, values in schedule.position.items()}
        owner = {uid: dict(values) for uid, values in schedule.owner.items()}
        index = dict(schedule.index)
        counted = dict(zip(self.counted, self.coordinates, strict=True))
        first = statements(self.place.tree)[0]
        for dim in self.place.around:
            values = position[dim.uid]
            known = values.get(first) or values[f"{first}@{self.number}"]
            loop = counted.get(dim.uid)
            position[dim.uid][name] = known if loop is None else Var(loop)
            if loop is not None:
                index[name, loop] = Index(ZERO, 1, Const(0), {dim.uid: 1})
        tree: Tree = Leaf(name)
        for at, axis in reversed([*enumerate(self.axes)]):
            uid = schedule.fresh + at
            position[uid], owner[uid] = {name: Var(axis)}, {name: axis}
            index[name, axis] = Index(ZERO, 1, Const(0), {uid: 1})
            tree = Band(Dim(uid, f"ax{at}"), tree)
        result = replace(
            schedule,
            position=position,
            owner=owner,
            index=index,
            fresh=schedule.fresh + self.rank,
        )
        return result, tree


def _named(array: str) -> ast.expr:
    """The name of an array, which may be one of an attribute, as an expression."""
    return ast.parse(array, mode="eval").body


def _renamed(schedule: Schedule, cache: Cache) -> Schedule:
    """The schedule with statements under their new names."""
    new = cache.moved

    def tree(node: Tree) -> Tree:
        match node:
            case Band(dim, body):
                return Band(dim, tree(body))
            case Leaf(name):
                return Leaf(new.get(name, name))
        return sequence(tuple(map(tree, node.children)))

    return replace(
        schedule,
        tree=tree(schedule.tree),
        position={
            uid: {new.get(x, x): y for x, y in values.items()}
            for uid, values in schedule.position.items()
        },
        owner={
            uid: {new.get(x, x): y for x, y in values.items()}
            for uid, values in schedule.owner.items()
        },
        index={
            (new.get(name, name), loop): value
            for (name, loop), value in schedule.index.items()
        },
        groups={
            name: replace(
                one, statements=frozenset(new.get(x, x) for x in one.statements)
            )
            for name, one in schedule.groups.items()
        },
    )


def _extended(nest: Nest, cache: Cache, copies: _Copies) -> Nest:
    """The nest with what uses the buffer, and what copies."""
    more = {
        new: redirected(
            nest.statements[old],
            new,
            (cache.array, cache.buffer),
            cache.cells[old],
        )
        for old, new in cache.moved.items()
    }
    for name, load in ((cache.load, True), (cache.store, False)):
        if name:
            more[name] = copies.statement(nest, name, load=load)
    own = nest.allocations.get(cache.array)
    element = own.element if own is not None else f"{LIKE}{cache.array}"
    allocation = Allocation(
        array=cache.buffer,
        shape=(),
        fill="",
        element=element,
        like=False,
        module=own.module if own is not None else "",
        reads=(),
        first_line=0,
        last_line=0,
    )
    return replace(
        nest,
        loops={**nest.loops, **copies.loops(nest)},
        statements={**nest.statements, **more},
        allocations={**nest.allocations, cache.buffer: allocation},
    )
