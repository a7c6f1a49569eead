"""Draws statements on whole arrays, in loops and outside of them.

Their slices mostly agree in length; where they do not NumPy raises, or stretches an
axis of one position. Some overlap what they write.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from fuzz.generate.surroundings import Loops, put_in
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, For, Function, Node, Odd

AXES = (
    (":", ":", "::-1", "0:", "..."),
    ("1:", ":-1", "-2::-1", ":0:-1"),
    ("1:-1", "2:", ":-2", "-2:0:-1"),
    ("::2", "::-2", "0::2"),
    ("1::2", "-2::-2"),
    ("1:3", "-3:-1", "2:0:-1", "n - 2:n"),
    (":n - 2",),
    (":n - 1", ":-1 + n"),
)
"""Slices of an axis that are of a length, if the axes are and are long enough; those of
the last two rows are also where their bounds count from the end."""


def whole(function: Function, dice: Dice) -> Function:
    """A function with some statements on its arrays."""
    arrays = [one for one in function.arrays if one.name != "idx"]
    body = function.body
    for _ in range(dice.pick(1, 1, 2)):
        if dice.chance(40) and any(isinstance(node, For) for node in body):
            body = put_in(body, dice, lambda loops: _statement(arrays, dice, loops))
        else:
            at = dice.random.randrange(len(body) + 1)
            body = (*body[:at], _statement(arrays, dice, ()), *body[at:])
    return replace(function, body=body)


def making(function: Function, dice: Dice) -> Function:
    """A function of which a loop makes an array in each round."""
    arrays = [one for one in function.arrays if one.name != "idx"]
    if not any(isinstance(node, For) for node in function.body):
        return function
    body = put_in(function.body, dice, lambda loops: _made(arrays, dice, loops))
    return replace(function, body=body)


def arrays_made(function: Function, dice: Dice) -> Function:
    """A function with statements that make arrays, reduce, turn and multiply them."""
    arrays = [one for one in function.arrays if one.name != "idx"]
    body = function.body
    for at in range(dice.pick(1, 1, 2)):
        name = f"whole{at}"
        if dice.chance(40) and any(isinstance(node, For) for node in body):
            body = put_in(body, dice, partial(_used, name, arrays, dice))
        else:
            place = dice.random.randrange(len(body) + 1)
            made = _used(name, arrays, dice, ())
            body = (*body[:place], made, *body[place:])
    return replace(function, body=body)


def _used(name: str, arrays: Sequence[Array], dice: Dice, loops: Loops) -> Node:
    """Statements that make an array, or name a part of one, and use it.

    Args:
        name: of that. arrays: there are. dice: draws. loops: those around.
    """
    of, other, target = (dice.pick(*arrays) for _ in range(3))
    first = (
        f"{name} = {dice.pick(_computed, _computed, _named)(of, other, dice, loops)}"
    )
    again = f"{name} = {_computed(of, other, dice, loops)}"
    index = ", ".join(dice.pick("0", *loops) for _ in range(target.rank))
    uses = [
        f"{target.name}[{index}] += np.sum({name})",
        f"{target.name}[{index}] = {name}.size + len({name}.strides)",
        f"{target.name}[...] = {name} * 2 - {target.name}",
        f"{target.name}[{index}] = np.max({name} + 1)",
    ]
    lines = [first, *([again] if dice.chance(20) else []), dice.pick(*uses)]
    names = frozenset((*loops, "n", of.name, other.name, target.name))
    return Odd((*lines,), names, frozenset((target.name,)))


def _named(of: Array, other: Array, dice: Dice, loops: Loops) -> str:
    """A part of an array.

    Args:
        of, other: arrays. dice: draws. loops: those around.
    """
    kinds = [dice.pick(*AXES) for _ in range(1 + (of.rank > 2 and dice.chance(50)))]
    return _selected(of, kinds[: of.rank], dice, loops)


def _computed(of: Array, other: Array, dice: Dice, loops: Loops) -> str:
    """What several operations make of whole arrays.

    Args:
        of, other: arrays. dice: draws. loops: those around.
    """
    a, b = of.name, other.name
    axis = dice.pick(*(str(at) for at in range(of.rank)), "-1")
    kept = f"axis={axis}{dice.pick('', ', keepdims=True')}"
    of_rows = dice.pick("sum", "mean", "min", "max", "prod", "std", "var")
    row = f"{a}[{', '.join([*['0'] * (of.rank - 1), ':'])}]"
    of_numpy = dice.pick("exp", "tanh", "cbrt", "sin", "arctan")
    turned = dice.pick(a, f"np.flip({a})", f"{a}[::-1]")
    choices = [
        f"{a} * 2 + {b}",
        f"np.clip({a}, {dice.pick('0', '-1', '0.5')}, 3) - {b} * {b}",
        f"np.where(({a} > 1) & ({b} < 2), {a} + 1, {b})",
        f"np.flip({a}) * 2 - {b}",
        f"{a}.T + {b}.T * 2",
        f"np.add.outer({row}, {row}) * 2",
        f"np.outer({row}, {row} + 1) - 1",
        f"{a} - np.{of_rows}({a}, {kept}) * 2",
        f"np.{of_rows}({a} + {b}, {kept}) + 1",
        f"{a} @ {b} * 2 - 1",
        f"2 * {a} @ {row}",
        f"{a}.copy() + {b}",
        f"np.{of_numpy}({a} * 0.37) * 2",
        f"np.{of_numpy}({turned}) + np.arctan2({b}, 2)",
    ]
    return dice.pick(*choices)


def _made(arrays: Sequence[Array], dice: Dice, loops: Loops) -> Node:
    """Statements that make an array, change it, and keep an element of it."""
    of, target = dice.pick(*arrays), dice.pick(*arrays)
    number = dice.pick("0", "1", *loops, *loops)
    row = f"{of.name}[{', '.join([number] * (of.rank - 1) + [':'])}]"
    value = dice.pick(
        "np.zeros(3)",
        "np.ones(n + 1, dtype=np.int32)",
        "np.full(2, 0.5)",
        f"np.zeros_like({row})",
        f"{row}.copy()",
        f"{row} + 1",
        f"{row} * 2 - {row}",
    )
    place = ", ".join(dice.pick("0", *loops) for _ in range(target.rank))
    change = dice.pick("made[0] += 1", f"made[{number}] = 3", "made[-1] *= 2")
    sign = dice.pick("=", "+=")
    keep = f"{target.name}[{place}] {sign} made[{dice.pick('0', '1', '-1')}]"
    lines = f"made = {value}", change, *([change] if dice.chance(30) else []), keep
    used = frozenset((*loops, "n", of.name, target.name))
    return Odd(lines, used, frozenset((target.name,)))


def _statement(arrays: Sequence[Array], dice: Dice, loops: Loops) -> Node:
    """A statement on slices of as many axes."""
    target = dice.pick(*arrays)
    used = frozenset((*loops, "n", *(one.name for one in arrays)))
    if dice.chance(20):
        text = f"{_selected(target, [], dice, loops)} = {_product(arrays, dice, loops)}"
        return Odd((text,), used, frozenset((target.name,)))
    kept = 1 if loops and target.rank > 1 and dice.chance(60) else 0
    kinds = [dice.pick(*AXES) for _ in range(target.rank - kept)]
    place = _selected(target, kinds, dice, loops)
    value = _value(arrays, kinds, dice, loops)
    sign = dice.pick("=", "=", "+=", "-=", "*=")
    if sign == "=" and dice.chance(20):
        other = dice.pick(*(one for one in arrays if one.rank >= len(kinds)))
        also = _selected(other, kinds, dice, loops)
        both = frozenset((target.name, other.name))
        return Odd((f"{place} = {also} = {value}",), used, both)
    return Odd((f"{place} {sign} {value}",), used, frozenset((target.name,)))


def _product(arrays: Sequence[Array], dice: Dice, loops: Loops) -> str:
    """A product of two rows."""
    kind = [dice.pick(*AXES)]
    one, two = (_selected(dice.pick(*arrays), kind, dice, loops) for _ in range(2))
    return f"0.25 * ({dice.pick(f'{one} @ {two}', f'np.dot({one}, {two})')})"


def _value(
    arrays: Sequence[Array], kinds: Sequence[Sequence[str]], dice: Dice, loops: Loops
) -> str:
    """What is computed of slices of some kinds, and of numbers."""
    parts = [_part(arrays, kinds, dice, loops) for _ in range(dice.pick(1, 2, 2, 3))]
    found = parts[0]
    for part in parts[1:]:
        found = dice.pick(
            f"{found} {dice.pick('+', '-', '*')} {part}",
            f"({part} - {found}) * 2",
            f"np.{dice.pick('minimum', 'maximum')}({found}, {part})",
            f"np.where({part} > 1, {found}, {part})",
            f"np.abs({found}) + {part}",
        )
    if dice.chance(25):
        bounded = f"np.minimum(np.maximum({found}, -3), 3)"
        found = dice.pick(f"{bounded} ** 2", f"({bounded} - 1) ** 2")
    return found


def _part(
    arrays: Sequence[Array], kinds: Sequence[Sequence[str]], dice: Dice, loops: Loops
) -> str:
    """A slice of an array, or a number."""
    if dice.chance(20):
        return dice.pick("2", "0.5", "n", "n**2", "(6 // n)", "(6 // n)", *loops)
    array = dice.pick(*arrays)
    few = kinds[-array.rank :] if dice.chance(90) else kinds[1:]
    other = [dice.pick(*AXES) if dice.chance(6) else kind for kind in few]
    return _selected(array, other, dice, loops)


def _selected(
    array: Array, kinds: Sequence[Sequence[str]], dice: Dice, loops: Loops
) -> str:
    """Slices of the last axes of an array, behind numbers."""
    numbers = [
        dice.pick("0", "1", "-1", *loops, *loops)
        for _ in range(array.rank - len(kinds))
    ]
    slices = [dice.pick(*kind) for kind in kinds]
    if slices.count("...") > 1 or ("..." in slices and not slices[1:]):
        slices = [":" if one == "..." else one for one in slices]
    while slices and slices[-1] == ":" and (slices[1:] or numbers) and dice.chance(30):
        slices.pop()
    return f"{array.name}[{', '.join((*numbers, *slices))}]"
