"""Loops over time: parallel loops at each step, and statements between these.

Each loop writes one array and reads cells of the others that other threads may have
written. Other programs seldom have several parallel loops in one that runs in order, or
beside each other in a nest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Assign, For, Function, If, Node, Program
from fuzz.programs.terms import ONE, ZERO, Cell, Expr, Name, Num, Op, add

ARRAYS = ("x", "y", "z")
PICKED = "u"
"""What one iteration of a loop sets."""


def overtime(seed: int, schedule: int | None) -> Program:
    """A function with a loop over time.

    Args:
        seed: of the function.
        schedule: which of its lists of directives; None for none.
    """
    dice = Dice(f"over time {seed}")
    if dice.chance(50):
        return _beside(dice, seed, schedule)
    arrays = ARRAYS[: dice.pick(2, 2, 3)]
    body: list[Node] = []
    for at in range(dice.pick(1, 2, 2, 3)):
        if dice.chance(50):
            body += _between(arrays, dice)
        body.append(_loop(arrays[at % len(arrays)], arrays, dice))
    if dice.chance(30):
        body += _between(arrays, dice)
    nest = For("t", ZERO, Name("m"), 1, _picking(body, seed))
    if schedule is not None:
        more = Dice(f"over time {seed} {schedule}")
        nest = replace(nest, directives=(*_directives(body, more),))
    returns = ("s",) if dice.chance(50) else ()
    made = Function("f0", (), (nest,), starts=(("s", 2),), returns=returns)
    made = _returning(made)
    used = made.used()
    known = tuple(Array(name, 1, "float64") for name in ARRAYS if name in used)
    return Program((replace(made, arrays=known),), tagged=False)


def _beside(dice: Dice, seed: int, schedule: int | None) -> Program:
    """A function with parallel loops beside each other, which are one nest.

    Args:
        dice: for the function. seed, schedule: as of ``overtime``.
    """
    count = dice.pick(2, 2, 3, 4)
    loops = [_loop(ARRAYS[at % 3], ARRAYS, dice) for at in range(count)]
    body = tuple(replace(one, start=ZERO, stop=Name("n"), step=1) for one in loops)
    if dice.chance(40):
        at = dice.pick(*range(count))
        ends = dice.pick((ONE, Name("n")), (ZERO, add(Name("n"), -1)))
        odd = replace(body[at], start=ends[0], stop=ends[1])
        body = (*body[:at], odd, *body[at + 1 :])
    found: list[str] = []
    if schedule is not None:
        more = Dice(f"over time {seed} {schedule}")
        names = " ".join(f"n{at}" for at in range(count))
        found = [f"fuse {names} partial=1 as i f", "reorder f i"]
        found += _directives(list(body), more)
    body = _picking(body, seed)
    made = Function("f0", (), body, starts=(("s", 2), ("t", 3)), directives=(*found,))
    made = _returning(made)
    used = made.used()
    known = tuple(Array(name, 1, "float64") for name in ARRAYS if name in used)
    return Program((replace(made, arrays=known),), tagged=False)


def _loop(target: str, arrays: tuple[str, ...], dice: Dice) -> For:
    """A loop of which no iteration disturbs another one."""
    here = Cell(target, (Name("i"),))
    others = [name for name in arrays if name != target]
    value: Expr = Op("*", _cell(dice.pick(*others), dice), Num(2))
    for _ in range(dice.pick(0, 1, 1, 2)):
        other = dice.pick(_cell(dice.pick(*others), dice), here, Name("s"), Name("t"))
        value = Op(dice.pick("+", "-"), value, other)
    stop = add(Name("n"), dice.pick(0, 0, -1))
    start = dice.pick(ZERO, ZERO, ONE)
    step = dice.pick(1, 1, 1, 1, 2)
    if dice.chance(20):
        start, stop, step = add(stop, -1), add(start, -1), -1
    return For("i", start, stop, step, (Assign(here, dice.pick("=", "+="), value),))


def _picking(body: Sequence[Node], seed: int) -> tuple[Node, ...]:
    """Loops of which some set a variable in one of their iterations."""
    found: list[Node] = []
    for at, node in enumerate(body):
        dice, here = Dice(f"over time {seed} picking {at}"), Name("i")
        if isinstance(node, For) and dice.chance(35):
            place = dice.pick(here, Op("*", Num(3), here))
            test = Op("==", place, dice.pick(Name("m"), Num(2), add(Name("n"), -1)))
            value: Expr = Cell(dice.pick(*ARRAYS[:2]), (here,))
            if Dice(f"over time {seed} picking integers {at}").chance(50):
                value = Op("*", here, Num(2))
            step = Assign(Name(PICKED), dice.pick("=", "+=", "+"), value)
            node = replace(node, body=(*node.body, If(test, (step,))))
        found.append(node)
    return (*found,)


def _returning(made: Function) -> Function:
    """A function with the variable that loops set, if one does."""
    if PICKED not in made.used():
        return made
    starts, returns = (*made.starts, (PICKED, 3)), (*made.returns, PICKED)
    return replace(made, starts=starts, returns=returns)


def _cell(array: str, dice: Dice) -> Cell:
    """A cell of an array that some other iteration has written."""
    back = Op("-", add(Name("n"), -1), Name("i"))
    return Cell(array, (dice.pick(Name("i"), back, back),))


def _between(arrays: tuple[str, ...], dice: Dice) -> list[Node]:
    """Statements that run in order: of a variable, of a cell."""
    cell = Cell(dice.pick(*arrays), (dice.pick(ZERO, add(Name("n"), -1)),))
    set_: Node = Assign(Name("s"), dice.pick("=", "+="), cell)
    put: Node = Assign(cell, "=", Op("+", cell, dice.pick(Name("s"), Name("t"))))
    return dice.pick([set_], [put], [set_, put], [put, set_])


def _directives(body: list[Node], dice: Dice) -> list[str]:
    """Most of the loops are parallel, some in blocks; all with the same options."""
    loops, found = sum(isinstance(node, For) for node in body), list[str]()
    more = dice.pick(*[""] * 8, " threads=3", " schedule=dynamic")
    # From the last one on, so that the numbers of the others stay.
    for at in range(loops, 0, -1):
        name = f"i#{at}" if loops > 1 else "i"
        if dice.chance(15):
            found.append(f"split {name} {dice.pick(2, 3)} as b{at} c{at}")
            name = f"b{at}"
            loops -= 1
        if dice.chance(90):
            found.append(f"parallel {name}{more}")
    return found
