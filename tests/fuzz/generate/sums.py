"""Reductions whose parts may be taken in any order, in threads and lanes.

Other programs have them, too, but seldom where a directive runs them in another order.
"""

from __future__ import annotations

from dataclasses import replace

from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Assign, For, Function, Node, Program
from fuzz.programs.terms import ONE, ZERO, Call, Cell, Expr, Name, Num, Op, add

OPS = (
    "+=", "+=", "+", "-=", "*=", "*=", "<", ">", "np.minimum", "np.maximum",
    "&=", "|=", "^=",
)  # fmt: skip
"""As in ``Assign``, or the function in ``s = np.maximum(s, v)``."""

KIND = "float64"
SIZES = (2, 3, 4, 7)


def reduction(seed: int, schedule: int | None) -> Program:
    """A function that collects into scalars or cells.

    Args:
        seed: of the function.
        schedule: which of its lists of directives; None for none.
    """
    dice = Dice(f"reduction {seed}")
    loops = ("i", "j")[: dice.pick(1, 2, 2)]
    count = dice.pick(1, 1, 1, 2)
    targets = [_target(name, loops, dice) for name in ("s", "t")[:count]]
    body: list[Node] = [_step(target, loops, dice) for target in targets]
    if len(loops) == 2:
        body = [_loop("j", "m", body, dice)]
        if dice.chance(25):
            scalar = isinstance(targets[0], Name)
            body += [Assign(Cell("C", (Name("i"), ONE)), "=", targets[0])] * scalar
        if dice.chance(25):
            body.insert(0, Assign(targets[0], "=", dice.pick(ZERO, ONE)))
    nest = _loop("i", "n", body, dice)
    if schedule is not None:
        known = dict.fromkeys(
            one.array if isinstance(one, Cell) else one.name for one in targets
        )
        more = _directives(list(loops), Dice(f"reduction {seed} {schedule}"))
        above = *(f"reassociate {name}" for name in known), *more
        nest = replace(nest, directives=above)
    scalars = tuple(one.name for one in targets if isinstance(one, Name))
    starts = tuple((name, dice.pick(0, 1, 3)) for name in scalars)
    returns = scalars if dice.chance(90) else ()
    made = Function("f0", (), (nest,), starts=starts, returns=returns)
    ranks = {"x": 1, "y": 1, "z": 1, "B": 2, "C": 2}
    used = made.used() | {"y"}
    arrays = [Array(name, rank, KIND) for name, rank in ranks.items() if name in used]
    return Program((replace(made, arrays=tuple(arrays)),), tagged=False)


def _loop(var: str, size: str, body: list[Node], dice: Dice) -> For:
    stop: Expr = Name(size)
    start, stop, step = dice.pick(
        *[(ZERO, stop, 1)] * 4,
        (ONE, stop, 1),
        (ZERO, add(stop, -1), 1),
        (ZERO, stop, 2),
        (add(stop, -1), Num(-1), -1),
    )
    return For(var, start, stop, step, tuple(body))


def _target(name: str, loops: tuple[str, ...], dice: Dice) -> Cell | Name:
    """What is collected into: a scalar, or a cell that some loops leave alone."""
    if dice.chance(60):
        return Name(name)
    array = {"s": "x", "t": "z"}[name]
    places: list[Expr] = [ZERO, *map(Name, loops)]
    return Cell(array, (dice.pick(*places),))


def _step(target: Cell | Name, loops: tuple[str, ...], dice: Dice) -> Assign:
    at: tuple[Expr, ...] = tuple(map(Name, loops))
    value: Expr = Cell("B", at) if len(at) == 2 else Cell("y", at)
    if dice.chance(30):
        other = Cell("y", (dice.pick(*at),))
        value = Op(dice.pick("+", "*", "-"), value, other)
    elif dice.chance(10):
        value = dice.pick(Call("abs", (value,)), Op("*", value, Num(2)), *at)
    op = dice.pick(*OPS)
    if op.startswith("np."):
        return Assign(target, "=", Call(op, (target, value)))
    return Assign(target, op, value)


def _directives(loops: list[str], dice: Dice) -> list[str]:
    """Threads and lanes, at times of parts of loops or in another order."""
    found: list[str] = []
    if dice.chance(30):
        loop = dice.pick(*loops)
        found.append(f"split {loop} {dice.pick(*SIZES)}")
        loops.insert(loops.index(loop) + 1, 2 * loop)
    if len(loops) > 1 and dice.chance(30):
        at = dice.random.randrange(len(loops) - 1)
        loops[at : at + 2] = loops[at + 1], loops[at]
        found.append(f"reorder {loops[at]} {loops[at + 1]}")
    if dice.chance(65):
        more = dice.pick(
            "", "", "", " threads=3", " schedule=dynamic", " chunk=2", " least=2"
        )
        found.append(f"parallel {loops.pop(dice.pick(0, 0, 0, -1))}{more}")
    if loops and (not found or dice.chance(50)):
        found.append(f"vectorize {loops.pop()}{dice.pick('', ' 4', ' 8', ' 3')}")
    if loops and dice.chance(15):
        found.append(f"unroll {loops.pop()} {dice.pick(*SIZES)}")
    return found
