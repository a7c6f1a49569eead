"""Functions that call themselves where they go on behind that, drawn from a number."""

from __future__ import annotations

from collections.abc import Sequence

from fuzz.programs.dice import Dice

WALKER = "walk"

_STEPS = ("s", "s + 1", "s * 0.5", "A[i % n]", "A[d % n]")


def walker(number: int) -> str:
    """The text of a function: ``(A, B, i, s, d)``; d is how deep it is."""
    dice = Dice(f"walker {number}")
    name = f"{WALKER}{number}"
    lines = ["n = len(A)", f"if d > {dice.pick(1, 2, 2, 3)} or n == 0:", "    return"]
    known = ["i", "s", "d"]
    if dice.chance(35):
        lines.append(f"near = {dice.pick('B + i', 'B - d', '2 * B - i', 'i - B')}")
        known.append("near")
    lines += _block(dice, name, known, 0)
    lines += [_call(dice, name, known), *_block(dice, name, known, 0)]
    return "\n    ".join([f"def {name}(A, B, i, s, d):", *lines]) + "\n\n\n"


def _value(dice: Dice, known: Sequence[str]) -> str:
    """A number."""
    more = ["k % 3", "i % 9 - k % 3"] if "k" in known else ["d % 5"]
    more += ["near[k % len(near)]"] if {"k", "near"} <= {*known} else []
    ways = ("i % 9", "d % 3", "s", "s * 0.5", "A[i % n]", "A[d % n]", "1", "0.25")
    return dice.pick(*ways, *more)


def _call(dice: Dice, name: str, known: Sequence[str]) -> str:
    """A call of the function in itself."""
    ways = ["i + 1", "i - 1", "(i % n * 2 + 1) % n", "i"]
    ways += ["k", "i + k"] if "k" in known else []
    if "near" in known and "k" in known:
        ways += ["near[k % len(near)]", "near[k]"]
    step = dice.pick(*_STEPS)
    place = dice.pick(*ways)
    if dice.chance(25):
        return f"{name}(A, B, d=d + 1, s={step}, i={place})"
    return f"{name}(A, B, {place}, {step}, d + 1)"


def _statement(dice: Dice, name: str, known: Sequence[str]) -> list[str]:
    """A statement that is none with a block."""
    place = dice.pick("i % n", "d % n", "-1 - i % n", "i" if dice.chance(10) else "0")
    return dice.pick(
        [f"A[{place}] = {_value(dice, known)}"],
        [f"A[{place}] += {_value(dice, known)}"],
        [f"s {dice.pick('=', '=', '+=')} {dice.pick(*_STEPS)}"],
        [_call(dice, name, known)],
        [f"if {_value(dice, known)} > {_value(dice, known)}:", "    return"],
    )


def _block(dice: Dice, name: str, known: Sequence[str], deep: int) -> list[str]:
    """Statements, some of which call the function."""
    lines: list[str] = []
    for _ in range(dice.pick(0, 1, 1, 2)):
        if deep < 2 and dice.chance(25):
            test = f"if {_value(dice, known)} > {_value(dice, known)}:"
            inner = _block(dice, name, known, deep + 1)
            lines += [test, *(f"    {x}" for x in inner or ["pass"])]
        elif deep < 2 and "k" not in known and dice.chance(45):
            over = dice.pick("2", "n % 3", "1, 3", "2, 0, -1", "len(B) % 3", "0, 4, 3")
            inner = [_call(dice, name, [*known, "k"])]
            inner = [*_block(dice, name, [*known, "k"], deep + 1), *inner]
            inner += _block(dice, name, [*known, "k"], deep + 1)
            lines += [f"for k in range({over}):", *(f"    {x}" for x in inner)]
        else:
            lines += _statement(dice, name, known)
    return lines
