"""The direct dependences between runs, and those that a schedule breaks.

A dependence is direct when nothing between its two runs carries it on: a read depends
on the last write of its cell, a write on the reads since the last write or, when there
are none, on that write. All other dependences follow from these.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import islice

from looptx.model.records import dataclass, field
from looptx.show.order import Order
from looptx.show.runs import Space
from looptx.show.touches import Rules, Touch, touches

KINDS = ("flow", "anti", "output")
"""What comes first when two runs depend on each other in several ways."""

MOST_PAIRS = 200_000
"""How many pairs are looked at where cells are not known."""


@dataclass(frozen=True, slots=True)
class Dependence:
    """Run ``sink`` comes after run ``source`` because of ``touch``'s cell."""

    source: int
    sink: int
    kind: str
    touch: Touch


@dataclass(frozen=True, slots=True)
class Broken:
    """A dependence that a schedule does not keep.

    ``together`` is the dimension whose iterations would run at the same time, by its
    place in the time; None when the order is reversed. ``certain`` is false where the
    two runs only may touch the same cell.
    """

    dependence: Dependence
    together: int | None = None
    certain: bool = True


@dataclass(slots=True)
class _History:
    """What has happened to a cell: the last writes, and what came since and before.

    ``writers`` are several only when all are updates by ``update``, in free order; then
    each of them follows all of ``earlier``.
    """

    writers: list[int] = field(default_factory=list)
    readers: list[int] = field(default_factory=list)
    update: str = ""
    earlier: list[tuple[int, str]] = field(default_factory=list)


def direct(space: Space, rules: Rules) -> list[Dependence]:
    """The direct dependences, one for each pair of runs, in the order of the sinks."""
    histories: dict[Hashable, _History] = {}
    found: dict[tuple[int, int], Dependence] = {}
    for number, run in enumerate(space.runs):
        ways: dict[Hashable, list[Touch]] = {}
        for touch in touches(space, run, rules):
            if touch.known:
                key = touch.array, touch.life, touch.cell
                ways.setdefault(key, []).append(touch)
        for cell, own in ways.items():
            history = histories.setdefault(cell, _History())
            for source, kind in _follow(history, number, own):
                if source == number:
                    continue
                pair = source, number
                known = found.get(pair)
                if known is None or KINDS.index(kind) < KINDS.index(known.kind):
                    found[pair] = Dependence(source, number, kind, own[0])
    return list(found.values())


def _follow(
    history: _History, run: int, own: Sequence[Touch]
) -> Iterator[tuple[int, str]]:
    """The runs that a run depends on through a cell; updates the cell's history."""
    updates = {touch.update for touch in own}
    update = updates.pop() if len(updates) == 1 else ""
    if update and update == history.update and not history.readers:
        yield from history.earlier
        history.writers.append(run)
        return
    before = [(writer, "flow") for writer in history.writers]
    if any(not touch.write for touch in own):
        yield from before
        history.readers.append(run)
    if any(touch.write for touch in own):
        others = [reader for reader in history.readers if reader != run]
        yield from ((reader, "anti") for reader in others)
        if not history.readers:
            yield from ((writer, "output") for writer in history.writers)
        history.earlier = [*before, *((reader, "anti") for reader in others)]
        history.writers, history.readers, history.update = [run], [], update


def broken(order: Order, space: Space, found: Sequence[Dependence]) -> list[Broken]:
    """The dependences that an order does not keep, the most telling first.

    Args:
        order: the order of the runs.
        space: the runs.
        found: their direct dependences.

    Returns:
        The broken ones.
    """
    result = []
    for dependence in found:
        fault = _fault(order, space, dependence)
        if fault is not None:
            result.append(fault)
    return sorted(result, key=lambda each: KINDS.index(each.dependence.kind))


def _fault(order: Order, space: Space, dependence: Dependence) -> Broken | None:
    first, second = order.times[dependence.source], order.times[dependence.sink]
    if first >= second:
        return Broken(dependence)
    ours, theirs = (
        order.together[space.runs[number].statement]
        for number in (dependence.source, dependence.sink)
    )
    for at, (mine, other) in enumerate(zip(first, second, strict=False)):
        if mine != other:
            return Broken(dependence, at) if at in ours & theirs else None
    return None


def possible(order: Order, space: Space, rules: Rules) -> Broken | None:
    """A pair of runs that may touch the same cell and would change its order.

    Args:
        order: the order of the runs.
        space: the runs.
        rules: what need not keep its order.

    Returns:
        The first such pair, None when there is none.
    """
    vague = {name for pair in space.nest.aliases for name in pair}
    every = [touches(space, run, rules) for run in space.runs]
    vague |= {touch.array for own in every for touch in own if not touch.known}
    suspects = [
        number
        for number, own in enumerate(every)
        if any(touch.array in vague for touch in own)
    ]
    pairs = ((i, j) for at, j in enumerate(suspects) for i in suspects[:at])
    for source, sink in islice(pairs, MOST_PAIRS):
        for mine in every[source]:
            for other in every[sink]:
                if _may_meet(space, mine, other):
                    kind = "anti" if not mine.write else "flow"
                    kind = "output" if mine.write and other.write else kind
                    dependence = Dependence(source, sink, kind, mine)
                    fault = _fault(order, space, dependence)
                    if fault is not None:
                        return Broken(dependence, fault.together, certain=False)
    return None


def _may_meet(space: Space, mine: Touch, other: Touch) -> bool:
    if not (mine.write or other.write):
        return False
    if frozenset((mine.array, other.array)) in space.nest.aliases:
        return True
    if mine.array != other.array:
        return False
    return mine.life == other.life and all(
        a is None or b is None or a == b
        for a, b in zip(mine.cell, other.cell, strict=False)
    )
