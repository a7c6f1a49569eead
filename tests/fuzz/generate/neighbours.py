"""Vectors of cells that lie beside each other, or are read by several statements.

Other programs seldom have both, with loops long enough for several vectors.
"""

from __future__ import annotations

from dataclasses import replace

from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Assign, For, Function, Node, Program
from fuzz.programs.terms import ONE, ZERO, Cell, Expr, Name, Num, Op, add

ARRAYS = ("x", "y", "z")
KINDS = ("float64", "float64", "float64", "float32", "int64", "int32")


def neighbours(seed: int, schedule: int | None) -> Program:
    """A function with a loop over cells and those around them.

    Args:
        seed: of the function.
        schedule: which of its lists of directives; None for none.
    """
    dice = Dice(f"neighbours {seed}")
    read, *others = ARRAYS if dice.chance(70) else reversed(ARRAYS)
    targets = [dice.pick(*others) for _ in range(dice.pick(1, 1, 2, 2, 3))]
    if len(targets) > 1 and dice.chance(30):
        # Then all read its own cell alone.
        targets[dice.random.randrange(len(targets))] = read
    reach = 0 if read in targets else dice.pick(1, 1, 2, 7, 8)
    body: list[Node] = [_step(one, read, targets, reach, dice) for one in targets]
    start, stop = Num(reach), add(Name("n"), -reach)
    nest = For("i", start, stop, 1, tuple(body))
    if dice.chance(25):
        nest = For("t", ZERO, Name("m"), 1, (nest,))
    if schedule is not None:
        more = Dice(f"neighbours {seed} {schedule}")
        lanes = more.pick("", "", "", " 4", " 2", " 8")
        texts = [f"vectorize i{lanes}"]
        if more.chance(20):
            texts = [f"split i {more.pick(5, 8, 16, 24)}", f"vectorize ii{lanes}"]
        nest = replace(nest, directives=tuple(texts))
    used = Function("f0", (), (nest,)).used()
    kind = dice.pick(*KINDS)
    known = tuple(Array(name, 1, kind) for name in ARRAYS if name in used)
    return Program((Function("f0", known, (nest,)),), tagged=False)


def _step(target: str, read: str, targets: list[str], reach: int, dice: Dice) -> Assign:
    """What becomes of a cell: a sum of others, mostly of one array.

    Args:
        target: its array. read: the array that most others are of.
        targets: the arrays that are written. reach: how far others are away.
        dice: what chooses.
    """
    here: Expr = Name("i")
    value: Expr = Cell(read, (add(here, dice.pick(-reach, 0, reach)),))
    for _ in range(dice.pick(0, 1, 1, 2, 3)):
        at = add(here, dice.random.randint(-reach, reach))
        others = (Cell(name, (here,)) for name in targets)
        other = dice.pick(*[Cell(read, (at,))] * 4, *others, ONE)
        value = Op(dice.pick("+", "-", "*"), value, other)
    return Assign(Cell(target, (here,)), dice.pick("=", "=", "+=", "-="), value)
