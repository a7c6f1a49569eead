"""Loops that end early, around statements of random functions.

They have dice of their own, so that all other functions stay what they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fuzz.programs.dice import Dice
from fuzz.programs.model import Assign, For, Function, If, Node, Odd, Printer
from fuzz.programs.terms import Cell, cells, names, text

SHARE = 60
"""How many of a hundred statements stand in such a loop, where any do."""

ROUNDS = 60
"""How many of a hundred loops become ``while``, where any do."""

OWN = frozenset("vw")
"""The names that these loops bind."""

JUMPS = ("break", "continue")


def ending(function: Function, dice: Dice) -> Function:
    """The function with loops that end early around some of its statements."""
    return replace(function, body=_ending(function.body, (), dice))


def in_rounds(function: Function, dice: Dice) -> Function:
    """The function with some of its loops written as ``while``, and without names.

    Where anything has a name a ``while`` is no nest, and nothing in it may have one.
    """
    return replace(function, body=_in_rounds(_unnamed(function.body), dice))


def _in_rounds(nodes: tuple[Node, ...], dice: Dice) -> tuple[Node, ...]:
    found: list[Node] = []
    for node in nodes:
        match node:
            case If(_, body, orelse):
                parts = _in_rounds(body, dice), _in_rounds(orelse, dice)
                node = replace(node, body=parts[0], orelse=parts[1])
            case For(body=body, flat=False):
                inner = _in_rounds(body, dice)
                node = replace(node, body=inner, rounds=dice.chance(ROUNDS))
        found.append(node)
    return tuple(found)


def _unnamed(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Nodes without the names that directives give them."""
    found: list[Node] = []
    for node in nodes:
        match node:
            case Assign():
                node = replace(node, label="")
            case If(_, body, orelse):
                parts = _unnamed(body), _unnamed(orelse)
                node = replace(node, body=parts[0], orelse=parts[1])
            case For(body=body):
                node = replace(node, label="", body=_unnamed(body))
        found.append(node)
    return tuple(found)


def leaving(function: Function, dice: Dice) -> Function:
    """The function with an end behind one of its statements in loops."""
    inside = [*_inside(function.body, ())]
    if not inside:
        return function
    node, loops = dice.pick(*inside)
    return replace(function, body=_with(function.body, node, _left(node, loops, dice)))


def _inside(
    nodes: tuple[Node, ...], loops: tuple[str, ...]
) -> Iterator[tuple[Assign, tuple[str, ...]]]:
    """The statements in loops, with these."""
    for node in nodes:
        match node:
            case Assign(label="") if loops:
                yield node, loops
            case If(_, body, orelse):
                yield from _inside((*body, *orelse), loops)
            case For(var=var, body=body):
                yield from _inside(body, (*loops, var))


def _with(nodes: tuple[Node, ...], old: Assign, new: Odd) -> tuple[Node, ...]:
    """Nodes with another in the place of one of them."""
    found: list[Node] = []
    for node in nodes:
        match node:
            case If(_, body, orelse):
                parts = _with(body, old, new), _with(orelse, old, new)
                node = replace(node, body=parts[0], orelse=parts[1])
            case For(body=body):
                node = replace(node, body=_with(body, old, new))
        found.append(new if node is old else node)
    return tuple(found)


def _left(node: Assign, loops: tuple[str, ...], dice: Dice) -> Odd:
    """A statement with a ``return`` or an exception behind it."""
    (line,) = replace(node, comment="").lines(Printer(), loops)
    known = [text(one) for one in cells(node.value)]
    loop = dice.pick(*loops)
    tests = [f"{loop} == 2", *(f"{one} > {dice.pick(0, 2)}" for one in known)]
    values = ["", loop, "-1.5", f"{loop} + 1, True", *(f"{x}, {loop}" for x in known)]
    test, value = dice.pick(*tests), dice.pick(*values)
    end = dice.pick(
        (f"if {test}:", f"    return {value}".rstrip()),
        (f"if {test}:", f"    raise KeyError({value})"),
        (f"assert not {test}, ({value})",),
    )
    lines = line, *end
    used = names(node.value) | names(node.target)
    return Odd(lines, used | {loop}, _written(node))


def _ending(
    nodes: tuple[Node, ...], loops: tuple[str, ...], dice: Dice
) -> tuple[Node, ...]:
    found: list[Node] = []
    for node in nodes:
        match node:
            case Assign(label="") if loops and dice.chance(SHARE):
                node = _looped(node, loops, dice)
            case If(_, body, orelse):
                parts = _ending(body, loops, dice), _ending(orelse, loops, dice)
                node = replace(node, body=parts[0], orelse=parts[1])
            case For(var=var, body=body):
                node = replace(node, body=_ending(body, (*loops, var), dice))
        found.append(node)
    return tuple(found)


def _looped(node: Assign, loops: tuple[str, ...], dice: Dice) -> Odd:
    """A statement in a loop that may end before it, behind it or in between."""
    (line,) = replace(node, comment="").lines(Printer(), loops)
    known = [text(one) for one in cells(node.value)]
    known += [text(node.target)] if isinstance(node.target, Cell) else []
    loop = dice.pick(*loops)
    tests = [f"w > {loop}", f"{loop} % 2 == w", "w == 1"]
    tests += [f"{one} > w" for one in known] * 2
    test, other, jump = dice.pick(*tests), dice.pick(*tests), dice.pick(*JUMPS)
    head = dice.pick("for w in range(3):", f"for w in range({loop} + 1, -1, -2):")
    count = dice.pick(3, 4)
    lines = dice.pick(
        (head, f"    if {test}:", f"        {jump}", f"    {line}"),
        (
            head,
            f"    {line}",
            f"    if {test}:",
            "        break",
            "else:",
            f"    {line}",
        ),
        (
            *(head, f"    if {test}:", f"        {jump}", f"    {line}"),
            *(f"    if {other}:", "        break", "else:", f"    {line}"),
        ),
        ("w = 0", f"while w < {count}:", "    w += 1", f"    {line}"),
        (
            *("w = 0", f"while w < {count} and not {test}:", f"    {line}"),
            *("    w += 2", "else:", f"    {line}"),
        ),
        (
            *("w = 0", "while True:", "    w += 1", f"    if {test} or w > {count}:"),
            *("        break", f"    if {other}:", "        continue", f"    {line}"),
        ),
        (
            *("v = -1", head, f"    if {test}:", "        v = w", "        break"),
            *("if v >= 0:", f"    {line}"),
        ),
    )
    used = names(node.value) | names(node.target)
    return Odd(lines, used | {loop} | OWN, _written(node))


def _written(node: Assign) -> frozenset[str]:
    """The array that a statement writes, if it does so."""
    return frozenset((node.target.array,) if isinstance(node.target, Cell) else ())
