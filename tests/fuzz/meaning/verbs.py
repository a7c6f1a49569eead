"""What each directive does to positions and to the tree, on numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from fuzz.meaning.tree import (
    Loop,
    Node,
    Tags,
    Undefined,
    Wrong,
    around,
    cut,
    in_order,
    path_of,
    siblings,
    tags,
    walk,
    woven,
)

Twins = Sequence[Loop]
"""All loops of one dimension."""


def inside(loops: Twins) -> Tags:
    """The statements in the loops of a dimension."""
    return frozenset().union(*(tags(loop.body) for loop in loops))


def split(loop: Loop, size: int, name: str) -> Loop:
    """Position p becomes block p // size and place p % size, the inner loop."""
    inner = Loop(
        name,
        {one: at % size for one, at in loop.at.items()},
        loop.body,
        low=0,
        high=size - 1,
        fixed=True,
        literal=loop.literal,
        origin=loop.origin,
        fusing=loop.fusing,
        unfused=loop.unfused,
        unrolled=loop.unrolled,
        unit=loop.unit,
        lacking=loop.lacking,
        nests=_gathered(loop.nests, lambda at: at % size),
    )
    if loop.fixed and loop.low // size == loop.high // size:
        inner.low, inner.high = loop.low % size, loop.high % size
    loop.at = {one: at // size for one, at in loop.at.items()}
    loop.nests = _gathered(loop.nests, lambda at: at // size)
    loop.low, loop.high = loop.low // size, loop.high // size
    loop.fixed = loop.literal
    loop.step = 0
    loop.unit = loop.unit and size == 1
    loop.unrolled = 0 if loop.unrolled == 0 else None
    loop.body = [inner]
    return inner


def _gathered(nests: Sequence[Tags], place: Callable[[int], int]) -> tuple[Tags, ...]:
    """The statements at each place of a part of a fusing dimension."""
    found: dict[int, Tags] = {}
    for at, nest in enumerate(nests):
        found[place(at)] = found.get(place(at), frozenset()) | nest
    return tuple(found[at] for at in sorted(found))


def block_size(loop: Loop, parts: int) -> int:
    """The size that makes so many blocks. Raises LX106 for a run-time extent.

    The extent of loops skewed along each other is less than the intervals say.
    """
    if not loop.fixed:
        raise Wrong("LX106")
    if not loop.literal or loop.mixed:
        raise Undefined
    return max(1, -(-(loop.high + 1 - min(loop.low, 0)) // parts))


def unroll(loop: Loop, factor: int = 0) -> None:
    """Nothing moves. Raises LX106 for all of a run-time extent, LX112 for f."""
    _not_fusing(loop)
    if not factor and not loop.fixed:
        raise Wrong("LX106")
    loop.unrolled = factor


def skew(loops: Twins, along: Twins, by: int = 1) -> None:
    """(i, j) sits at (i + by * j, j). Raises LX106 without a common statement."""
    both = inside(loops) & inside(along)
    if not both:
        raise Wrong("LX106")
    other = along[0]
    places = {one: at for loop in along for one, at in loop.at.items()}
    ends = by * other.low, by * other.high
    for loop in loops:
        _not_fusing(loop)
        loop.at = {
            one: at + by * places[one] if one[0] in both else at
            for one, at in loop.at.items()
        }
        loop.low, loop.high = loop.low + min(ends), loop.high + max(ends)
        loop.fixed = loop.fixed and other.fixed
        loop.literal = loop.literal and other.literal
        loop.mixed = loop.mixed or other.skewed
        loop.skewed = True
    for loop in along:
        loop.mixed = loop.mixed or loop.skewed


def pad(loop: Loop, more: int) -> None:
    """Every position moves."""
    _not_fusing(loop)
    loop.at = {one: at + more for one, at in loop.at.items()}
    loop.low, loop.high = loop.low + more, loop.high + more
    loop.padded = None if loop.padded is None else loop.padded + more


def collapse(outers: Twins, inners: Twins, name: str) -> None:
    """Row r and column c become r * width + c: the inner positions run fastest.

    The first row is 0, unless a pad moved it.

    Raises LX106 for loops that are not the one in the other alone, or of which a fused
    nest has only one; LX112 for f.
    """
    if len(outers) != len(inners) or any(
        x.body not in [[y] for y in inners] for x in outers
    ):
        raise Wrong("LX106")
    for outer in outers:
        (inner,) = outer.body
        assert isinstance(inner, Loop)
        _collapse(outer, inner, name)
        outer.dim = outers[0].dim


def _collapse(outer: Loop, inner: Loop, name: str) -> None:
    _not_fusing(outer)
    _not_fusing(inner)
    if inner.unrolled is not None or inner.lacking or outer.lacking:
        raise Wrong("LX106")
    if inner.skewed or not inner.step:
        raise Undefined
    width, first = inner.high + 1, min(outer.low, 0)
    outer.at = {
        one: (outer.at[one] - first) * width + at
        for one, at in inner.at.items()
        if one in outer.at
    }
    outer.low = (outer.low - first) * width
    outer.high = (outer.high - first) * width + width - 1
    outer.name = name
    outer.fixed = outer.fixed and inner.fixed
    outer.literal = outer.literal and inner.literal
    outer.start, outer.base, outer.step = 0, "0", 1
    outer.padded = None if outer.padded or inner.padded else 0
    outer.skewed = outer.mixed = outer.unit = False
    outer.origin |= inner.origin
    outer.unfused |= inner.unfused
    outer.body = inner.body


def distribute(nodes: list[Node], twins: Twins) -> list[Loop]:
    """A loop for each thing in the loops of a dimension; all of them, in order.

    A fusing dimension right inside such a loop is no thing: what stands in it is.

    Raises LX112 for f.
    """
    found: list[Loop] = []
    for loop in twins:
        _not_fusing(loop)
        beside = siblings(nodes, loop)
        at = beside.index(loop)
        beside[at : at + 1] = _distributed(loop, found)
    if len(found) > 1:
        for loop in found:
            loop.dim = object()
            outer = [x.fusing for x in walk(nodes) if loop in walk(x.body)]
            loop.unfused |= frozenset(outer) - {0}
    return found


def _distributed(loop: Loop, found: list[Loop]) -> list[Node]:
    """What becomes of a loop; the new loops are found."""
    result: list[Node] = []
    for thing in loop.body:
        part = replace(loop, body=[thing])
        if isinstance(thing, Loop) and thing.fusing:
            part.body = thing.body
            thing.body = _distributed(part, found)
            result.append(thing)
        else:
            found.append(part)
            result.append(part)
    return result


def reorder(nodes: list[Node], order: Sequence[object]) -> None:
    """The named dimensions in a new order, in the places they hold.

    In fused nests all of them are one list, of which a statement has its own. A
    statement beside the path of the loops stays inside the longest beginning of the new
    order that has only loops of its own; the rest of them is copied for it, and for
    those that leave with it.

    Raises LX106 for loops that enclose no common statement.
    """
    named = set(order)
    top = next(loop for loop in walk(nodes) if loop.dim in named)
    outer = [x for x in around(nodes, min(tags(top.body))) if top in walk(x.body)]
    top = next((loop for loop in outer if loop.fusing), top)
    path = path_of(top, named)
    core = tags(path[-1].body)
    _check_nested(path[-1], core, named)
    known = {loop.dim: loop for loop in path} | {
        loop.dim: loop for tag in core for loop in around([top], tag)
    }
    following = iter(order)
    listed = _listed(top, core)
    new = [next(following) if dim in named else dim for dim in listed]
    within = {dim: inside([x for x in walk([top]) if x.dim is dim]) for dim in new}
    text = list(in_order([top]))
    middle = next(at for at, tag in enumerate(text) if tag in core)

    def beside(d: int, side: Sequence[int]) -> list[Node]:
        group = {
            tag
            for tag in side
            if tag not in core
            and d == next(at for at, dim in enumerate(new) if tag not in within[dim])
        }
        return cut([top], group, {loop.dim for loop in path}, set(new[:d]))

    depths = range(len(new))
    before = [beside(d, text[:middle]) for d in depths]
    after = [beside(d, text[middle:]) for d in depths]
    beside_top = siblings(nodes, top)
    place = beside_top.index(top)
    outermost = max((d for d in depths if before[d] or after[d]), default=0)
    paths = []
    for tag in (tag for tag in text if tag in core):
        own = {loop.dim for loop in around([top], tag)}
        dims = [dim for dim in new if dim in own]
        paths.append(([known[dim] for dim in dims[outermost:]], tag))
    body = woven(paths)
    for d in range(outermost, -1, -1):
        if d < outermost:
            body = [replace(known[new[d]], body=body)]
        body = [*before[d], *body, *after[d]]
    beside_top[place : place + 1] = body


def _listed(top: Loop, core: Tags) -> list[object]:
    """The dimensions of some statements in one order: those of the first statement, and
    of each later one what it has besides, before what both have.
    """
    found: list[object] = []
    for tag in (tag for tag in in_order([top]) if tag in core):
        at = len(found)
        for loop in reversed(around([top], tag)):
            if loop.dim in found:
                at = found.index(loop.dim)
            else:
                found.insert(at, loop.dim)
    return found


def _check_nested(last: Loop, core: Tags, named: set[object]) -> None:
    """In each of the nests that are fused, some statement is in all its named loops."""
    nests: dict[tuple[int, ...], list[set[object]]] = {}
    for tag in core:
        loops = around([last], tag)
        place = [
            number
            for loop in loops
            for number, nest in enumerate(loop.nests)
            if tag in nest
        ]
        nests.setdefault(tuple(place), []).append(named & {x.dim for x in loops})
    for each in nests.values():
        if set().union(*each) not in each:
            raise Wrong("LX106")


def _not_fusing(loop: Loop) -> None:
    if loop.fusing:
        raise Wrong("LX112")


def check_fusing(nodes: Sequence[Node], outer: frozenset[int] = frozenset()) -> None:
    """Every fusing dimension is around what it must be around. Raises LX113."""
    for node in nodes:
        if isinstance(node, Loop):
            if node.fusing in outer:
                raise Wrong("LX113")
            check_fusing(node.body, outer | node.unfused)
