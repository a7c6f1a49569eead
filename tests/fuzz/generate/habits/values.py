"""Values: powers, shifts, quotients, NumPy's functions of rows, and names."""

from __future__ import annotations

from fuzz.generate.habits.page import Page
from fuzz.generate.surroundings import Loops

EXPONENTS = ("2", "2", "3", "3", ".5", ".5", "-1", "4", "2.0", "1.5", "0", "-2")


def value(page: Page, loops: Loops) -> str:
    """A value that a statement stores."""
    (kind,) = page.dice.random.choices(list(KINDS), list(KINDS.values()))
    return kind(page, loops)


def _plain(page: Page, loops: Loops) -> str:
    one, two = page.cell(loops), page.cell(loops)
    return page.dice.pick(one, f"{one} + {two}", f"{one} * 0.5 - {two}", f"-{one}")


def _power(page: Page, loops: Loops) -> str:
    dice = page.dice
    cell = page.cell(loops)
    base = dice.pick(
        cell, f"({cell} - {page.cell(loops)})", f"abs({cell})", f"np.abs({cell})",
        page.number(loops), f"float({cell})", f"(0.5 * {page.number(loops)})",
    )  # fmt: skip
    power = dice.pick(*EXPONENTS, *EXPONENTS, *loops, page.cell(loops))
    found = f"{base} ** {power}"
    return dice.pick(found, found, f"2 * {found}", f"np.sqrt({found})")


def _shift(page: Page, loops: Loops) -> str:
    dice = page.dice
    one, two = page.number(loops), page.number(loops)
    by = dice.pick("1", "2", "3", f"({two} % 5)", f"({two} % 5)", two, "(n - 1)")
    found = f"({one} {dice.pick('<<', '>>', '>>')} {by})"
    return dice.pick(found, f"({found} & 7)", f"{found} * {page.cell(loops)}")


def _quotient(page: Page, loops: Loops) -> str:
    dice = page.dice
    one, two = page.number(loops), page.number(loops)
    sign = dice.pick("//", "%")
    by = dice.pick("2", "3", "-3", "8", f"({two} + 1)", f"({two} - 3)")
    return f"({one} - {dice.pick('n', '3', two)}) {sign} {by}"


def row(page: Page, loops: Loops) -> str:
    """A row of an array, or a part of one."""
    dice = page.dice
    of = page.array()
    places = [page.position(loops) for _ in range(of.rank - 1)]
    stretch = dice.pick(":", ":", ":n", ":n", "1:", ":-1", "::-1", "::2")
    return f"{of.name}[{', '.join([*places, stretch])}]"


def _row(page: Page, loops: Loops) -> str:
    one = row(page, loops)
    call = page.dice.pick(
        *("sum", "max", "min", "mean", "sum", "any", "prod", "argmax", "std", "var")
    )
    free = page.dice.pick("", "ddof=1") if call in ("std", "var") else ""
    method = f"{one}.{call}({free})"
    function = f"np.{call}({one}{free and f', {free}'})"
    return page.dice.pick(method, function, f"np.sum({one} ** 2)")


def _part(page: Page, loops: Loops) -> str:
    """What a reduction makes of a part of an array, of all its axes or of some."""
    dice = page.dice
    of = page.array()
    places = [
        dice.pick(
            ":", ":", "1:", ":2", ":-1", "::2", "::-1", f"{page.position(loops)}:"
        )
        for _ in range(of.rank - 1)
    ]
    last = dice.pick(":", ":n", "1:", "::2", "::-1")
    call = dice.pick("sum", "mean", "max", "min", "prod", "any", "all")
    return f"np.{call}({of.name}[{', '.join([*places, last])}])"


def _masked(page: Page, loops: Loops) -> str:
    """What a reduction makes of the elements that a mask tells."""
    of = page.array()
    if of.rank > 1:
        return _part(page, loops)
    call = page.dice.pick("sum", "mean", "max", "prod", "any")
    test = f"{of.name} {page.dice.pick('>', '<=', '==', '!=')} {page.number(loops)}"
    return f"np.{call}({of.name}[{test}])"


def _product(page: Page, loops: Loops) -> str:
    dice = page.dice
    one, two = row(page, loops), row(page, loops)
    if dice.chance(60):
        one = one.rpartition(":")[0].rstrip(":") + ":n]"
        two = two.rpartition(":")[0].rstrip(":") + ":n]"
    return dice.pick(f"{one} @ {two}", f"np.dot({one}, {two})", f"{one} @ {two} * 0.5")


def _near(page: Page, loops: Loops) -> str:
    """Elements beside others, around an axis or from its end."""
    dice = page.dice

    def place() -> str:
        at = dice.pick(*loops) if loops else "n"
        size, by = dice.pick("n", "n", "m"), dice.pick("1", "1", "2", "n")
        ring = f"({at} {dice.pick('+', '-')} {by}) % {size}"
        return dice.pick(ring, ring, f"{at} - {by}", f"{size} - 1 - {at}", f"2 * {at}")

    found = []
    for _ in range(dice.pick(1, 2)):
        of = page.array()
        places = [place() for _ in range(of.rank)]
        if of.row:
            places[-1] = dice.pick("0", "1")
        found.append(f"{of.name}[{', '.join(places)}]")
    return dice.pick(" + ", " - ", " * ").join(found)


def _named(page: Page, loops: Loops) -> str:
    return f"{page.name() or page.number(loops)} + {page.cell(loops)}"


KINDS = {
    _plain: 25, _power: 25, _shift: 12, _quotient: 12, _row: 14,
    _part: 8, _masked: 8, _product: 12,
    _named: 20, _near: 22,
}  # fmt: skip
"""How often a value is one of these."""
