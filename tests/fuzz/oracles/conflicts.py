"""Which executions conflict, and whether an order or a loop respects it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fuzz.oracles.enumeration import Access, Instance, Place
from fuzz.oracles.orders import Around

READ, WRITE = "read", "write"

Chain = list[tuple[str, list[Instance]]]
"""What is done to a cell: kinds of access and executions, in groups without order."""


@dataclass(frozen=True)
class Freedom:
    """What need not keep its order.

    Attributes:
        reduced: statements, by number, and targets of theirs whose reductions may be
            combined in any order.
        private: scalars and local arrays of which only the values matter: reads stay
            behind the write that they see, and that is all.
        own: statements, by number, what they touch, and in how many outer loops each
            iteration has cells of its own.
    """

    reduced: frozenset[tuple[int, str]] = frozenset()
    private: frozenset[str] = frozenset()
    own: frozenset[tuple[int, str, int]] = frozenset()


def chains(found: Mapping[Instance, Access], freedom: Freedom) -> dict[Place, Chain]:
    """What is done to every cell."""
    result: dict[Place, Chain] = {}

    def touch(place: Place, kind: str, one: Instance) -> None:
        chain = result.setdefault(place, [])
        if chain and chain[-1][0] == kind != WRITE:
            chain[-1][1].append(one)
        else:
            chain.append((kind, [one]))

    for one, access in _apart(found, freedom):
        own = access.write
        for place in dict.fromkeys(access.reads):
            touch(place, READ, one)
        if access.op and own not in access.reads:
            if (one[0], own[0]) in freedom.reduced:
                touch(own, f"combine {access.op}", one)
                continue
            touch(own, READ, one)
        touch(own, WRITE, one)
    return result


def _apart(
    found: Mapping[Instance, Access], freedom: Freedom
) -> Iterable[tuple[Instance, Access]]:
    """The executions, with cells of their own for what has them."""
    depths = {(number, name): depth for number, name, depth in freedom.own}
    if not depths:
        return found.items()

    def moved(one: Instance, place: Place) -> Place:
        name, at = place
        return name, (*one[1][: depths.get((one[0], name), 0)], *at)

    return [
        (
            one,
            Access(
                [moved(one, place) for place in access.reads],
                moved(one, access.write),
                access.op,
            ),
        )
        for one, access in found.items()
    ]


def ordered(
    cells: Mapping[Place, Chain], freedom: Freedom
) -> list[tuple[Place, list[Instance], list[Instance]]]:
    """The groups of executions of which one must come before the other."""
    return [
        (place, before, after)
        for place, chain in cells.items()
        for (kind, before), (then, after) in pairwise(chain)
        if place[0] not in freedom.private or (kind != READ and then == READ)
    ]


def meeting(
    cells: Mapping[Place, Chain],
    freedom: Freedom,
    around: Mapping[Instance, Around],
    loop: str,
    *,
    pieces: bool,
) -> str | None:
    """Where different iterations of a loop conflict; ``""`` if they never do.

    Args:
        cells: what is done to every cell.
        freedom: what does not count.
        around: the loops around every execution.
        loop: the name of the loop.
        pieces: whether runs of loops of that name, or of one with a number behind it,
            under the same outer iteration are pieces of one; what stands outside of
            all then makes the answer None.
    """
    unknown = False
    for place, chain in cells.items():
        if all(kind == READ for kind, _ in chain):
            continue
        for events in _together(place, chain, freedom):
            groups: dict[object, list[tuple[str, int]]] = {}
            for kind, one in events:
                at = _iteration(around.get(one, ()), loop, pieces)
                if at is None:
                    unknown = unknown or len(events) > 1
                else:
                    groups.setdefault(at[0], []).append((kind, at[1]))
            if any(map(_conflicting, groups.values())):
                return f"iterations of {loop} conflict at {place}"
    return None if unknown and pieces else ""


def _together(
    place: Place, chain: Chain, freedom: Freedom
) -> Iterator[list[tuple[str, Instance]]]:
    """What must not be done to a cell by different iterations.

    Of what is private these are only a write and the reads that see it.
    """
    if place[0] not in freedom.private:
        yield [(kind, one) for kind, ones in chain for one in ones]
        return
    for (kind, before), (then, after) in pairwise(chain):
        if kind != READ and then == READ:
            yield [(WRITE, before[-1]), *((READ, one) for one in after)]


def _conflicting(uses: Sequence[tuple[str, int]]) -> bool:
    """Whether accesses of one cell, each with its iteration, conflict."""
    kinds = {kind for kind, _ in uses}
    combined = len(kinds) == 1 and min(kinds).startswith("combine")
    several = len({iteration for _, iteration in uses}) > 1
    return several and kinds != {READ} and not combined


def _iteration(around: Around, loop: str, pieces: bool) -> tuple[object, int] | None:
    """The run of a loop that an execution belongs to, and the iteration."""
    for depth, (name, run, value) in enumerate(around):
        if (name.rstrip("_0123456789") if pieces else name) == loop:
            outer = tuple((x, number) for x, _, number in around[:depth])
            return (outer if pieces else run), value
    return None


def kept(
    pairs: Iterable[tuple[Place, list[Instance], list[Instance]]], order: list[Instance]
) -> str:
    """The first pair that an order turns round, or ``""``."""
    rank = {one: at for at, one in enumerate(order)}
    for place, before, after in pairs:
        if max(rank[x] for x in before) > min(rank[x] for x in after):
            return f"executions {before} must come before {after} for {place}"
    return ""
