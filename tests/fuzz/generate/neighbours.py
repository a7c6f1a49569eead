"""Vectors of cells that lie beside each other, or are read by several statements.

Other programs seldom have both, with loops long enough for several vectors; nor do they
have statements that each lane runs or not as its own numbers say.
"""

from __future__ import annotations

from dataclasses import replace

from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Assign, For, Function, If, Node, Program
from fuzz.programs.terms import ONE, ZERO, Cell, Expr, Name, Num, Op, add

ARRAYS = ("x", "y", "z")
BRANCHES = 35
"""How many of a hundred loops have conditions on numbers around statements."""

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
    branches = Dice(f"neighbours branches {seed}")
    if branches.chance(BRANCHES):
        body = _chosen(body, targets[0], branches)
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


def _chosen(body: list[Node], target: str, dice: Dice) -> list[Node]:
    """Statements under conditions, with a number that these choose between them.

    Args:
        body: the statements. target: an array that is written. dice: what chooses.
    """
    here = Cell(target, (Name("i"),))
    held, other = Name("s"), Cell(dice.pick(*ARRAYS), (Name("i"),))
    change = Assign(held, dice.pick("=", "+=", "-="), dice.pick(ONE, Num(5), other))
    inner: list[Node] = [*body, change]
    if dice.chance(60):
        inner = [dice.pick(*body), If(_condition(dice), (*inner,))]
    orelse = (Assign(here, dice.pick("=", "+="), held),) if dice.chance(50) else ()
    first, last = Assign(held, "=", here), Assign(here, "=", held)
    choice = If(_condition(dice), (*inner,), orelse)
    return [first, choice, *((last,) if dice.chance(60) else ())]


def _condition(dice: Dice) -> Expr:
    """A condition on the numbers of an iteration."""
    one, two = (Cell(dice.pick(*ARRAYS), (Name("i"),)) for _ in range(2))
    found: Expr = Op(dice.pick("<", ">", "<=", "!="), one, dice.pick(ZERO, ONE, two))
    if dice.chance(20):
        found = Op(dice.pick("and", "or"), found, Op(">", two, ZERO))
    return found
