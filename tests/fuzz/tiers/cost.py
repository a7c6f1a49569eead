"""The tier that looks for programs that take long: ``python -m fuzz.run --tier cost``.

Deep nests with strides and bounds over outer loops, many directives, loops that are
split and collapsed again: looptx may say that it does not know, but soon.
"""

from __future__ import annotations

import gc
import time

from fuzz.generate.bodies import Bodies, Bounds, Loops
from fuzz.generate.program import finished
from fuzz.generate.schedules import scheduled
from fuzz.programs.dice import Dice
from fuzz.programs.model import Function, Program
from fuzz.programs.shrink import shrunk
from fuzz.programs.terms import ZERO, Call, Expr, Name, Num, Op, add
from fuzz.text.judge import Hang, alarm
from fuzz.tiers.case import transformed
from fuzz.tiers.tally import Failure, Tally

SECONDS = 5.0
"""So much processor time no program may take."""

REPEATS = 2
"""So many times more is a case run that took too long: its fastest run counts."""

PATIENCE = 20.0
"""Seconds of processor time after which a case is stopped."""

NOTED = (0.5, 1.0, 2.0)
"""How many cases take longer than this is worth counting."""


class Deep(Bodies):
    """Draws loops with strides, and with bounds over all that is around them."""

    def fresh_bounds(self, loops: Loops) -> Bounds:
        dice = self.dice
        size: Expr = Name(dice.pick("n", "n", "m"))
        half, other = Op("//", size, Num(2)), Name(dice.pick("n", "m"))
        if dice.chance(35):
            return super().fresh_bounds(loops)
        if not loops or dice.chance(30):
            return dice.pick(
                (ZERO, size, dice.pick(1, 2, 3)),
                (add(half, -1), ZERO, -2),
                (add(size, -1), Num(-1), dice.pick(-1, -2, -3)),
                (ZERO, half, 1),
            )
        outer = Name(dice.pick(*loops))
        return dice.pick(
            (ZERO, Op("//", Op("+", outer, size), Num(2)), 1),
            (outer, Call("min", (other, add(outer, 3))), dice.pick(1, 2)),
            (Op("//", outer, Num(2)), Op("-", size, outer), 1),
            (add(size, -1), outer, dice.pick(-1, -2)),
            (
                Call("max", (ZERO, add(outer, -2))),
                Call("min", (size, add(outer, 3))),
                1,
            ),
            (Op("%", outer, Num(3)), size, 2),
        )


def program(seed: int) -> Program:
    """The program of a number."""
    dice = Dice(f"cost {seed}")
    writer = Deep(dice)
    writer.style = dice.pick("stencil", "wild", "wild")
    writer.scalars = {"s"} if dice.chance(30) else set()
    count = dice.pick(1, 1, 1, 2, 3)
    depth = dice.pick(2, 3, 3, 3, 4) if count == 1 else dice.pick(1, 2, 2, 3)
    body = tuple(writer.loop((), depth) for _ in range(count))
    starts = tuple((one, 0) for one in sorted(writer.started))
    made = Function("f0", (), body, starts=starts, annotated=dice.chance(35))
    function = scheduled(finished(made, writer, dice), dice, (2, 3, 4, 5))
    return Program((function,), tagged=False)


def seconds(made: Program, repeats: int = REPEATS) -> tuple[float, str]:
    """The processor time that a program takes, and the code of its error.

    Of several runs the least counts, where it takes long.
    """
    text, least, code = made.text(), float("inf"), ""
    for _ in range(1 + repeats):
        start = time.process_time()
        try:
            with alarm(PATIENCE):
                code = transformed(text).code
        except Hang:
            return PATIENCE, ""
        least = min(least, time.process_time() - start)
        if least < SECONDS:
            break
    return least, code


def part(work: tuple[int, int], as_found: bool = False) -> Tally:
    """Some cases in a row: the first and their number."""
    first, count = work
    tally = Tally()
    for seed in range(first, first + count):
        gc.collect()
        made = program(seed)
        spent, code = seconds(made)
        tally.case(code)
        for limit in NOTED:
            tally.notes[f"over {limit} s"] += spent > limit
        if spent < SECONDS:
            continue
        if not as_found:
            made = shrunk(
                made, lambda less: seconds(less, 0)[0] > SECONDS, 10 * SECONDS
            )
        command = f"python -m fuzz.run --tier cost --seed {seed} --cases 1"
        detail = f"{spent:.1f} s of processor time"
        failure = Failure(seed, "takes too long", detail, made.text(), command)
        tally.failures.append(failure)
    return tally
