"""Draws forms that are seldom written and that were faults of looptx once.

They have dice of their own, so that all other programs stay what they are: arrays under
two names of the module or through objects, elements in two steps, sizes that change in
front of a nest, names in other letters, arrays made like others, names known nowhere.
"""

from __future__ import annotations

import re
from dataclasses import replace

from fuzz.generate.buffers import ROWS, scratch, temporary
from fuzz.generate.program import SCHEDULES
from fuzz.generate.surroundings import Loops, put_in
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Assign, For, Function, If, Local, Node, Program
from fuzz.programs.reading import program as read
from fuzz.programs.setting import ALIASES, KEPT, LOCAL, PLAIN, Setting
from fuzz.programs.terms import (
    ONE,
    Cell,
    Chained,
    Expr,
    Name,
    Num,
    Op,
    add,
    parts,
    put,
)

SHARE = 12
"""How many of a hundred programs without surroundings have one."""

BUFFERED = 11
"""How many of a hundred of them keep rows of a temporary for a while instead."""

SCRATCH = 4
"""How many of a hundred of them are given the array that they keep something in."""

ASSUMED = 3
"""How many of a hundred of them have a nest whose order matters only where what is
assumed does not hold."""

DISTANCES = (-1, -1, 0, 1, 1)
SIZES = (
    ("n", "n - 1"), ("n", "n - 1"), ("n", "n // 2"), ("n", "max(n - 2, 0)"),
    ("n", "min(n, m)"), ("n", "abs(n - 3)"), ("m", "m - 1"), ("m", "n + 1"),
)  # fmt: skip
"""What sizes become."""


def formed(program: Program, body: int, seed: int) -> Program:
    """A program with one of the forms, at times; or one that is made for it.

    Args:
        program: with its directives. body: the number of its statements.
        seed: its own number.
    """
    dice = Dice(f"form {body}")
    plain = all(one.setting == PLAIN for one in program.functions)
    if not plain or program.hides:
        return program
    if Dice(f"rows {body}").chance(BUFFERED):
        return temporary(body, seed % SCHEDULES, ROWS)
    if Dice(f"scratch {body}").chance(SCRATCH):
        return scratch(body, seed % SCHEDULES)
    if Dice(f"assumed {body}").chance(ASSUMED):
        return _assumed(Dice(f"assumed {body} order"), Dice(f"assumed {seed}"))
    if not dice.chance(SHARE):
        return program
    kind = dice.pick(*KINDS)
    if kind is _shared:
        return _shared(dice, Dice(f"form {seed}"))
    if kind is _kept:
        return _kept(dice, body, seed)
    at = dice.pick(*range(len(program.functions)))
    changed = kind(program.functions[at], dice)
    functions = (*program.functions[:at], changed, *program.functions[at + 1 :])
    return replace(program, functions=functions)


def ways(dice: Dice, outside: bool) -> str:
    """How an array gets its second name: in one step, or in several."""
    known = [*ALIASES, "match", "match", *KEPT, *["method"] * 3]
    if outside:
        known = [x for x in known if x not in LOCAL] + ["plain"] * 12
    count = 1 if outside else dice.pick(1, 1, 2, 3)
    return ",".join(dice.pick(*known) for _ in range(count))


def _shared(dice: Dice, own: Dice) -> Program:
    """A nest that reads an array under one name and writes it under another one.

    It gets the name in a way that follows from ``own``: there are many.
    """
    rank = dice.pick(1, 2, 2)
    old, new = ("x", "y") if rank == 1 else ("A", "B")
    outside = dice.chance(30)
    loops = (("i", "n"), ("j", "m"))[:rank]
    here: tuple[Expr, ...] = tuple(Name(loop) for loop, _ in loops)
    there = tuple(add(one, dice.pick(*DISTANCES)) for one in here)
    if there == here:
        there = (add(here[0], -1), *here[1:])
    one, two = dice.pick((old, new), (new, old))
    value: Expr = Op("+", Cell(two, there), dice.pick(ONE, Cell(one, here)))
    body: Node = Assign(Cell(one, here), dice.pick("=", "=", "+="), value)
    texts = [f"parallel {own.pick(*(loop for loop, _ in loops))}"]
    texts += ["vectorize i", "split i 3"] if rank == 1 else ["reorder j i"] * 2
    texts += ["parallel i"] if rank == 1 else ["tile i=2 j=3", "vectorize j"]
    above: tuple[str, ...] = (own.pick(*texts),)
    for loop, size in reversed(loops):
        directives = above if loop == "i" else ()
        body = For(loop, ONE, add(Name(size), -1), 1, (body,), directives)
    known = ((old, rank),) if outside else ()
    setting = Setting(alias=(new, old, ways(own, outside)), outside=known)
    kind = dice.pick("float64", "int64")
    made = Function("f0", (Array(old, rank, kind),), (body,), setting=setting)
    return Program((made,))


def _assumed(dice: Dice, own: Dice) -> Program:
    """A nest of which only the sizes that it is not meant for need the order."""
    given, wrong = dice.pick(
        ("n <= m", "n > m"), ("m <= n", "m > n"), ("n == m", "n != m")
    )
    there = dice.pick("i - 1, j + 1", "i - 1, j - 1", "i + 1, j - 1", "i - 1, j")
    order = own.pick("parallel i", "parallel i", "vectorize i", "reorder j i")
    text = f"""
def f0(A, B, n, m):
    # looptx: assume {given} | {order}
    for i in range(1, n):
        for j in range(1, m):
            if {wrong}:
                A[i, j] = A[{there}] + {dice.pick("1", "j")}
            B[i, j] = A[i, j] * 2
"""
    return read(text)


def _kept(dice: Dice, body: int, seed: int) -> Program:
    """A temporary that is made like another array, or whose type has no keyword."""
    made = temporary(body, seed % SCHEDULES)
    function = made.functions[0]
    (own,) = function.locals
    same = [array.name for array in function.arrays if array.rank == len(own.shape)]
    if same and dice.chance(50):
        maker = own.maker if own.maker != "full" else "zeros"
        own = replace(own, like=dice.pick(*same), maker=maker, dtype="")
    else:
        own = replace(own, behind=True, dtype=own.dtype or "float32")
    function = replace(function, locals=(own,))
    if dice.chance(50):
        function = chained(function, own)
    return Program((function,))


def chained(function: Function, own: Local | Array) -> Function:
    """The function with all elements of an array in two steps."""

    def steps(expr: Expr) -> Expr:
        for at, part in enumerate(parts(expr)):
            expr = put(expr, at, steps(part))
        if isinstance(expr, Cell) and expr.array == own.name and len(expr.at) == 2:
            return Chained(expr.array, expr.at)
        return expr

    def changed(node: Node) -> Node:
        match node:
            case Assign(target, _, value):
                whole = steps(target)
                assert isinstance(whole, Cell | Name)
                return replace(node, target=whole, value=steps(value))
            case If(condition, body, orelse):
                inside = tuple(map(changed, body)), tuple(map(changed, orelse))
                return If(steps(condition), *inside)
            case For(_, start, stop, _, body):
                inner = tuple(map(changed, body))
                return replace(node, start=steps(start), stop=steps(stop), body=inner)
        return node

    return replace(function, body=tuple(map(changed, function.body)))


def in_steps(function: Function, dice: Dice) -> Function:
    """Elements in two steps, those of an array of the function's own if it has one."""
    owns: list[Local | Array] = [x for x in function.locals if len(x.shape) == 2]
    found = owns or [array for array in function.arrays if array.rank == 2]
    return chained(function, dice.pick(*found)) if found else function


def resized(function: Function, dice: Dice) -> Function:
    """A size is another one in front of the nests."""
    name, text = dice.pick(*SIZES)
    setting = Setting(derived=((name, text, text),))
    # What comes from the other size is an integer only if that is known to be one.
    other = "m" if name == "n" else "n"
    typed = (
        function.annotated
        or dice.chance(70)
        or re.search(rf"\b{other}\b", text) is not None
    )
    return replace(function, setting=setting, annotated=typed)


def respelled(function: Function, dice: Dice) -> Function:
    """Names in other letters that mean the same."""
    number = dice.random.randrange(1, 10**6)
    return replace(function, setting=Setting(spelled=number))


def _idle(function: Function, dice: Dice) -> Function:
    """Only dead code sets a name that nothing else knows."""

    def dead(loops: Loops) -> Node:
        one = Name(dice.pick(*loops))
        never = dice.pick(Op("<", one, Num(-40)), Op("!=", one, one))
        return If(never, (Assign(Name("u"), "=", Num(2)),))

    body = put_in(function.body, dice, dead)
    return replace(function, body=body, setting=Setting(idle="u"))


KINDS = (
    *[_shared] * 4, _kept, in_steps, *[resized] * 2, respelled, _idle,
)  # fmt: skip
"""What is drawn, and how often."""
