"""Integers that go from round to round, near the ends of a type or around an axis."""

from __future__ import annotations

from fuzz.generate.habits.page import Page
from fuzz.generate.surroundings import Loops


def counted(page: Page, loops: Loops) -> list[str]:
    """A loop of a few rounds over integers, and what it comes to, or some of these."""
    dice = page.dice
    loop = page.fresh(loops)
    begin = dice.pick(
        "0", "1", "-1", "5", page.number(loops), f"int({page.cell(loops)})"
    )
    step = dice.pick(
        f"(bits << 1) | ({loop} & 1)",
        f"(bits * 2 + {loop}) % {dice.pick('7', '256', '65521', '2147483648')}",
        "bits // 2 if bits % 2 == 0 else 3 * bits + 1",
        f"(bits >> 1) ^ {dice.pick('3', '0xEDB88320', '-1')}",
        f"{dice.pick('255', '127', 'n')} - bits",
        "bits * bits % 1009",
        f"max(bits - {dice.pick('3', loop)}, {dice.pick('-1', '0')})",
        f"bits & 15 | {loop} << 4",
        f"bits * 3 + {loop}",
        f"~bits + {loop}",
    )
    rounds = dice.pick(
        "3",
        "8",
        "8",
        "31",
        "32",
        "62",
        "64",
        "n",
        page.dice.pick("m", "n + 2", "2 * n"),
    )
    inner = [f"bits = {step}"]
    if dice.chance(25):
        inner += [
            f"if bits > {dice.pick('90', '1000')}:",
            f"    {dice.pick('break', 'continue')}",
        ]
    if dice.chance(25):
        inner = [f"if {page.test((*loops, loop))}:", *(f"    {x}" for x in inner)]
    use = dice.pick(
        "bits",
        "bits % 5 + bits // 5",
        "(bits >> 2) & 7",
        "2 * bits if bits >= 0 else -2 * bits - 1",
        "bits * 0.5",
        "int(bits * 0.25)",
        "1 << (bits % 9)",
        "bits % (n + 1)",
    )
    if dice.chance(30):
        ends = any("break" in x for x in inner)
        inner = [
            f"if {page.test((*loops, loop))}:",
            *(f"    {x}" for x in ([f"bits = {step}"] if ends else inner)),
            "else:",
            f"    bits {dice.pick('= 0', '-= 2', f'= {loop} - bits', '^= 5')}",
        ]
    sign = dice.pick("=", "=", "+=")
    return [
        f"bits = {begin}",
        f"for {loop} in range({rounds}):",
        *(f"    {x}" for x in inner),
        f"{page.target(loops)} {sign} {use}",
    ]
