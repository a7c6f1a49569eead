"""A buffer for the cells of an array that an iteration of a loop uses.

The copies are nests like others, named as the buffer is, with a loop for each axis.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from looptx.directives.base import check
from looptx.directives.moving.copying import CopyNests, Site
from looptx.directives.moving.packing import packed
from looptx.directives.moving.renamed import renamed
from looptx.directives.names import (
    check_new,
    find,
    free_name,
    group,
    single,
    unknown_array,
    used,
)
from looptx.directives.order.opening import Opened, check_not_collapsed
from looptx.errors import Malformed
from looptx.model.dims import down_to, paths, source_loops
from looptx.model.elements import Cell, Element
from looptx.model.moves import Cache
from looptx.model.moves.changes import changed
from looptx.model.program import Nest
from looptx.model.records import dataclass, replace
from looptx.model.schedule import (
    Band,
    Dim,
    Group,
    Leaf,
    Schedule,
    Tree,
    bands,
    sequence,
    statements,
)
from looptx.model.storage import alike
from looptx.model.tree import parts
from looptx.poly.collapse.literal import without_products


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
        cell: of which reads alone, as the source has them; empty for all.
    """

    array: str
    loop: str
    nest: str
    name: str
    writes: bool
    packed: bool = False
    cell: str = ""

    def means(self, element: Element) -> bool:
        """Whether it is about what an element reads or writes."""
        if element.array != self.array:
            return False
        return self.cell in ("", shown(element))


def shown(element: Element) -> str:
    """An element as the source has it, in one word."""
    return "".join(ast.unparse(element.node).split())


def buffered(schedule: Schedule, request: Request) -> Schedule:
    """The schedule in which an iteration uses a buffer instead of an array.

    Raises:
        Malformed: LX104, LX105, LX109 for names, LX106 where the array is not used
            element by element.
    """
    dim = find(schedule, request.loop) if request.loop else None
    site = _site(schedule, request, dim)
    opened = Opened.of(schedule, _counted(site, request))
    site = _site(opened.schedule, request, dim and opened.inner(dim))
    known = schedule.nest.statements
    users = [
        name
        for name in statements(site.tree)
        if any(access.array == request.array for access in known[name].accesses)
    ]
    counted, packed = _counted(site, request), request.packed
    check_not_collapsed(opened.schedule, users, counted, packed=packed)
    return opened.closed(_buffered(opened.schedule, request, site))


def _counted(site: Site, request: Request) -> list[Dim]:
    """The loops whose positions tell the cells of the buffer."""
    inside = [band.dim for band in bands(site.tree)] if request.packed else []
    return [*site.around, *inside]


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
    told = without_products(schedule).position
    cache = Cache(
        request.array,
        name,
        moved,
        places,
        copies.coordinates,
        copies.axes,
        {old: tuple(told[uid][old] for uid in copies.counted) for old in cells},
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


def _site(schedule: Schedule, request: Request, dim: Dim | None) -> Site:
    """The place: in the loop of a dimension, or the whole nest.

    Raises:
        Malformed: LX104 and LX105 for the nest, LX106.
    """
    if dim is not None:
        band = single(schedule, dim, request.loop)
        body = _without_copies(schedule.nest, band.body, request.array)
        return Site(body, down_to(schedule.tree, dim.uid))
    tree = schedule.tree
    if request.nest:
        tree = _own_tree(schedule, group(schedule, request.nest))
    around = _around(schedule.tree, tree)
    return Site(_without_copies(schedule.nest, tree, request.array), around)


def _own_tree(schedule: Schedule, nest: Group) -> Tree:
    """What a nest has become, without the loops around it."""
    tree = schedule.tree
    while not isinstance(tree, Leaf):
        if isinstance(tree, Band):
            loops = source_loops(schedule, tree.dim.uid)
            if not tree.dim.fusing and not nest.loops.isdisjoint(loops):
                break
            tree = tree.body
            continue
        own = tuple(
            child
            for child in tree.children
            if not nest.statements.isdisjoint(statements(child))
        )
        tree = sequence(own)
        if len(own) > 1:
            break
    return tree


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
        known = {x.cell for x in statement.elements if request.means(x)}
        if request.cell:
            wanted &= known
        if wanted:
            affine = all(x and None not in x for _, x in wanted)
            check(
                known >= wanted and affine,
                f"`{array}` is not used element by element in line"
                f" {statement.place.line}, or at places that are not affine",
                "write rows cell by cell, in a loop over these"
                if affine
                else "cache arrays whose subscripts are affine",
            )
            found[name] = frozenset(wanted)
    if not found or (request.writes and not written):
        raise _unused(schedule, place, request)
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


def _unused(schedule: Schedule, place: Site, request: Request) -> Malformed:
    """The error for an array that a place does not use as it must. (LX104)"""
    nest, array, write = schedule.nest, request.array, request.writes
    uses: dict[str, list[str]] = {}
    for name in statements(schedule.tree):
        for access in nest.statements[name].accesses:
            if access.write == write and access.subscripts:
                uses.setdefault(access.array, []).append(name)
    inside = {*statements(place.tree)}
    touched = sorted(x for x, names in uses.items() if not inside.isdisjoint(names))
    if request.cell and array in touched:
        known = {
            shown(one)
            for name in inside
            for one in nest.statements[name].elements
            if one.array == array and isinstance(one.node.ctx, ast.Load)
        }
        if not known:
            message = f"`{array}` is not read element by element there"
            return Malformed("LX106", message, hint=f"read `{request.cell}` there")
        message = f"nothing there reads `{request.cell}`"
        hint = f"name one of {', '.join(sorted(known))}"
        return Malformed("LX104", message, hint=hint)
    if array not in {*nest.arrays, *nest.allocations}:
        return unknown_array(array, touched, nest.arrays)
    where = request.loop or request.nest
    does, done = ("writes", "written") if write else ("reads", "read")
    if array in touched:
        message = f"what reads `{array}` there writes the same cell, too"
        at = f" at {where}" if where else ""
        return Malformed("LX104", message, hint=f"`cache_write {array}{at}` keeps both")
    lines = sorted({nest.statements[x].place.line for x in uses.get(array, ())})
    listed = ", ".join(map(str, lines))
    return Malformed(
        "LX104",
        f"nothing {f'in `{where}`' if where else 'there'} {does} `{array}`",
        detail=(f"`{array}` is {done} in line {listed}",) if lines else (),
        hint=f"name one of {', '.join(touched)}" if touched else "name another place",
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
