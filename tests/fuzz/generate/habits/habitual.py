"""Functions with lines that people write, in loops of theirs and in own ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from fuzz.generate.habits.lines import lines
from fuzz.generate.habits.page import Page, indented
from fuzz.generate.surroundings import Loops, put_in
from fuzz.programs.dice import Dice
from fuzz.programs.model import For, Function, Node, Odd

WORD = re.compile(r"[A-Za-z_]\w*")


def habitual(function: Function, dice: Dice, inside: bool = True) -> Function:
    """A function with more lines.

    Args:
        function: what it was. dice: the choices.
        inside: whether loops that it has may get some.
    """
    page = Page(
        dice, list(function.arrays), known=[name for name, _ in function.starts]
    )
    body = function.body
    if dice.chance(30):
        body = ()
    for _ in range(dice.pick(1, 1, 2, 2, 3)):
        if inside and dice.chance(50) and any(isinstance(x, For) for x in body):
            body = put_in(
                body, dice, lambda loops: odd(page, _lines(page, loops), loops)
            )
        else:
            at = dice.random.randrange(len(body) + 1)
            own = dice.pick(*_WHOLE)(page)
            body = (*body[:at], odd(page, own, ()), *body[at:])
    if page.first:
        body = (odd(page, page.first, ()), *body)
    return finished(page, function, body)


def finished(page: Page, function: Function, body: Sequence[Node]) -> Function:
    """A function with another body, and with what that needs.

    Args:
        page: what the lines are made of. function: what it was. body: of it.
    """
    returns = [name for name in page.returns if page.dice.chance(70)]
    again = replace(function, body=(*body,), arrays=tuple(page.arrays))
    kept = tuple(x for x in function.returns if x in dict(function.starts))
    again = replace(again, returns=(*kept, *(x for x in returns if x not in kept)))
    used = {*again.used(), *([function.giver] if function.shaped else [])}
    used |= {one.like for one in page.arrays if one.name in used}
    starts = tuple(one for one in function.starts if one[0] in used)
    arrays = tuple(one for one in page.arrays if one.name in used)
    return replace(again, starts=starts, arrays=arrays or function.arrays[:1])


def odd(page: Page, text: Sequence[str], loops: Loops) -> Node:
    """Lines as a statement."""
    words = frozenset(WORD.findall(" ".join(text)))
    return Odd(tuple(text), words | {*loops}, frozenset(page.written) & words)


def _lines(page: Page, loops: Loops) -> list[str]:
    found: list[str] = []
    for _ in range(page.dice.pick(1, 1, 2, 3)):
        found += lines(page, loops)
    return found


def _nest(page: Page) -> list[str]:
    """One or two loops of its own."""
    dice = page.dice
    head = dice.pick("range(n)", "range(n)", "range(1, n)", "range(n - 1, -1, -1)")
    found = [f"for g in {head}:"]
    if dice.chance(15) and "g" not in page.returns:
        page.returns.append("g")
    if dice.chance(35):
        inner = dice.pick("range(m)", "range(g + 1)", "range(g, n)", "range(3)")
        deeper = [f"for h in {inner}:", *indented(_lines(page, ("g", "h")))]
        some = lines(page, ("g",)) if dice.chance(50) else []
        deeper = [*some, *deeper] if dice.chance(50) else [*deeper, *some]
        return [*found, *indented(deeper)]
    return [*found, *indented(_lines(page, ("g",)))]


def _flat(page: Page) -> list[str]:
    """A loop over all elements of an array."""
    dice = page.dice
    of = page.array().name
    cells = dice.pick(f"{of}.ravel()", f"{of}.ravel()", f"{of}.flatten()")
    head = dice.pick(
        f"w in {cells}",
        f"g, w in enumerate({cells})",
        f"(g, h), w in np.ndenumerate({of})",
    )
    loops = () if head.startswith("w") else ("g",)
    use = f"    {page.target(loops)} {dice.pick('+=', '=')} w * 0.5"
    more = lines(page, loops) if loops and dice.chance(50) else []
    return [f"for {head}:", use, *indented(more)]


def _sweeps(page: Page) -> list[str]:
    """Two arrays that exchange their names at each step."""
    dice = page.dice
    one, two = page.swept()
    page.written |= {one, two}
    near = dice.pick(
        f"{one}[g - 1] + {one}[g + 1]", f"{one}[g] * 0.5 + t", f"{one}[n - 1 - g]"
    )
    store = f"{two}[g] {dice.pick('=', '=', '+=')} {near}"
    more = lines(page, ("t", "g")) if dice.chance(45) else []
    head = (
        "range(1, n - 1)" if "g - 1" in near else dice.pick("range(n)", "range(1, n)")
    )
    inner = [f"for g in {head}:", *indented([store, *more])]
    swap = dice.pick(f"{one}, {two} = {two}, {one}", f"{two}, {one} = {one}, {two}")
    if dice.chance(20):
        inner += [f"if {page.cell(('t',))} > 1:", f"    {swap}"]
    else:
        inner = [swap, *inner] if dice.chance(20) else [*inner, swap]
    if dice.chance(30):
        inner += lines(page, ("t",))
    for name in (one, two):
        if name not in page.returns and dice.chance(50):
            page.returns.append(name)
    found = [f"for t in range({dice.pick('m', '3', 'n')}):", *indented(inner)]
    # A team of threads exchanges the names, each for itself.
    alone = not more and "[n - 1 - g]" in near
    return ["# looptx: parallel g", *found] if alone else found


def _rounds(page: Page) -> list[str]:
    """An array that each step makes anew and hands on."""
    dice = page.dice
    one, _ = page.swept()
    page.written.add(one)
    make = dice.pick(
        "np.zeros(n)", f"np.zeros_like({one})", f"{one}.copy()", f"{one} * 0.5"
    )
    near = dice.pick(f"{one}[g - 1] + {one}[g + 1]", f"{one}[n - 1 - g] + t")
    store = f"new[g] {dice.pick('=', '+=')} {near}"
    more = lines(page, ("t", "g")) if dice.chance(30) else []
    found = [f"new = {make}", "for g in range(1, n - 1):", *indented([store, *more])]
    if dice.chance(20):
        found += [f"if {page.test(('t',))}:", "    continue"]
    found.append(f"{one} = new")
    if dice.chance(30):
        found += lines(page, ("t",))
    if one not in page.returns:
        page.returns.append(one)
    return [f"for t in range({dice.pick('m', '3', 'n')}):", *indented(found)]


def _stretches(page: Page) -> list[str]:
    """Slices whose bounds are elements, and statements on arrays that data decide."""
    dice = page.dice
    one, two = page.swept()
    page.written.add(one)
    size = dice.pick("2", "2", "m", "1")
    start = dice.pick("(g * 2) % 3", "(g * 2) % 3", "g - 1", f"int(abs({one}[g])) % 4")
    part = f"{one}[low : low + {size}]"
    of = dice.pick(
        f"{two}[low : low + {size}]", f"{two}[:{size}]", f"{part} * 0.5", "g"
    )
    later = f"{one}[low + 1 : low + {size} + 1]"
    near = dice.pick(later, of)
    store = f"{part} {dice.pick('=', '+=')} {dice.pick(of, near)}"
    if dice.chance(40):
        # What overlaps as loops would not have it, and what is perhaps as long.
        store = dice.pick(f"{later} = {part}", f"{one}[low:] = {two}[:{size}]")
    found = [f"low = {start}", store]
    if dice.chance(60):
        found = [found[0], f"if {page.test(('g',))}:", *indented(found[1:])]
    if dice.chance(40):
        found += lines(page, ("g",))
    if one not in page.returns:
        page.returns.append(one)
    return ["for g in range(n):", *indented(found)]


_WHOLE = (_nest, _nest, _nest, _sweeps, _sweeps, _flat, _rounds, _stretches)
"""What stands for itself."""
