"""What each directive does to positions and to the tree, on numbers."""

from __future__ import annotations

from collections.abc import Sequence

from meaning_tree import (
    Loop,
    Node,
    Undefined,
    Wrong,
    cut,
    in_order,
    path_of,
    siblings,
    tags,
    walk,
)


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
        lacking=loop.lacking,
    )
    if loop.fixed and loop.low // size == loop.high // size:
        inner.low, inner.high = loop.low % size, loop.high % size
    loop.at = {one: at // size for one, at in loop.at.items()}
    loop.low, loop.high = loop.low // size, loop.high // size
    loop.fixed = loop.literal
    loop.step = 0
    loop.unrolled = 0 if loop.unrolled == 0 else None
    loop.body = [inner]
    return inner


def block_size(loop: Loop, parts: int) -> int:
    """The size that makes so many blocks. Errors: LX106 for a run-time extent.

    The extent of loops skewed along each other is less than the intervals say.
    """
    if not loop.fixed:
        raise Wrong("LX106")
    if not loop.literal or loop.mixed:
        raise Undefined
    return max(1, -(-(loop.high + 1 - min(loop.low, 0)) // parts))


def unroll(loop: Loop, factor: int = 0) -> None:
    """Nothing moves. Errors: LX106 for all of a run-time extent, LX112 for f."""
    _not_fusing(loop)
    if not factor and not loop.fixed:
        raise Wrong("LX106")
    loop.unrolled = factor


def skew(loop: Loop, along: Loop, by: int = 1) -> None:
    """(i, j) sits at (i + by * j, j). Errors: LX106 without a common statement."""
    both = tags(loop.body) & tags(along.body)
    if not both:
        raise Wrong("LX106")
    _not_fusing(loop)
    loop.at = {
        one: at + by * along.at[one] if one[0] in both else at
        for one, at in loop.at.items()
    }
    ends = by * along.low, by * along.high
    loop.low, loop.high = loop.low + min(ends), loop.high + max(ends)
    loop.fixed = loop.fixed and along.fixed
    loop.literal = loop.literal and along.literal
    loop.mixed = loop.mixed or along.skewed
    along.mixed = along.mixed or along.skewed
    loop.skewed = True


def pad(loop: Loop, more: int) -> None:
    """Every position moves."""
    _not_fusing(loop)
    loop.at = {one: at + more for one, at in loop.at.items()}
    loop.low, loop.high = loop.low + more, loop.high + more


def collapse(outer: Loop, inner: Loop, name: str) -> None:
    """Row r and column c become r * width + c: the inner positions run fastest.

    The first row is 0, unless a pad moved it.

    Errors: LX106 for loops that are not the one in the other alone, or of which a fused
    nest has only one; LX112 for f.
    """
    if outer.body != [inner] or inner.unrolled is not None:
        raise Wrong("LX106")
    if inner.lacking or outer.lacking:
        raise Wrong("LX106")
    _not_fusing(outer)
    _not_fusing(inner)
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
    outer.skewed = outer.mixed = False
    outer.origin |= inner.origin
    outer.unfused |= inner.unfused
    outer.body = inner.body


def reorder(nodes: list[Node], order: Sequence[Loop]) -> None:
    """The named loops in a new order, in the places they hold.

    A statement beside the path of the loops stays inside the longest beginning of the
    new order that has only loops of its own; the rest of them is copied for it, and for
    those that leave with it.

    Errors: LX106 for loops that enclose no common statement.
    """
    top = next(loop for loop in walk(nodes) if loop in order)
    path = path_of(top, set(order))
    following = iter(order)
    new = [next(following) if loop in order else loop for loop in path]
    own = [tags(loop.body) for loop in new]
    core = tags(path[-1].body)
    text = list(in_order([top]))
    middle = next(at for at, tag in enumerate(text) if tag in core)

    def beside(d: int, side: Sequence[int]) -> list[Node]:
        group = {
            tag
            for tag in side
            if tag not in core
            and d == next(at for at, inside in enumerate(own) if tag not in inside)
        }
        return cut([top], group, set(new[:d]))

    depths = range(len(new))
    before = [beside(d, text[:middle]) for d in depths]
    after = [beside(d, text[middle:]) for d in depths]
    beside_top = siblings(nodes, top)
    place = beside_top.index(top)
    body = path[-1].body
    for d in reversed(depths):
        new[d].body = body
        body = [*before[d], new[d], *after[d]]
    beside_top[place : place + 1] = body


def _not_fusing(loop: Loop) -> None:
    if loop.fusing:
        raise Wrong("LX112")


def check_fusing(nodes: Sequence[Node], outer: frozenset[int] = frozenset()) -> None:
    """Every fusing dimension is around what it must be around. Errors: LX113."""
    for node in nodes:
        if isinstance(node, Loop):
            if node.fusing in outer:
                raise Wrong("LX113")
            check_fusing(node.body, outer | node.unfused)
