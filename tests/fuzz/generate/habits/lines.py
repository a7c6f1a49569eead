"""Statements: tuples with names, names without values, guards, and loops over anything.

Each is drawn as lines for a place in some loops; those that have a place for more
statements draw these again.
"""

from __future__ import annotations

from fuzz.generate.habits.counted import counted
from fuzz.generate.habits.page import Page, indented
from fuzz.generate.habits.values import row, value
from fuzz.generate.surroundings import Loops

DEEP = 2
"""In so many statements of this kind another one stands at most."""


def lines(page: Page, loops: Loops, deep: int = 0) -> list[str]:
    """Some statements.

    Args:
        page: what they are made of. loops: those around them.
        deep: in how many others they stand.
    """
    kinds = {_stored: 26, _pair: 14, _apart: 11, _perhaps: 15, _made: 7, _table: 6}
    kinds |= {_counted: 12}
    if deep < DEEP:
        kinds |= {_guarded: 16, _written_out: 12, _sequence: 10}
    (kind,) = page.dice.random.choices(list(kinds), list(kinds.values()))
    found = kind(page, loops, deep)
    if page.dice.chance(15) and loops:
        found += [
            f"if {page.test(loops)}:",
            f"    {page.dice.pick('continue', 'break')}",
        ]
    return found


def _stored(page: Page, loops: Loops, deep: int) -> list[str]:
    sign = page.dice.pick("=", "=", "+=", "-=", "*=")
    return [f"{page.target(loops)} {sign} {value(page, loops)}"]


def _counted(page: Page, loops: Loops, deep: int) -> list[str]:
    return counted(page, loops)


def _pair(page: Page, loops: Loops, deep: int) -> list[str]:
    """A tuple with a name that is made anew, perhaps, and read."""
    dice = page.dice
    name = dice.pick("pair", "best")
    if name not in page.returns:
        page.returns.append(name)
        if dice.chance(55):
            first = dice.pick("0, 0", "-1, 0.5", "0, -1")
            page.first.append(f"{name} = ({first})")
            page.begun.add(name)
    own = value(page, loops) if dice.chance(35) else page.cell(loops)
    wholes, tests = [f"{page.number(loops)}, {own}"], [page.test(loops)]
    if name in page.begun:
        wholes += [f"{own}, {name}[0]", f"{name}[1], {name}[{dice.pick('0', '-2')}]"]
        tests.append(f"{page.cell(loops)} > {name}[1]")
    whole, test = dice.pick(*wholes), dice.pick(*tests)
    make = f"{name} = ({whole})"
    found = [f"if {test}:", f"    {make}"] if dice.chance(60) else [make]
    if name not in page.begun and dice.chance(70):
        return found
    use = f"{page.target(loops)} {dice.pick('=', '+=')} {name}[{dice.pick(0, 1, -1)}]"
    apart = [f"low, high = {name}", f"{page.target(loops)} += low - high"]
    return [*found, *dice.pick([], [use], apart)]


def _apart(page: Page, loops: Loops, deep: int) -> list[str]:
    """A row that is taken apart, or put together."""
    dice = page.dice
    pairs = page.pairs()
    at = page.position(loops)
    put = f"{pairs}[{at}] = {page.cell(loops)}, {page.cell(loops)}"
    page.written.add(pairs)
    take = f"left, right = {pairs}[{at}]"
    use = f"{page.target(loops)} += left - right"
    back = f"{pairs}[{page.position(loops)}] = right, left"
    return dice.pick([take, use], [take, use], [take, back], [put], [put, take, use])


def _perhaps(page: Page, loops: Loops, deep: int) -> list[str]:
    """A name that gets a value only where data say so."""
    dice = page.dice
    name = dice.pick("found", "last")
    fresh = name not in page.perhaps
    if fresh:
        page.perhaps.append(name)
        page.returns.append(name)
    kept = dice.pick(page.cell(loops), page.cell(loops), page.number(loops))
    keep = f"{name} = {kept}"
    found = [keep] if dice.chance(20) else [f"if {page.test(loops)}:", f"    {keep}"]
    if found[1:] and dice.chance(15):
        found += ["else:", f"    {name} = {page.number(loops)}"]
    if dice.chance(25):
        found.append(f"{page.target(loops)} += {name}")
    return found


def _made(page: Page, loops: Loops, deep: int) -> list[str]:
    """An array that a loop makes, fills and reads, and exchanges with another."""
    dice = page.dice
    loop = page.fresh(loops)
    change = dice.pick(
        [
            f"for {loop} in range(3):",
            f"    own[{loop}] += {value(page, (*loops, loop))}",
        ],
        ["own, other = other, own", f"own[0] += {page.cell(loops)}"],
        [f"own[:] = own * 2 + {page.cell(loops)}", "other[1:] += own[:-1]"],
        ["own = own + other"],
        [f"own[:] = (own - {page.cell(loops)}) ** 2"],
        ["own[:] = (own - other * 3) ** 2"],
    )
    make = ["own = np.zeros(3)", f"other = np.{dice.pick('ones', 'zeros')}(3)"]
    return [*make, *change, f"{page.target(loops)} += own[{dice.pick(0, 2, -1)}]"]


def _guarded(page: Page, loops: Loops, deep: int) -> list[str]:
    """Cells that are only touched where a test says that they are there."""
    dice = page.dice
    if not loops:
        return _stored(page, loops, deep)
    loop, size = dice.pick(*loops), dice.pick("n", "n", "m")
    of = page.array()
    if of.row:
        of = page.arrays[0]
    by = dice.pick("1", "1", "2")

    def cell(at: str) -> str:
        others = [page.position(loops) for _ in range(of.rank - 1)]
        return f"{of.name}[{', '.join(dice.pick([at, *others], [*others, at]))}]"

    page.written.add(of.name)
    more, less = cell(f"{loop} + {by}"), cell(f"{loop} - {by}")
    inside = dice.pick(f"0 < {loop} < {size} - 1", f"{by} <= {loop} < {size} - {by}")
    target, sign = page.target(loops), dice.pick("=", "+=")
    far = dice.pick("0", "0.5", page.cell(loops))
    return dice.pick(
        [f"if {inside}:", f"    {target} {sign} {less} + {more}"],
        [f"if {inside}:", *indented(lines(page, loops, deep + 1))],
        [f"{target} {sign} {more} if {loop} + {by} < {size} else {far}"],
        [f"{target} {sign} ({less} if {loop} > 0 else {far}) * 2"],
        [
            *(f"if {loop} > 0:", f"    {less} += {far}"),
            *(f"if {loop} + 1 < {size}:", f"    {more} += {far}"),
        ],
        [
            *(f"if {loop} == 0 or {loop} == {size} - 1:", f"    {target} {sign} {far}"),
            *("else:", f"    {target} {sign} {more} - {less}"),
        ],
    )


def _written_out(page: Page, loops: Loops, deep: int) -> list[str]:
    """A loop over numbers that the source has."""
    dice = page.dice
    loop = page.fresh(loops)
    inner = indented(lines(page, (*loops, loop), deep + 1))
    size = dice.pick("n", "m")
    around = [f"    if 0 <= {x} + {loop} < {size}:" for x in loops[:1]]
    table = dice.pick("(-1, 0, 1)", "(2, 0, 1)", "(1, 0, -1, 2)", "[0, 1]")
    weights = dice.pick("(0.5, 0.25, 1.0)", "((0.5), 2, 0.25)")
    return dice.pick(
        [f"for {loop} in {table}:", *inner],
        [f"for {loop} in {table}:", *around, *(indented(inner) if around else inner)],
        [f"for {loop}, w in enumerate({weights}):", *inner],
        [
            f"for {loop}, w in ((0, 1), (1, 0), (0, -1)):",
            f"    {page.target((*loops, loop))} += w * {page.cell(loops)}",
        ],
    )


def _table(page: Page, loops: Loops, deep: int) -> list[str]:
    """Numbers that the source writes out, by their positions."""
    dice = page.dice
    loop = page.fresh(loops)
    table = "weights = (1, 0.5, -2, 4)"
    if table not in page.first:
        page.first.append(table)
    count = dice.pick("4", "4", "len(weights)", "3", "5")
    at = dice.pick(loop, loop, "0", "-1", *loops)
    use = f"    {page.target((*loops, loop))} += weights[{at}] * {page.cell(loops)}"
    return [f"for {loop} in range({count}):", use]


def _sequence(page: Page, loops: Loops, deep: int) -> list[str]:
    """A loop over elements, or from the end."""
    dice = page.dice
    loop, one = page.fresh(loops), row(page, loops)
    inner = indented(lines(page, (*loops, loop), deep + 1))
    plain, other = (f"{page.target(loops)} += ", f" * {page.cell(loops)}")
    use, used = (f"    {plain}{element}{other}" for element in ("w", "f"))
    name = dice.pick("total", "total", "f")
    summed = [f"total = {dice.pick('0', '0.0')}", f"for f in {one}:"]
    summed += [f"    total += {name} * f", f"{page.target(loops)} = total"]
    pairs = page.pairs() if dice.chance(30) else ""
    if pairs:
        head = dice.pick(
            f"left, right in {pairs}", f"{loop}, (left, right) in enumerate({pairs})"
        )
        return [f"for {head}:", f"    {page.target(loops)} += left * 0.5 - right"]
    return dice.pick(
        [f"for {loop} in reversed(range({dice.pick('3', 'n')})):", *inner],
        [f"for w in reversed({one}):", use],
        [f"for f in {one}:", used],
        [f"for {loop}, w in enumerate({one}):", use, *inner],
        [f"for w, z in zip({one}, {row(page, loops)}):", f"{use} - z"],
        summed,
    )
