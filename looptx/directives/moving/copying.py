"""The statements that copy the cells of a buffer: nests with a loop for each axis."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.model.elements import Access, Element
from looptx.model.expr import TRUE, ZERO, IntExpr, Var
from looptx.model.moves import Cache
from looptx.model.program import Loop, Nest, Statement
from looptx.model.records import dataclass, replace
from looptx.model.schedule import (
    Band,
    Dim,
    Group,
    Leaf,
    Schedule,
    Tree,
    counted,
    sequence,
    statements,
)
from looptx.model.storage import Copy
from looptx.model.tree import parts


@dataclass(frozen=True, slots=True)
class Site:
    """Where the copies stand.

    Attributes:
        tree: what they stand around.
        around: the dimensions around it, outermost first.
    """

    tree: Tree
    around: tuple[Dim, ...]


@dataclass(frozen=True, slots=True)
class CopyNests:
    """The statements that copy the cells of a buffer, and their loops.

    Attributes:
        array, name: the array and the buffer.
        number: of the directive, for names.
        place: where the copies stand.
        cell: the coordinates of the array as functions of ``coordinates`` and ``axes``;
            None where they are the axes themselves.
        rank: of the buffer.
    """

    array: str
    name: str
    number: int
    place: Site
    cell: tuple[IntExpr, ...] | None
    rank: int

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
        return tuple(map(self.axis, range(self.rank)))

    def axis(self, number: int) -> str:
        """The loop over an axis of the buffer."""
        return f"{self.name}.ax{number}"

    @property
    def places(self) -> tuple[str, ...]:
        """What stands for the coordinates of a cell of the array in the statements."""
        if self.cell is None:
            return self.axes
        return tuple(f"{self.name}.cell{axis}" for axis in range(len(self.cell)))

    def loops(self, nest: Nest) -> dict[str, Loop]:
        """All of them."""
        names = {dim.uid: dim.name for dim in self.place.around}
        pairs = zip(self.coordinates, self.counted, strict=True)
        found = {loop: names[uid] for loop, uid in pairs}
        found |= {axis: f"ax{at}" for at, axis in enumerate(self.axes)}
        return {
            loop: Loop(loop, var, ZERO, ZERO, 1, nest.place)
            for loop, var in found.items()
        }

    def statement(self, nest: Nest, name: str, *, load: bool) -> Statement:
        """A statement that copies a cell."""
        cell = tuple(map(Var, self.axes))
        inside = {self.name: cell, self.array: self.cell or cell}
        target, value = (self.name, self.array) if load else (self.array, self.name)
        names = {self.name: self.axes, self.array: self.places}
        stored = cell_of(target, names[target], ast.Store())
        loaded = cell_of(value, names[value], ast.Load())
        code = ast.fix_missing_locations(ast.Assign([stored], loaded, lineno=1))
        own, other = (stored, loaded) if load else (loaded, stored)
        return Statement(
            name=name,
            loops=(*self.coordinates, *self.axes),
            guard=TRUE,
            accesses=(
                Access(value, inside[value], False),
                Access(target, inside[target], True),
            ),
            code=(code,),
            place=nest.place,
            elements=elements_of(
                (self.name, inside[self.name], own),
                (self.array, inside[self.array], other),
            ),
            places=self.places,
            copy=Copy(self.array, self.name, load),
            added=True,
        )

    def inserted(self, schedule: Schedule, cache: Cache) -> Schedule:
        """The schedule with the copies in their place."""
        before: list[Tree] = []
        after: list[Tree] = []
        groups = dict(schedule.groups)
        for name, side in zip(cache.copies, (before, after), strict=False):
            known = f"{self.name}_load" if name != cache.copies[-1] else self.name
            schedule, tree = self._nest(schedule, cache, name)
            side.append(tree)
            groups[known] = Group(frozenset((name,)), frozenset(self.axes))
        own = frozenset(cache.copies)
        inner = {cache.moved.get(x, x) for x in statements(self.place.tree)}
        groups = {
            name: replace(one, statements=one.statements | own)
            if one.statements >= inner
            else one
            for name, one in groups.items()
        }
        depth = len(self.place.around)
        tree = _surrounded(schedule.tree, inner, before, after, depth)
        return replace(schedule, tree=tree, groups=groups)

    def _nest(
        self, schedule: Schedule, cache: Cache, name: str
    ) -> tuple[Schedule, Tree]:
        """The loops of a copy."""
        position = {uid: dict(values) for uid, values in schedule.position.items()}
        owner = {uid: dict(values) for uid, values in schedule.owner.items()}
        index = dict(schedule.index)
        coordinates = dict(zip(self.counted, self.coordinates, strict=True))
        first = statements(self.place.tree)[0]
        first = cache.moved.get(first, first)
        for dim in self.place.around:
            values = position[dim.uid]
            loop = coordinates.get(dim.uid)
            position[dim.uid][name] = values[first] if loop is None else Var(loop)
            if loop is not None:
                index[name, loop] = counted(dim.uid)
        tree: Tree = Leaf(name)
        for at, axis in reversed([*enumerate(self.axes)]):
            uid = schedule.fresh + at
            position[uid], owner[uid] = {name: Var(axis)}, {name: axis}
            index[name, axis] = counted(uid)
            tree = Band(Dim(uid, f"ax{at}"), tree)
        result = replace(
            schedule,
            position=position,
            owner=owner,
            index=index,
            fresh=schedule.fresh + self.rank,
        )
        return result, tree


def cell_of(array: str, names: Sequence[str], context: ast.expr_context) -> ast.expr:
    """A cell in the code of a new statement.

    Args:
        array: its name, which may be one of an attribute.
        names: what stands for the coordinates, no identifiers; none for a variable.
        context: whether it is read or written.
    """
    if not names:
        return ast.Name(array, context)
    places: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names]
    index = places[0] if len(places) == 1 else ast.Tuple(places, ast.Load())
    return ast.Subscript(ast.parse(array, mode="eval").body, index, context)


def elements_of(*cells: tuple[str, Sequence[IntExpr], ast.expr]) -> tuple[Element, ...]:
    """The elements of a new statement.

    Args:
        cells: the array, the subscripts and the node of each; variables are none.
    """
    return tuple(
        Element(array, tuple(subscripts), node)
        for array, subscripts, node in cells
        if isinstance(node, ast.Subscript)
    )


def _surrounded(
    tree: Tree,
    wanted: set[str],
    before: Sequence[Tree],
    after: Sequence[Tree],
    depth: int,
) -> Tree:
    """A tree with other ones before and behind some statements.

    Args:
        tree: the tree. wanted: the statements, which are all of some of its children.
        before, after: what is put there. depth: the number of loops that stay around.
    """
    if isinstance(tree, Band) and depth:
        body = _surrounded(tree.body, wanted, before, after, depth - 1)
        return Band(tree.dim, body)
    children = [*parts(tree)]
    met = [
        at
        for at, child in enumerate(children)
        if not wanted.isdisjoint(statements(child))
    ]
    first, last = met[0], met[-1] + 1
    inside: tuple[Tree, ...] = (*before, *children[first:last], *after)
    if depth:
        inside = (_surrounded(children[first], wanted, before, after, depth),)
    return sequence((*children[:first], *inside, *children[last:]))
