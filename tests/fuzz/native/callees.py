"""Functions that random ones call: each is drawn from its number alone."""

from __future__ import annotations

import re

from fuzz.native.walkers import WALKER, walker
from fuzz.programs.dice import Dice

MOST = 400
"""How many different functions there are."""

_JUMPS = ("break", "continue", "return 0.5")

STEM = "own"
READER = "read"
KEEPER = "keep"
SWEEPER = "sweep"
FILLER = "fill"
GIVER = "give"
ASKER = "ask"
TAKER = "take"
DRAWER = "draw"
_CALLED = re.compile(rf"\b{STEM}(\d+)\(")
_READING = re.compile(rf"\b{READER}(\d+)_(\d+)\(")
_KEEPING = re.compile(rf"\b{KEEPER}(\d+)_(\d+)\(")
_SWEEPING = re.compile(rf"\b{SWEEPER}(\d+)\(")
_FILLING = re.compile(rf"\b{FILLER}(\d+)\(")
_GIVING = re.compile(rf"\b{GIVER}(\d+)\(")
_ASKING = re.compile(rf"\b{ASKER}(\d+)\(")
_TAKING = re.compile(rf"\b{TAKER}(\d+)\(")
_WALKING = re.compile(rf"\b{WALKER}(\d+)\(")
_DRAWING = re.compile(rf"\b{DRAWER}(\d+)\(")
_DEEP = 2


def defined(text: str) -> str:
    """A text behind the functions that it calls, and those that they call."""
    readers = {"_".join(x): reader(*map(int, x)) for x in _READING.findall(text)}
    for axes, number in (map(int, x) for x in _KEEPING.findall(text)):
        for one in {number, number - _is_through(number)}:
            readers[f"{KEEPER}{axes}_{one}"] = keeper(axes, one)
    sweepers = {int(x) for x in _SWEEPING.findall(text)}
    sweepers |= {x - 1 for x in sweepers if _is_through(x)}
    readers |= {f"{SWEEPER}{x}": sweeper(x) for x in sweepers}
    fillers = map(int, _FILLING.findall(text))
    readers |= {f"{FILLER}{x}": filler(x) for x in fillers}
    readers |= {f"{GIVER}{x}": giver(int(x)) for x in _GIVING.findall(text)}
    readers |= {f"{ASKER}{x}": asker(int(x)) for x in _ASKING.findall(text)}
    readers |= {f"{TAKER}{x}": taker(int(x)) for x in _TAKING.findall(text)}
    readers |= {f"{WALKER}{x}": walker(int(x)) for x in _WALKING.findall(text)}
    readers |= {f"{DRAWER}{x}": drawer(int(x)) for x in _DRAWING.findall(text)}
    text = "".join([*(readers[x] for x in sorted(readers)), text])
    found: dict[int, str] = {}
    left = [text]
    while left:
        for number in map(int, _CALLED.findall(left.pop())):
            if number not in found:
                found[number] = function(number)
                left.append(found[number].split("\n", 1)[1])
    return "".join([*(found[number] for number in sorted(found)), text])


def function(number: int) -> str:
    """The text of a function."""
    dice = Dice(f"callee {number}")
    lines = [f"def {STEM}{number}(x, y={dice.pick('2', '0.5', '-1.0')}):"]
    known = ["x", "y"]
    for _ in range(dice.pick(0, 1, 1, 2, 3)):
        lines += _statement(dice, known, number)
    lines.append(f"    return {_value(dice, known, number)}")
    lines[1:] = _guarded(lines[1:], number)
    return "\n".join([*lines, "", "", ""])


def _guarded(lines: list[str], number: int) -> list[str]:
    """The statements of a function, some of which raise."""
    dice = Dice(f"guard {number}")
    if not dice.chance(8):
        return lines
    least = dice.pick("4.0", "9.0", "-2.0", "x")
    match dice.pick("first", "assert", "behind", "otherwise", "last"):
        case "first":
            return [f"    if y > {least}:", "        raise ValueError(x)", *lines]
        case "assert":
            return [f"    assert x < {least} or x > y, y", *lines]
        case "behind":
            test = [f"    if x == {least}:", "        raise KeyError(y)"]
            return [*lines[:-1], *test, lines[-1]]
        case "otherwise":
            test = [f"    if x != {least}:", "        y = x + y"]
            return [*test, "    else:", "        raise ArithmeticError(y)", *lines]
    test = [f"    if not x > {least}:", f"    {lines[-1]}"]
    return [*lines[:-1], *test, "    raise LookupError(x)"]


def reader(axes: int, number: int) -> str:
    """The text of a function that reads an element of an array.

    Args:
        axes: of the array. number: of the function.
    """
    dice = Dice(f"reader {axes} {number}")
    places = [f"i{axis}" for axis in range(axes)]
    cell = f"A[{', '.join(places)}]"
    given = ", ".join(places)
    every, value = "k in range(len(A))", cell.replace("i0", "k")
    if axes == 1 and Dice(f"reader each {number}").chance(50):
        every, value = "k, v in enumerate(A)", "v"
    lines = {
        "plain": [f"return {cell}"],
        "local": [f"x = {cell}", f"x = x * {STEM}{number}(x, 2)", "return x"],
        "moved": ["last = i0 - 1", "if last >= 0:", "    i0 = last", f"return {cell}"],
        "tested": [f"if {cell} > 1:", f"    return {cell}", "return i0 * 0.5"],
        "chosen": [f"return {cell} if i0 > 1 else -{cell}"],
        "turned": ["n = len(A)", "i0 = (i0 + 1) % n", f"return {cell} + n"],
        "summed": [
            "total = 0.0", f"for {every}:",
            f"    if k == {dice.pick('1', 'i0')}:", f"        {dice.pick(*_JUMPS)}",
            f"    total += {value} * 0.5", "return total",
        ],
        "sought": [
            "k = 0", f"while k < len(A) and {cell.replace('i0', 'k')} < {cell}:",
            "    k += 1", "return k",
        ],
    }[dice.pick(
        "plain", "plain", "local", "moved", "tested", "chosen", "turned",
        "summed", "sought",
    )]  # fmt: skip
    head = f"def {READER}{axes}_{number}(A, {given}):"
    return "\n    ".join([head, *lines]) + "\n\n\n"


def asker(number: int) -> str:
    """The text of a function that asks what it is given: ``(A, i, w=None, s=1)``."""
    dice = Dice(f"asker {number}")
    lines = [f"def {ASKER}{number}(A, i, w=None, s={dice.pick('1', '-1', '2')}):"]
    value = "A[i]"
    if dice.chance(60):
        lines += ["if w is None:", f"    w = {dice.pick('0.5', 'A[i]', 's', 'len(A)')}"]
        value = dice.pick("A[i] * w", "w")
    if dice.chance(60):
        lines += [f"if A.ndim {dice.pick('== 2', '> 1', '!= 1')}:"]
        lines += ["    return A[i, 0] * 2"]
    else:
        lines += ["if A.ndim != 1:", "    return 0.25"]
    if dice.chance(50):
        start, stop = dice.pick(("0", "i"), ("len(A) - 1", "i"), ("i", "len(A)"))
        lines += [f"for k in range({start}, {stop}, s):"]
        lines += [f"    if A[k] {dice.pick('>', '<')} A[i]:", "        return k"]
        lines += ["else:", f"    return {dice.pick('-1', 'A[i]', '0.5')}"]
    else:
        test = dice.pick("s > 0", "not s == 1", "w is not None and s", "s != 2 or w")
        lines += [f"return {value} if {test} else {dice.pick('A[i] * s', 'i + s')}"]
    return "\n    ".join(lines) + "\n\n\n"


def taker(number: int) -> str:
    """The text of a function that is given any number of numbers: ``(x, *more)``."""
    dice = Dice(f"taker {number}")
    lines = [f"def {TAKER}{number}(x, *more):"]
    if dice.chance(60):
        test = dice.pick("not more", "more")
        lines += [
            f"if {test}:",
            f"    return x {dice.pick('+ 1', '* 0.5', '+ more[0]')}",
        ]
    value = dice.pick("more[0]", "more[-1]", f"{STEM}{number}(*more)", "more[1] - x")
    if dice.chance(40):
        lines += [f"x = {value} * 2"]
    lines += [f"return {dice.pick(value, 'x', f'x * {value} if more else x')}"]
    return "\n    ".join(lines) + "\n\n\n"


def drawer(number: int) -> str:
    """The text of a function that draws random numbers: ``(A, i, x)``."""
    dice = Dice(f"drawer {number}")
    low, scale = dice.pick("0", "-1.0", "x"), dice.pick("1", "x", "0.5", "2 - i")
    one = dice.pick(
        "np.random.random()", "np.random.randn()", f"np.random.normal({low}, {scale})",
        f"np.random.uniform(high={scale}, low={low})", "np.random.randint(i + 1)",
    )  # fmt: skip
    lines = {
        "plain": [f"return {one} * x"],
        "chosen": ["if x > 1:", "    return x", f"return x + {one}"],
        "tested": [f"return x < 1 and {one} < 0.5 or {one} > 0.9"],
        "sought": [
            "k = 0", f"while k < 9 and {one} < 0.5:", "    k += 1",
            "    if x > 30:", "        raise ValueError(x)", "return k",
        ],
        "added": ["for k in range(i):", f"    A[k] += {one}", "return A[i] - x"],
        "through": [f"return {STEM}{number}(x) + {one} * {STEM}{number}({one})"],
    }[dice.pick("plain", "chosen", "tested", "sought", "added", "through")]  # fmt: skip
    head = f"def {DRAWER}{number}(A, i, x=0.5):"
    return "\n    ".join([head, *lines]) + "\n\n\n"


def keeper(axes: int, number: int) -> str:
    """The text of a function that assigns elements of an array.

    Args:
        axes: of the array. number: of the function.
    """
    dice = Dice(f"keeper {axes} {number}")
    places = [f"i{axis}" for axis in range(axes)]
    cell = f"A[{', '.join(places)}]"
    given = ", ".join(places)
    lines = {
        "plain": [f"{cell} = x", "return x"],
        "added": [f"{cell} {dice.pick('+=', '-=', '*=')} x", f"return {cell}"],
        "swapped": [f"x, {cell} = {cell}, x", "return x"],
        "tested": ["if x > 1:", f"    {cell} = x * 0.5", f"return {cell} + x"],
        "moved": ["if i0 > 0:", "    i0 -= 1", f"{cell} = x", "return x - 1"],
        "looped": [
            "for k in range(i0, len(A)):", f"    {cell.replace('i0', 'k')} += x",
            f"    if k > i0 + {dice.pick('0', '2')}:", f"        {dice.pick(*_JUMPS)}",
            "    x = x * 0.5", f"return {cell}",
        ],
        "through": [f"return {KEEPER}{axes}_{number - 1}(A, {given}, x + 1) - {cell}"],
    }  # fmt: skip
    kind = dice.pick("plain", "added", "swapped", "tested", "moved", "looped", "looped")
    if _is_through(number):
        kind = "through"
    head = f"def {KEEPER}{axes}_{number}(A, {given}, x):"
    return "\n    ".join([head, *lines[kind]]) + "\n\n\n"


def sweeper(number: int) -> str:
    """The text of a function with statements on arrays of one axis."""
    dice = Dice(f"sweeper {number}")
    weight = dice.pick("0.5", "2", "x")
    over = dice.pick("[1:]", "[:-1]", "[1:-1]", "[:2]", "[::-1]")
    other = Dice(f"sweeper other {number}")
    sliced = other.pick("1:", ":-2", "2:-1")
    lines = {
        "plain": [f"A{over} = A{over} * {weight} + B{over}"],
        "moved": ["A[1:] = A[:-1] - B[1:]"],
        "whole": ["A -= B.sum()", f"A *= {weight}"],
        "made": [
            "old = np.empty_like(A)", "old = A.copy()",
            f"for k in range({number % 3}):", "    old = A.copy()",
            "    A[1:] = old[:-1] + B[1:]",
        ],
        "again": [
            "old = B.copy()", "A[1:] = old[:-1]", "old = A.copy()", "old = old * 0.5",
            "A[1:] = old[:-1] + B[1:]",
        ],
        "given": [f"if x > {number % 3}:", "    return x", "A[:] = B"],
        "summed": ["x = x + np.sum(A * B)"],
        "through": [f"x = {SWEEPER}{number - 1}(B, A, x + 1) - x"],
        "pure": [
            "c = A - A.sum() * 0.5", f"x = x + np.sum(c * {weight}) / (1 + len(B))"
        ],
        "inner": [
            "h = A[1:]", "if h.ndim == 1 and h.size > 1:",
            f"    h[:-1] = h[1:] * {weight}", f"x = x + len(h) - len(B[{sliced}])",
        ],
        "stopped": ["A[:] = A + 1", f"A[{dice.pick('0', '2', '-1')}] = x"],
        "left": _left(other, weight),
    }  # fmt: skip
    kinds = ("plain", "moved", "whole", "made", "given", "summed", "stopped")
    kind = "through" if _is_through(number) else dice.pick(*kinds)
    if kind != "through" and other.chance(25):
        kind = other.pick("pure", "inner", "left", "left")
    if kind == "made" and Dice(f"sweeper again {number}").chance(50):
        kind = "again"
    last = dice.pick("return x", "return A.sum()", "return np.sum(A[1:] * B[1:])")
    head = f"def {SWEEPER}{number}(A, B, x{dice.pick('', '=1')}):"
    return "\n    ".join([head, *lines[kind], last]) + "\n\n\n"


def _left(dice: Dice, weight: str) -> list[str]:
    """Statements that return out of loops.

    Args:
        dice: that choose. weight: what they multiply with.
    """
    test, value = dice.pick("> 1", "> x", "== x", "< 0"), dice.pick("x", "A[k]", "k")
    lines = ["A[1:] = A[1:] + B[:-1]"]
    match dice.pick("once", "broken", "twice", "endless"):
        case "once":
            lines += ["for k in range(len(A)):", f"    if A[k] {test}:"]
            lines += [f"        return {value}", f"    A[k] *= {weight}"]
        case "broken":
            lines += ["for k in range(len(A)):", "    if B[k] < -2:", "        break"]
            lines += [f"    if A[k] {test}:", f"        return {value}"]
            lines += ["else:", "    x = x + 1"]
        case "twice":
            lines += ["for k in range(len(A)):", "    for l in range(k):"]
            lines += [f"        if A[l] {test}:", f"            return {value} - l"]
            lines += [f"    B[k] *= {weight}"]
        case _:
            lines += ["k = 0", "while True:", "    if k >= len(A):", "        break"]
            lines += [f"    if A[k] {test}:", f"        return {value}", "    k += 1"]
    return lines


def filler(number: int) -> str:
    """The text of a function that gives an array which it fills."""
    dice = Dice(f"filler {number}")
    like = dice.pick("", "", ", dtype=np.float64", ", dtype=A.dtype")
    made = dice.pick(
        f"np.empty_like(A{like})",
        f"np.zeros_like(A{like})",
        f"np.full_like(A, 2{like})",
        f"np.empty(len(A){like})",
        f"np.zeros(A.shape{like})",
    )
    value = dice.pick(
        "np.sign(A[k]) - A[k - 1]", "x", "A[-1 - k] * 2", "A[k] if x > 1 else x"
    )
    first = [f"if x > {number % 7}:", "    return A"] if dice.chance(25) else []
    lines = [f"new = {made}", "for k in range(len(A)):", f"    new[k] = {value}"]
    lines += [f"    x = {dice.pick('A[k]', 'new[k]', 'x')} * 0.5", "return new"]
    head = f"def {FILLER}{number}(A, x):"
    return "\n    ".join([head, *first, *lines]) + "\n\n\n"


def giver(number: int) -> str:
    """The text of a function that gives a number of a row, nothing, or another row."""
    dice = Dice(f"giver {number}")
    one = dice.pick("A[0]", "x", "A[-1]", "len(A)")
    value = dice.pick("A * 2", "A - x", "A * A + x", "A * 0.5", "abs(A)")
    mean = ["s = 0.0", "for k in range(len(A)):", "    s += A[k] * x", "return s"]
    scaled = [f"A -= {one}", f"if x > {dice.pick('0', '1')}:", "    A *= 2"]
    changed = dice.pick("B += 1", "B *= x", "B[0] = x")
    made = [f"B = {value}", changed, "return B"]
    chosen = [f"if {one} > 1:", f"    B = {value}", "else:", f"    B = A + {one}"]
    if dice.chance(50):
        chosen.append("B = B * 0.5")
    kinds = mean, scaled, made, [*chosen, "return B"]
    lines = kinds[number % len(kinds)]
    return "\n    ".join([f"def {GIVER}{number}(A, x):", *lines]) + "\n\n\n"


def _is_through(number: int) -> bool:
    """Whether a function that assigns elements calls the one before."""
    return number % 5 == 4


def _statement(dice: Dice, known: list[str], number: int) -> list[str]:
    """A statement; the names that it assigns become known."""
    value, other = (_value(dice, known, number) for _ in range(2))
    name = dice.pick(*known, f"t{len(known)}")
    test = f"{_value(dice, known, number)} {dice.pick('<', '>=', '==')} {value}"
    match dice.pick("set", "set", "return", "if", "else", "change", "swap", "loop"):
        case "loop" if name in known:
            count = dice.pick("3", "2", "k0")
            return [
                f"    k0 = {dice.pick('0', '4')}",
                f"    for k in range({count}):",
                f"        if {test}:",
                f"            {dice.pick('break', 'continue', f'return {value}')}",
                f"        {name} = {name} * 0.5",
            ]
        case "return":
            return [f"    if {test}:", f"        return {other}"]
        case "if" if name in known:
            return [f"    if {test}:", f"        {name} = {other}"]
        case "else":
            lines = [f"    if {test}:", f"        {name} = {other}", "    else:"]
            lines.append(f"        {name} = {dice.pick('x', 'y', '0.0')}")
        case "change" if name in known:
            return [f"    {name} {dice.pick('+=', '-=', '*=')} {other}"]
        case "swap":
            return ["    x, y = y, x"]
        case _:
            lines = [f"    {name} = {value}"]
    if name not in known:
        known.append(name)
    return lines


def _value(dice: Dice, known: list[str], number: int, deep: int = 0) -> str:
    """The text of an expression.

    Args:
        dice: draws it. known: the names in it.
        number: of the function; it calls those before it.
        deep: in how many others it stands.
    """
    if deep == _DEEP or dice.chance(30):
        return dice.pick(*known, *known, "1.0", "0.25", "3")
    one, two = (_value(dice, known, number, deep + 1) for _ in range(2))
    found = [
        f"({one} + {two})", f"({one} - {two})", f"{one} * {two}", f"({one} * 0.5)",
        f"({one}) / ({two})", f"abs({one})", f"min({one}, {two})", f"max({one}, {two})",
        f"({one} if {two} > 1 else {two})", f"(-({one}))", f"np.sqrt({one})",
    ]  # fmt: skip
    if number:
        before = dice.random.randrange(number)
        found += [f"{STEM}{before}({one})", f"{STEM}{before}({one}, y={two})"]
    return dice.pick(*found)
