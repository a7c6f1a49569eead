"""A buffer for the cells of an array that an iteration of a loop uses.

The copies are nests like others, named as the buffer is, with a loop for each axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from looptx.directives.base import check
from looptx.directives.moving.copying import CopyNests, Site, smallest
from looptx.directives.moving.packing import packed
from looptx.directives.moving.renamed import renamed
from looptx.directives.names import (
    check_new,
    find,
    free_name,
    group,
    unknown_array,
    used,
)
from looptx.directives.order.opening import Opened, check_not_collapsed
from looptx.model.dims import loops, paths
from looptx.model.elements import Cell
from looptx.model.moves import Cache
from looptx.model.moves.changes import changed
from looptx.model.program import Nest
from looptx.model.schedule import (
    Dim,
    Schedule,
    Tree,
    sequence,
    statements,
)
from looptx.model.storage import alike
from looptx.model.tree import parts


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for.

    Attributes:
        array: whose cells are kept.
        loop: in each iteration of which; empty for the whole nest.
        nest: the nest; empty where only one uses the array.
        name: of the buffer; empty for one that looptx chooses.
        writes: whether what is written goes to the buffer, and back at the end.
        packed: whether the buffer has the axes of the loops, not those of the array.
    """

    array: str
    loop: str
    nest: str
    name: str
    writes: bool
    packed: bool = False


def buffered(schedule: Schedule, request: Request) -> Schedule:
    """The schedule in which an iteration uses a buffer instead of an array.

    Raises:
        Malformed: LX104, LX105, LX109 for names, LX106 where the array is not used
            element by element.
    """
    if not request.loop:
        site = _nest(schedule, request)
        inside = statements(site.tree)
        first = paths(schedule.tree)[inside[0]][0]
        opened = Opened.within(schedule, inside, first)
        site = _nest(opened.schedule, request)
        if request.packed:
            check_not_collapsed(
                opened.schedule, statements(site.tree), request.nest or "it"
            )
        return opened.closed(_buffered(opened.schedule, request, site))
    opened = Opened.around(schedule, find(schedule, request.loop))
    site = _loop(opened.schedule, opened.dim, request)
    return opened.closed(_buffered(opened.schedule, request, site))


def _buffered(schedule: Schedule, request: Request, place: Site) -> Schedule:
    """The same for a place that is known."""
    last = request.array.rpartition(".")[2]
    name = request.name or free_name(f"{last}_cache", used(schedule))
    if request.name:
        check_new(used(schedule), (name,))
    cells = _cells(schedule, request, place)
    number = len(schedule.moves) + 1
    copies = CopyNests(request.array, name, number, place, None, _rank(cells))
    places: dict[str, dict[Cell, Cell]] = {
        old: {one: (name, one[1]) for one in own} for old, own in cells.items()
    }
    if request.packed:
        places, cell, rank = packed(schedule, copies, cells)
        copies = replace(copies, cell=cell, rank=rank)
    moved = {old: f"{old}@{number}" for old in cells}
    cache = Cache(
        request.array,
        name,
        moved,
        places,
        copies.coordinates,
        copies.axes,
        {
            old: tuple(schedule.position[uid][old] for uid in copies.counted)
            for old in cells
        },
        {} if request.packed else _others(schedule, request, cells),
        copies.cell,
        copies.places,
        load=f"{name} load",
        store=f"{name} store" if request.writes else "",
    )
    result = renamed(schedule, cache.moved)
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


def _rank(cells: Mapping[str, frozenset[Cell]]) -> int:
    """The number of subscripts of all accesses."""
    _, subscripts = next(iter(next(iter(cells.values()))))
    return len(subscripts)


def _loop(schedule: Schedule, dim: Dim, request: Request) -> Site:
    """The place in the loops of a dimension. Raises LX106."""
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
    check_not_collapsed(schedule, inside, request.loop)
    body = _without_copies(schedule.nest, found[0].body, request.array)
    return Site(found[0], body, tuple(around))


def _nest(schedule: Schedule, request: Request) -> Site:
    """The place of a whole nest. Raises LX104, LX105."""
    tree = schedule.tree
    if request.nest:
        inside_nest = group(schedule, request.nest).statements
        tree = smallest(tree, inside_nest)
    around = _around(schedule.tree, tree)
    tree = _without_copies(schedule.nest, tree, request.array)
    return Site(None, tree, around)


def _without_copies(nest: Nest, tree: Tree, array: str) -> Tree:
    """A tree without what fills an array that is a buffer, and copies it back."""

    def copies(part: Tree) -> bool:
        known = (nest.statements[name].copy for name in statements(part))
        return all(copy is not None and copy.buffer == array for copy in known)

    children = [*parts(tree)]
    while len(children) > 1 and copies(children[0]):
        del children[0]
    while len(children) > 1 and copies(children[-1]):
        del children[-1]
    return sequence(tuple(children))


def _around(tree: Tree, inner: Tree) -> tuple[Dim, ...]:
    """The dimensions around a subtree."""
    path = paths(tree)[statements(inner)[0]]
    own = {dim.uid for dim in paths(inner)[statements(inner)[0]]}
    return tuple(dim for dim in path if dim.uid not in own)


def _cells(
    schedule: Schedule, request: Request, place: Site
) -> dict[str, frozenset[Cell]]:
    """The cells that go to the buffer, by statement. Raises LX104, LX106."""
    nest, array = schedule.nest, request.array
    found: dict[str, frozenset[Cell]] = {}
    written: set[Cell] = set()
    for name in statements(place.tree):
        statement = nest.statements[name]
        own = [x for x in statement.accesses if x.array == array]
        kept = {x.cell for x in own if x.write}
        written |= kept
        wanted = {x.cell for x in own if request.writes or x.cell not in kept}
        if wanted:
            known = {x.cell for x in statement.elements}
            check(
                known >= wanted and all(None not in x for _, x in wanted),
                f"`{array}` is not used element by element in line"
                f" {statement.place.line}, or at places that are not affine",
                "cache arrays whose subscripts are affine",
            )
            found[name] = frozenset(wanted)
    if not found or (request.writes and not written):
        touched = _touched(schedule, place, write=request.writes)
        uses = "writes" if request.writes else "only reads"
        check(
            array not in nest.arrays,
            f"no statement there {uses} `{array}`",
            f"name one of {', '.join(touched)}" if touched else "name another place",
            "LX104",
        )
        raise unknown_array(array, touched, nest.arrays)
    check(
        len({len(x) for each in found.values() for _, x in each}) == 1,
        f"`{array}` is used with different numbers of subscripts",
        "write as many subscripts everywhere",
    )
    return found


def _others(
    schedule: Schedule, request: Request, cells: dict[str, frozenset[Cell]]
) -> dict[str, frozenset[Cell]]:
    """The reads that are of no cell that is written, as far as one sees that here."""
    if not request.writes:
        return {}
    accesses = {name: schedule.nest.statements[name].accesses for name in cells}
    written = {
        access.cell
        for own in accesses.values()
        for access in own
        if access.write and access.array == request.array
    }
    return {name: one - written for name, one in cells.items() if one - written}


def _touched(schedule: Schedule, place: Site, *, write: bool) -> list[str]:
    """The arrays that are read, or written, in a place."""
    return sorted(
        {
            access.array
            for name in statements(place.tree)
            for access in schedule.nest.statements[name].accesses
            if access.write == write and access.subscripts
        }
    )


def _extended(nest: Nest, cache: Cache, copies: CopyNests) -> Nest:
    """The nest with what uses the buffer, and what copies."""
    more = changed(nest, cache)
    for name in cache.copies:
        more[name] = copies.statement(nest, name, load=name == cache.load)
    allocation = alike(cache.buffer, cache.array, nest.allocations)
    return replace(
        nest,
        loops={**nest.loops, **copies.loops(nest)},
        statements={**nest.statements, **more},
        allocations={**nest.allocations, cache.buffer: allocation},
    )
