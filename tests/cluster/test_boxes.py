"""Boxes against sets of cells."""

from __future__ import annotations

import random
from itertools import product

import pytest

from looptx.cluster.work import boxes
from looptx.cluster.work.boxes import Box
from looptx.cluster.work.cells import inside


def cells(some: list[Box]) -> list[tuple[int, ...]]:
    """The cells of boxes, one after the other."""
    return [cell for box in some for cell in product(*(range(*one) for one in box))]


def drawn(dice: random.Random, rank: int, steps: tuple[int, ...]) -> Box:
    """A box of a few cells."""
    found = []
    for _ in range(rank):
        start = dice.randrange(8)
        stop = start + dice.randrange(1, 9)
        found.append(boxes.ranged(start, stop, dice.choice(steps)))
    return tuple(one for one in found if one is not None)


@pytest.mark.parametrize("seed", range(300))
def test_boxes_are_sets(seed: int) -> None:
    dice = random.Random(seed)
    rank, steps = seed % 4, (1, 1, 1, 2, 3) if seed % 3 else (1,)
    one, other, third = (drawn(dice, rank, steps) for _ in range(3))
    own, gone = set(cells([one])), set(cells([other]))
    met = boxes.met(one, other)
    assert set(cells([met] if met is not None else [])) == own & gone
    left = cells(boxes.without(one, other))
    assert len(left) == len(set(left)) and set(left) == own - gone
    several = boxes.apart([one, other, third])
    found = cells(several)
    assert sorted(found) == sorted(own | gone | set(cells([third])))
    assert boxes.volume(several) == len(found)
    hull = set(cells([boxes.hull([one, other])]))
    assert hull >= own | gone
    rest = cells(boxes.minus([one, other], [third]))
    assert set(rest) == (own | gone) - set(cells([third]))


def test_a_range_has_one_form() -> None:
    assert boxes.ranged(3, 10, 3) == (3, 10, 3) == boxes.ranged(9, 2, -3)
    assert boxes.ranged(3, 12, 3) == (3, 10, 3)
    assert boxes.ranged(3, 5, 3) == (3, 4, 1)
    assert boxes.ranged(3, 3) is None is boxes.ranged(0, 5, -1)


def test_boxes_that_follow_each_other_are_one() -> None:
    quarters = [((x, x + 4, 1), (y, y + 3, 1)) for x in (0, 4) for y in (0, 3)]
    assert boxes.joined(quarters) == [((0, 8, 1), (0, 6, 1))]
    assert boxes.apart([((0, 5, 1),), ((3, 9, 1),)]) == [((0, 9, 1),)]


def test_no_cells_and_one() -> None:
    assert boxes.whole((3, 0)) == []
    assert boxes.whole(()) == [()]
    assert boxes.met((), ()) == ()
    assert boxes.without((), ()) == []


def test_a_place_in_what_holds_every_third_cell() -> None:
    box = ((5, 12, 6),)
    (found,) = inside(box, (2,), (3,))
    assert list(range(2, 20, 3))[found] == [5, 11]
