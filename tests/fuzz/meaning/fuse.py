"""What ``fuse`` does to positions and to the tree, on numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fuzz.meaning.original import Instance, Original, Source
from fuzz.meaning.places import Places
from fuzz.meaning.tree import Loop, Node, Undefined, Wrong, tags, walk

Uses = Sequence[tuple[frozenset[str], frozenset[str]]]


@dataclass(frozen=True)
class Asked:
    """What a ``fuse`` says besides its nests.

    Attributes:
        partial: how many loops to fuse, 0 for as many as there are.
        names: those of the fused loops and f, or none.
        at: where nests stand in the loops they lack, as the text of a value.
    """

    partial: int
    names: Sequence[str]
    at: Mapping[str, str]


@dataclass
class Part:
    """A nest to be fused: its loops, nested perfectly from the top, and the rest.

    Attributes:
        instances: those of its statements.
    """

    top: Node
    chain: list[Loop]
    rest: list[Node]
    instances: list[Instance]

    def below(self, rank: int) -> list[Node]:
        """What is inside the first ``rank`` loops."""
        return [self.chain[rank]] if rank < len(self.chain) else self.rest


def part(top: Node, run: Original) -> Part:
    """A fusing dimension ends the chain of loops."""
    chain: list[Loop] = []
    rest: list[Node] = [top]
    while len(rest) == 1 and isinstance(rest[0], Loop) and not rest[0].fusing:
        chain.append(rest[0])
        rest = rest[0].body
    inside = [one for tag in tags([top]) for one in run.instances.get(tag, [])]
    return Part(top, chain, rest, inside)


def fuse(
    nodes: list[Node],
    tops: Sequence[Node],
    asked: Asked,
    number: int,
    taken: tuple[frozenset[str], frozenset[str]],
    source: Source,
    run: Original,
    above: Mapping[int, Sequence[Loop]],
) -> None:
    """Put one nest in the place of several.

    Args:
        nodes: what stands side by side.
        tops: the nests among them, in the order in which their work is to run.
        asked: what the directive says.
        number: that of this ``fuse``.
        taken: what the names of loops must avoid, and what that of f must.
        source: the function. run: what it does as it stands.
        above: the loops around each statement.

    Raises LX102, LX104 and LX109 for names, LX106 for loops of which some are unrolled
    or that show no values, LX114 for ``partial``, LX116 for steps.
    """
    partial, names = asked.partial, asked.names
    parts = [part(top, run) for top in tops]
    imperfect = [len(each.chain) for each in parts if len(each.rest) > 1]
    most = min([max(len(each.chain) for each in parts), *imperfect])
    rank = partial or most
    if rank > most:
        raise Wrong("LX114")
    if names and len(names) != rank + 1:
        raise Wrong("LX102")
    used, loops = taken
    old = {x.name for each in parts for x in each.chain[:rank]}
    if set(names[:rank]) & (used - old) or set(names[rank:]) & (loops - old):
        raise Wrong("LX109")
    least = min(len(each.chain) for each in parts)
    lacked = {x.name for each in parts for x in each.chain[least:rank]}
    if asked.at.keys() - lacked:
        raise Wrong("LX104")
    places = Places(asked.at, source, run, above)
    for name, value in asked.at.items():
        for each in parts:
            chain = [x.name for x in each.chain[:rank]]
            if name not in chain:
                for tag in sorted(tags([each.top])):
                    places.said(value, tag)
    fused = [_level(parts, depth, places) for depth in range(rank)]
    at = {one: k for k, each in enumerate(parts) for one in each.instances}
    f = Loop("f", at, [], 0, len(tops) - 1, True, True, frozenset(), fusing=number)
    f.unfused = frozenset().union(*(x.unfused for p in parts for x in p.chain[:1]))
    f.nests = tuple(frozenset(tags([top])) for top in tops)
    _name([*fused, f], names, loops)
    outer = {loop.name for loop in (*fused, f)}
    textual = sorted(parts, key=lambda each: nodes.index(each.top))
    f.body = [node for each in textual for node in each.below(rank)]
    for dim in dict.fromkeys(loop.dim for loop in walk(f.body)):
        twins = [loop for loop in walk(f.body) if loop.dim is dim]
        name = twins[0].name
        if name in outer:
            name = _free(name, used | outer)
            used |= {name}
        for loop in twins:
            loop.unfused |= {number}
            loop.name = name
    body: list[Node] = [f]
    for loop in reversed(fused):
        loop.body = body
        body = [loop]
    _place(nodes, [each.top for each in textual], body[0], source.uses)


def _level(parts: Sequence[Part], depth: int, places: Places) -> Loop:
    """One fused loop: equal index values meet, or equal places where there are none."""
    loops = {k: p.chain[depth] for k, p in enumerate(parts) if depth < len(p.chain)}
    first = next(iter(loops.values()))
    if any(loop.unrolled != first.unrolled for loop in loops.values()):
        raise Wrong("LX106")
    shift = dict.fromkeys(loops, 0)
    start, base, step = first.start, first.base, 0
    if any(loop.mixed for loop in loops.values()):
        raise Undefined
    if all(loop.step for loop in loops.values()):
        step = first.step
        if any(loop.step != step for loop in loops.values()):
            raise Wrong("LX116")
        if abs(step) > 1 and not _meet(loops.values(), step):
            raise Wrong("LX116")
        known = [loop for loop in loops.values() if loop.start is not None]
        common = (min if step > 0 else max)(known, key=_start, default=first)
        start, base = common.start, common.base
        for k, loop in loops.items():
            if loop.start is not None and start is not None:
                shift[k] = (loop.start - start) // step
    at = {}
    for k, loop in loops.items():
        at |= {one: loop.at[one] + shift[k] for one in parts[k].instances}
    level = Loop(
        first.name,
        at,
        [],
        min(loop.low + shift[k] for k, loop in loops.items()),
        max(loop.high + shift[k] for k, loop in loops.items()),
        all(loop.fixed for loop in loops.values()),
        all(loop.literal for loop in loops.values()),
        frozenset().union(*(loop.origin for loop in loops.values())),
        start,
        base,
        step,
        padded=first.padded,
        unrolled=first.unrolled,
        unit=all(loop.unit for loop in loops.values()),
        lacking=len(loops) < len(parts) or any(x.lacking for x in loops.values()),
        skewed=any(loop.skewed for loop in loops.values()),
        unfused=frozenset().union(*(loop.unfused for loop in loops.values())),
    )
    if any(loop.padded != first.padded for loop in loops.values()):
        level.padded = None
    if len(loops) < len(parts):
        lacking = [one for k, p in enumerate(parts) if k not in loops for one in p.rest]
        called = {x.name: min(tags(parts[k].rest)) for k, x in loops.items()}
        places.put(level, called, tags(lacking))
    return level


def _start(loop: Loop) -> int:
    assert loop.start is not None
    return loop.start


def _meet(loops: Iterable[Loop], step: int) -> bool:
    """Whether starts are a literal multiple of the step apart.

    Of starts over loops the pages say only that those of one value meet.
    """
    first, *others = (loop.base for loop in loops)
    for other in others:
        if set(re.findall(r"[a-z]+", f"{first} {other}")) - {"n", "m"}:
            raise Undefined
        distances = {
            eval(f"{other} - ({first})", {"n": n, "m": m})
            for n, m in ((5, 3), (101, 57), (48, 1003))
        }
        if len(distances) > 1 or distances.pop() % step:
            return False
    return True


def _name(loops: Sequence[Loop], names: Sequence[str], taken: frozenset[str]) -> None:
    """The fused loops keep the names they have as far as these differ."""
    used: set[str] = set()
    for at, loop in enumerate(loops):
        avoid = used | taken if loop.fusing else used
        loop.name = names[at] if names else _free(loop.name, frozenset(avoid))
        used.add(loop.name)


def _free(name: str, taken: frozenset[str]) -> str:
    """The name, with the first number behind it that makes it free."""
    number = 2
    while name in taken:
        name = f"{name.rstrip('0123456789')}{number}"
        number += 1
    return name


def clear(nodes: list[Node], tops: Sequence[Node], source: Source) -> None:
    """Move plain statements between nests before all of them, or behind all of them.

    Raises LX206 for one that shares data with nests on both sides.
    """
    uses = source.uses
    places = [nodes.index(top) for top in tops]
    first, last = min(places), max(places)
    between = nodes[first : last + 1]
    loops: list[Node] = [node for node in between if isinstance(node, Loop)]
    known = frozenset().union(*(_touched(loop, uses) for loop in loops))
    hoisted: list[Node] = []
    sunk: list[Node] = []
    for place, node in enumerate(between):
        if isinstance(node, Loop):
            continue
        if uses[node][1] - source.scalars - known:
            # It may be the same array as one that is written.
            raise Undefined
        earlier = [other for other in between[:place] if other in (*loops, *sunk)]
        later = [other for other in between[place:] if other in loops]
        if not any(_shared(node, other, uses) for other in earlier):
            hoisted.append(node)
        elif not any(_shared(node, other, uses) for other in later):
            sunk.append(node)
        else:
            raise Wrong("LX206")
    own = frozenset().union(*(loop.origin for loop in walk(loops)))
    outside = [*nodes[:first], *nodes[last + 1 :]]
    if (hoisted or sunk) and any(loop.origin & own for loop in walk(outside)):
        # The pages do not say on which side of the rest of a distributed nest.
        raise Undefined
    nodes[first : last + 1] = [*hoisted, *loops, *sunk]


def _place(nodes: list[Node], tops: Sequence[Node], fused: Node, uses: Uses) -> None:
    """What stands between the nests goes before them, unless it shares data: behind."""
    first, last = nodes.index(tops[0]), nodes.index(tops[-1])
    before: list[Node] = []
    after: list[Node] = []
    held: list[Node] = [tops[0]]
    for node in nodes[first + 1 : last]:
        if node in tops:
            held.append(node)
        elif any(_shared(node, other, uses) for other in (*held, *after)):
            after.append(node)
        else:
            before.append(node)
    nodes[first : last + 1] = [*before, fused, *after]


def _touched(node: Node, uses: Uses) -> frozenset[str]:
    return frozenset().union(*(uses[tag][1] for tag in tags([node])))


def _shared(one: Node, two: Node, uses: Uses) -> bool:
    """Whether one of two nodes writes what the other uses."""
    return any(
        uses[first][0] & uses[second][1] or uses[second][0] & uses[first][1]
        for first in tags([one])
        for second in tags([two])
    )
