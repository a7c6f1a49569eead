"""Loops that mix numbers into one of which only the lowest bits are kept."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

MIXED, KEPT = "X", "Y"
"""Where the numbers are, and what they come to."""

MASKS = (
    "255",
    "4095",
    "0x7FFFFFFF",
    "0xFFFFFFFF",
    "0x7FFFFFFFFFFFFFFF",
    "0xFFFFFFFFFFFFFFFF",
    "2**64 - 1",
    "m",
    "0",
    "-1",
)
POWERS = (
    "16",
    "256",
    "65536",
    "2147483648",
    "4294967296",
    "281474976710656",
    "100",
    "2**64",
)
FACTORS = ("33", "16777619", "0xCC9E2D51", "0x9E3779B97F4A7C15", "25214903917", "-7")


def hashed(function: Function, dice: Dice) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    page.added(Array(MIXED, 1, dice.pick("uint8", "uint8", "int64", "int32", "uint32")))
    page.added(Array(KEPT, 1, dice.pick("int64", "int64", "float64")))
    page.written.add(KEPT)
    return finished(page, function, (*function.body, odd(page, _lines(dice), ())))


def _mixed(dice: Dice, deep: int = 0) -> str:
    """Something large of what was mixed before and a number."""
    leaf = dice.pick("mix", "mix", "num", "mix >> 7", "mix // 3", "g", f"{MIXED}[g]")
    if deep > 2 or dice.chance(15 * deep):
        return leaf
    one, two = _mixed(dice, deep + 1), _mixed(dice, deep + 1)
    return dice.pick(
        f"({one}) * {dice.pick(*FACTORS)}",
        f"({one}) * {dice.pick(*FACTORS)}",
        f"({one}) * ({two})",
        f"({one}) + ({two})",
        f"({one}) - ({two})",
        f"({one}) ^ ({two})",
        f"({one}) | ({two})",
        f"({one}) << {dice.pick('1', '5', '13', '40', '63', '64', 'm')}",
        f"{dice.pick('-', '~')}({one})",
    )


def _lines(dice: Dice) -> list[str]:
    """A loop over numbers that mixes them."""
    rounds = []
    for _ in range(dice.pick(1, 1, 2)):
        large = f"({_mixed(dice)})"
        mask = dice.pick(*MASKS)
        low = dice.pick(
            f"{large} & {mask}", f"{large} & {mask}", f"{mask} & {large}",
            f"{large} % {dice.pick(*POWERS)}",
        )  # fmt: skip
        rounds.append(f"mix {dice.pick('=', '=', '=', '^=')} {low}")
    return [
        f"mix = {dice.pick('5381', '0x811C9DC5', '0', 'n')}",
        "for g in range(n):",
        f"    num = int({MIXED}[g])",
        *indented(rounds),
        f"    {KEPT}[g] {dice.pick('=', '=', '+=')} mix % 1000003",
    ]
