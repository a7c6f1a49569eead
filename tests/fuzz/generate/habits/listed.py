"""Loops that fill and empty lists: of what they find, as stacks, and as queues."""

from __future__ import annotations

from fuzz.generate.habits.comprehended import LIST, comprehended
from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

READ, WRITTEN = "Ra", "Rb"
"""What loops look at, and write."""

KINDS = ("float64", "float64", "float64", "int64", "int32", "uint8", "float32", "bool")

FOUND, STACK = "found", "stack"
"""The lists."""


def listed(function: Function, dice: Dice) -> Function:
    """A function with such loops behind its own.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    page.added(Array(READ, 1, dice.pick(*KINDS)))
    page.added(Array(WRITTEN, 1, dice.pick("float64", "int64")))
    page.written.add(WRITTEN)
    loops = _Loops(page)
    kinds = (loops.collected, loops.stacked, loops.stacked, loops.within)
    lines = [*page.first]
    for _ in range(dice.pick(1, 1, 2)):
        lines += dice.pick(*kinds)()
    more = Dice(f"joined {lines}")
    if more.chance(15):
        lines += joined(more)
    more = Dice(f"comprehended {lines}")
    if more.chance(45):
        lines[:0] = comprehended(more, READ, WRITTEN)
        page.returns += [LIST] if more.chance(50) else []
    # What is behind an exception of the function's own loops is never come to.
    body = function.body if dice.chance(70) else ()
    if FOUND in page.returns and dice.chance(25):
        lines.append(f"{FOUND} = np.array({FOUND})")
    return finished(page, function, (*body, odd(page, lines, ())))


def joined(dice: Dice) -> list[str]:
    """Loops that share lists: one fills, the next takes from it.

    Args:
        dice: the choices.
    """
    parts = dice.pick(1, 2)
    one = dice.pick("g", "g * 2", f"{READ}[g]")
    one = one if parts == 1 else f"({one}, g)"
    take = dice.pick("low", "high") if parts == 1 else "low, high"
    test = dice.pick(f"{READ}[g] > 1", "g % 2 == 0", f"{READ}[g] > {WRITTEN}[g]")
    lines = ["queue = []", "later = []", *([] if dice.chance(60) else ["t = 1"])]
    lines += ["for g in range(n):", f"    if {test}:", f"        queue.append({one})"]
    lines += [] if dice.chance(70) else ["h = 0"]
    lines += [dice.pick("while queue:", "for h in range(n):")]
    lines += ["    g = len(queue)"]
    if parts == 2 and dice.chance(50):
        lines += [f"    if queue and queue[-1] == ({dice.pick(0, 2)}, 0):"]
        lines += [f"        {WRITTEN}[0] += 1"]
    lines += [f"    {take} = queue.pop()"]
    lines += [f"    {WRITTEN}[g - 1] {dice.pick('=', '+=')} {take.split(',')[0]}"]
    if dice.chance(50):
        lines += [f"    if {WRITTEN}[g - 1] > 1:", f"        later.append({one})"]
        lines += ["while later:", "    g = len(later) - 1", "    later.pop()"]
        lines += [f"    {WRITTEN}[g] -= 1"]
    return lines


class _Loops:
    """Draws the loops.

    Args:
        page: what they are made of.
    """

    def __init__(self, page: Page) -> None:
        self.page, self.dice = page, page.dice

    def _cell(self, at: str = "g") -> str:
        return f"{self.dice.pick(READ, READ, WRITTEN)}[{at}]"

    def _number(self, *names: str) -> str:
        """A number of one type, mostly."""
        dice, own = self.dice, f"{READ}[g]"
        return dice.pick(
            "g", "g + 1", own, own, f"{own} * 0.5", f"float({own})", "2", "1.5",
            f"{own} > 1", *names,
        )  # fmt: skip

    def _element(self, parts: int, *names: str) -> str:
        numbers = ", ".join(self._number(*names) for _ in range(parts))
        return numbers if parts == 1 else f"({numbers})"

    def _test(self, *more: str) -> str:
        dice = self.dice
        return dice.pick(
            f"{self._cell()} > 1", f"{self._cell()} > 0", "g % 3 == 1", "g > 1",
            f"{self._cell()} < {self._cell()}", *more,
        )  # fmt: skip

    def collected(self) -> list[str]:
        """A list that a loop appends to."""
        dice, name, parts = self.dice, FOUND, self.dice.pick(1, 1, 2, 3)
        elements = [self._element(parts) for _ in range(dice.pick(1, 1, 1, 2))]
        start = dice.pick("", "", elements[0].replace("[g]", "[0]").replace("g", "n"))
        asked = (f"len({name}) < 3", f"not {name}", name, f"{name} and g > 2")
        body: list[str] = []
        for one in elements:
            test = self._test(*asked)
            add = [f"{name}.append({one})"]
            body += [f"if {test}:", *indented(add)] if dice.chance(70) else add
        end = dice.pick("", "", "", "break", f"return {name}", f"return ({name}, g)")
        if end:
            at = dice.pick(0, len(body))
            body[at:at] = [f"if {self._test(f'len({name}) > 3')}:", f"    {end}"]
        if dice.chance(40):
            body.append(f"{WRITTEN}[g] {dice.pick('=', '+=')} len({name})")
        if start:
            part = "" if parts == 1 else f"[{dice.pick(0, -1)}]"
            body.append(f"{WRITTEN}[g] = {name}[{dice.pick('-1', '0', 'g')}]{part}")
        if name not in self.page.returns:
            self.page.returns.append(name)
        head = dice.pick("range(n)", "range(n)", "range(n - 1, -1, -1)", "range(1, n)")
        lines = [f"for g in {head}:", *indented(body)]
        if dice.chance(25):
            lines = ["for h in range(2):", *indented(lines)]
        return [f"{name} = [{start}]", *lines]

    def stacked(self) -> list[str]:
        """A list that a loop takes from until nothing is left, or for some rounds."""
        dice, name = self.dice, STACK
        parts = dice.pick(1, 2, 2)
        names = [f"low{k}" for k in range(parts)]
        first = ["3", "n"][:parts]
        element = ", ".join(first) if parts == 1 else f"({', '.join(first)})"
        begin = dice.pick(
            [f"{name} = [{element}]"],
            [f"{name} = []", f"{name}.append({element})"],
            [f"{name} = [{element}, {element}]"],
            [f"{name} = []", f"{name}.extend([{element}, {element}])"],
            [f"{name} = [{element}, {element}]", f"low0 = {name}.pop()"],
            [f"{name} = [{element}]", f"{name}.pop()", f"{name}.append({element})"],
        )
        take = f"{name}.{dice.pick('pop()', 'pop()', 'pop()', 'pop(0)')}"
        test = dice.pick(name, name, f"len({name}) > 0", f"len({name})", "g < n")
        body = ["g += 1", f"{', '.join(names)} = {take}"]
        body += self._worked(name, names)
        cond = f"g < n and {test}" if dice.chance(70) else f"{test} and g < n"
        lines = [*begin, "g = -1" if dice.chance(50) else "g = 0"]
        lines += [f"while {cond.replace('g < n and g < n', 'g < n')}:"]
        # The last round is one too far for arrays at times.
        return [*lines, *indented(body)]

    def _worked(self, name: str, names: list[str]) -> list[str]:
        """What is done with what was taken."""
        dice = self.dice
        low = names[0]
        lines: list[str] = []
        factor = dice.pick(2, 2, 1000003)
        for _ in range(dice.pick(1, 2, 2)):
            values = ", ".join(
                dice.pick(f"{low} + 1", "g", f"{x} * {factor}", x, f"{low} - 1")
                for x in names
            )
            add = [f"{name}.append({values if len(names) == 1 else f'({values})'})"]
            test = self._test(f"{low} < 3", f"len({name}) < 5", f"not {name}")
            lines += [f"if {test}:", *indented(add)] if dice.chance(75) else add
        part = "" if len(names) == 1 else f"[{dice.pick(0, 1, -1)}]"
        last = f"{name}[{dice.pick('-1', '-1', '-1', '0', '-2', '1', 'g', low)}]{part}"
        if dice.chance(60):
            store = f"{WRITTEN}[g] {dice.pick('=', '+=')} {dice.pick(low, last, last)}"
            guard = dice.pick(name, f"len({name}) > 1", "")
            lines += [f"if {guard}:", f"    {store}"] if guard else [store]
        if dice.chance(25) and len(names) == 1:
            place = dice.pick("-1", "0", "g")
            lines += [f"if {name}:", f"    {name}[{place}] {dice.pick('=', '+=')} 3"]
        if dice.chance(20):
            test = f"{name} and {last.replace('[0]', '[-1]', 1)} > 1"
            lines += [f"while {test}:", f"    {name}.pop()"]
        if dice.chance(15):
            lines += [f"if {self._test()}:", f"    {dice.pick('break', 'continue')}"]
        return lines

    def within(self) -> list[str]:
        """A list that each round makes anew."""
        dice, name = self.dice, FOUND + "2"
        parts = dice.pick(1, 1, 2)
        one = self._element(parts, "h")
        part = "" if parts == 1 else f"[{dice.pick(0, 1)}]"
        add = [f"{name}.append({one})"]
        test = dice.pick("h % 2 == 0", f"{READ}[h] > 1", "h < g")
        inner = [f"for h in range({dice.pick('n', 'g', '3')}):"]
        inner += indented([f"if {test}:", *indented(add)])
        use = dice.pick(
            [f"{WRITTEN}[g] = len({name})"],
            [f"for k in range(len({name})):", f"    {WRITTEN}[g] += {name}[k]{part}"],
            [f"while {name}:", f"    {WRITTEN}[g] += 1", f"    {name}.pop()"],
            [f"if {name}:", f"    {WRITTEN}[g] = {name}[-1]{part}"],
            [f"{WRITTEN}[g] = {name}[0]{part}"],
        )
        start = dice.pick("[]", "[]", "[]", f"[{self._element(parts)}]")
        return ["for g in range(n):", *indented([f"{name} = {start}", *inner, *use])]
