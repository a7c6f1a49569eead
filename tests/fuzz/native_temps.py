"""Functions that keep something in an array of their own, which ``temp`` makes smaller.

Its cells begin with a number and are changed, written and read, all inside of it: other
programs seldom stay there.
"""

from __future__ import annotations

from fuzz.dice import Dice
from fuzz.model import Array, Assign, For, Function, Local, Program
from fuzz.terms import ONE, ZERO, Cell, Expr, Name, Num, Op, add

KIND = "float64"


def temporary(seed: int, schedule: int | None) -> Program:
    """A function with an array of its own.

    Args:
        seed: of the function.
        schedule: which of its lists of directives; None for none.
    """
    dice = Dice(f"temporary {seed}")
    inner = Name("j"), Name("m")
    loops = (Name("i"), Name("n")), inner
    axes = dice.pick(loops, (inner,), (inner,), loops[::-1])
    room = dice.pick(0, 0, 1, 2)
    local = Local(
        "T",
        tuple(add(size, room) for _, size in axes),
        dice.pick("zeros", "zeros", "ones", "full", "empty"),
        dice.pick("", "", "float32", "int64"),
    )
    cells = [Cell("T", tuple(loop for loop, _ in axes))]
    if room:
        cells.append(Cell("T", tuple(add(loop, 1) for loop, _ in axes)))
    read: Expr = Cell("A", (Name("i"), Name("j")))
    change = Assign(
        dice.pick(*cells),
        dice.pick("+=", "+=", "-=", "*=", ">", "=", "="),
        dice.pick(read, Op("+", read, Name("i")), Op("*", read, Num(2))),
    )
    value: Expr = dice.pick(*cells)
    use = Assign(
        dice.pick(Cell("B", (Name("i"), Name("j"))), Cell("x", (Name("i"),))),
        dice.pick("=", "+="),
        dice.pick(value, Op("+", value, read)),
    )
    bodies = (change, use), (use, change)
    if dice.chance(40):
        parts = [
            For("j", start, Name("m"), 1, (one,))
            for one, start in zip(
                dice.pick(*bodies), dice.pick((ZERO, ZERO), (ZERO, ONE)), strict=True
            )
        ]
    else:
        parts = [For("j", dice.pick(ZERO, ZERO, ONE), Name("m"), 1, dice.pick(*bodies))]
    above = (
        ()
        if schedule is None
        else _directives(len(parts), Dice(f"temporary {seed} {schedule}"))
    )
    nest = For("i", dice.pick(ZERO, ZERO, ONE), Name("n"), 1, tuple(parts), above)
    made = Function("f0", (), (nest,), (local,))
    used = made.used()
    arrays = [
        Array(name, rank, KIND)
        for name, rank in (("A", 2), ("B", 2), ("x", 1))
        if name in used
    ]
    return Program((Function("f0", tuple(arrays), (nest,), (local,)),), tagged=False)


def _directives(loops: int, dice: Dice) -> tuple[str, ...]:
    """Mostly ``temp``, with something that changes how long a cell is needed."""
    found = ["temp T"] if dice.chance(90) else []
    size = dice.pick(1, 2, 3, 4)
    found += dice.pick(
        ["split i {size}"],
        ["parallel i"],
        ["unroll i {size}"],
        ["split i {size}", "parallel i"],
        *[
            ["reorder j i"],
            ["tile i={size} j={size}"],
            ["split j {size}", "vectorize jj"],
        ]
        * (loops == 1),
    )
    return tuple(one.format(size=size) for one in found)
