"""Loops that draw random numbers of NumPy."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

MADE, COUNTED = "Da", "Db"
"""What numbers are stored into."""


def diced(function: Function, dice: Dice, own: str) -> Function:
    """A function with such loops behind its own.

    Args:
        function: what it was. dice: the choices.
        own: the name of a function that draws, of an array, a place in it and a number.
    """
    page = Page(dice, list(function.arrays))
    page.added(Array(MADE, 1, dice.pick("float64", "float64", "float32")))
    page.added(Array(COUNTED, 1, dice.pick("int64", "int32", "float64")))
    page.written |= {MADE, COUNTED}
    seed = dice.pick("3", "n", "len(Da) + 7")
    lines = [f"np.random.seed({seed})", *_loop(dice)]
    if dice.chance(40):
        lines += _loop(dice)
    at_once = Dice(f"{own} {seed} {lines}")
    if at_once.chance(40):
        lines += _several(at_once)
    lines.append(f"{MADE}[:1] = {_number(dice, 'n')}")
    lines = _by_own(lines, own)
    return finished(page, function, (*function.body, odd(page, lines, ())))


def _by_own(lines: list[str], own: str) -> list[str]:
    """Statements that let another function draw some of the numbers.

    Args:
        lines: the statements. own: the name of that function.
    """
    dice = Dice(f"{own} {lines}")
    kinds = ("np.random.randn()", "np.random.random()", "np.random.normal()")
    places = ("g", "g % len(Da)", "0")
    found = []
    for line in lines:
        if line.startswith(" ") and dice.chance(50):
            kind = dice.pick(*kinds)
            line = line.replace(kind, f"{own}({MADE}, {dice.pick(*places)})", 1)
        found.append(line)
    return found


def _number(dice: Dice, at: str) -> str:
    """A call that draws a number.

    Args:
        dice: the choices. at: a variable.
    """
    low, high = dice.pick("0", "-1.5", f"-{at}"), dice.pick("1", f"{at} + 0.5", "2.5")
    return dice.pick(
        "np.random.random()", "np.random.rand()", "np.random.random_sample()",
        f"np.random.uniform({low}, {high})", "np.random.uniform()",
        f"np.random.uniform({low})", "np.random.randn()", "np.random.normal()",
        f"np.random.normal({low}, {high})", "np.random.standard_normal()",
    )  # fmt: skip


def _integer(dice: Dice, at: str) -> str:
    """A call that draws an integer.

    Args:
        dice: the choices. at: a variable.
    """
    return dice.pick(
        "np.random.randint(7)", f"np.random.randint({at} + 1)", "np.random.randint(1)",
        f"np.random.randint(-{at}, 3)", f"np.random.randint({at}, {at} + 300)",
        f"np.random.randint(5 - {at})", "np.random.randint(0, 4294967296)",
    )  # fmt: skip


def _several(dice: Dice) -> list[str]:
    """A loop that draws several numbers at once, or puts some into another order."""
    count = dice.pick("n", "g", "3", f"len({MADE})")
    drawn = dice.pick(
        f"random.rand({count})", f"random.normal(0.5, 2.0, {count})",
        f"random.uniform(-1.0, g, size={count})", f"random.exponential(2.0, {count})",
        f"random.randint(-3, g + 1, {count})", f"random.permutation({count})",
        f"random.choice(n, {count})", f"random.lognormal(size={count})",
    )  # fmt: skip
    lines = [f"drawn = np.{drawn}", f"{MADE}[g] = len(drawn) + np.sum(drawn)"]
    if dice.chance(50):
        whole = dice.pick(f"random.randn(len({MADE}))", f"random.random(len({MADE}))")
        lines = [f"{MADE}[:] {dice.pick('=', '+=')} np.{whole}"]
    if dice.chance(50):
        lines.append(f"np.random.shuffle({dice.pick(MADE, f'{MADE}[1:]', COUNTED)})")
    return ["for g in range(n):", *indented(lines)]


def _loop(dice: Dice) -> list[str]:
    """A loop that draws."""
    lines: list[str] = []
    for _ in range(dice.pick(1, 2, 3)):
        test = dice.pick(
            f"{_number(dice, 'g')} < 0.4", f"{MADE}[g] > {_number(dice, 'g')}",
            f"g % 2 == 0 and {_number(dice, 'g')} > 0", f"{_integer(dice, 'g')} > 1",
        )  # fmt: skip
        one = dice.pick(
            f"{MADE}[g] {dice.pick('=', '+=')} {_number(dice, 'g')}",
            f"{COUNTED}[g] {dice.pick('=', '+=')} {_integer(dice, 'g')} % 100",
            f"{MADE}[g] = {_number(dice, 'g')} * {_number(dice, 'g')}",
        )
        last = dice.pick("", "", "break", "continue", f"{MADE}[g] = {MADE}[g + 1]")
        line = [f"if {test}:", f"    {one}"] if dice.chance(50) else [one]
        lines += [f"if {test}:", f"    {last}"] if last and dice.chance(30) else line
    return ["for g in range(n):", *indented(lines)]
