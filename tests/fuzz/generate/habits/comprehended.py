"""Lists that comprehensions make, and loops that go through them."""

from __future__ import annotations

from fuzz.programs.dice import Dice

LIST = "made"
"""The list."""


def comprehended(dice: Dice, read: str, written: str) -> list[str]:
    """A list, and a loop over it, or over what becomes of it.

    Args:
        dice: the choices. read: the array that it is made of.
        written: the array that the loop writes.
    """
    source = dice.pick(
        "h in range(n)", f"h in range(len({read}))", "h in range(n) for k in range(h)"
    )
    test = dice.pick("", "", " if h % 2", f" if {read}[h] > 1")
    if dice.chance(35):
        value = _value(dice, read, written)
        row = f"[{value} for j in range({dice.pick('2', 'h')})]"
        row += dice.pick("", "", f" + [{value}]", " + [h] * 2")
        use = dice.pick(
            ["for row in made:", "    for v in row:", f"        {written}[0] += v"],
            ["for g in range(len(made)):", f"    {written}[g] = made[g][-1]"],
            ["for g in range(len(made)):", f"    {written}[g] += len(made[g])"],
        )
        return [f"{LIST} = [{row} for {source}{test}]", *use]
    lines = [f"{LIST} = [{_value(dice, read, written)} for {source}{test}]"]
    if dice.chance(35):
        return [*lines, *_through(dice, written, "made[g]")]
    return [*lines, "m = len(made)", *_resized(dice), *_through(dice, written, "m")]


def _value(dice: Dice, read: str, written: str) -> str:
    """An element."""
    cell = f"{dice.pick(read, written)}[h]"
    return dice.pick("h", f"{cell} * 2", f"float({cell})", "0.5", f"{cell} > 1")


def _resized(dice: Dice) -> list[str]:
    """What gives the list another length."""
    return dice.pick(
        ["made.append(2)"],
        ["made += [1, 3]"],
        ["del made[1:]"],
        ["if made:", "    made.pop()"],
        ["for g in range(2):", "    made.append(g)"],
    )


def _through(dice: Dice, written: str, value: str) -> list[str]:
    """A loop through the list."""
    return dice.pick(
        ["for g in range(len(made)):", f"    {written}[g] += {value}"],
        ["for g in range(len(made)):", f"    {written}[0] += made[g] * {value}"],
        ["for g, v in enumerate(made):", f"    {written}[g // 2] = v + {value}"],
    )
