"""Functions that keep something in an array of their own, which ``temp`` makes smaller.

Each fills it in one of several ways and reads it back: other programs seldom stay
inside of it. The directives are some that change how long a cell is needed, and
``temp`` at the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from textwrap import indent

from fuzz.programs.dice import Dice
from fuzz.programs.model import SCRATCH, Array, For, Function, Program
from fuzz.programs.reading import program
from fuzz.programs.setting import PLAIN

KIND = "float64"
GIVEN = 25
"""How many of a hundred functions with arrays of their own get them instead."""

VALUES = ("A[i, j] * 2", "A[i, j] + j", "A[j, i] - 1", "i - j", "3")
DTYPES = ("", "", "", "", "float32", "int64", "int64", "complex128", "bool")

Body = tuple[str, str, list[str]]
"""The nests, the shape of ``T``, and the loops that directives may change."""

Maker = Callable[[Dice], Body]


def temporary(
    seed: int, schedule: int | None, makers: Sequence[Maker] | None = None
) -> Program:
    """A function with an array of its own.

    Args:
        seed: of the function.
        schedule: which of its lists of directives; None for none.
        makers: what is drawn, and how often.
    """
    dice = Dice(f"buffer {seed}")
    make = dice.pick(*makers or MAKERS)
    body, shape, loops = make(dice)
    maker = dice.pick("zeros", "zeros", "ones", "empty", "full")
    unset = make in (changed, history, corner, guarded) or "+=" in body
    if maker == "empty" and unset and dice.chance(75):
        maker = "zeros"
    dtype = dice.pick(*DTYPES)
    more = ", 2" * (maker == "full") + f", dtype=np.{dtype}" * bool(dtype)
    line = ""
    if schedule is not None:
        texts = _directives(Dice(f"buffer {seed} {schedule}"), list(loops))
        line = f"# looptx: {' | '.join(texts)}\n"
    lines = f"T = np.{maker}({shape}{more})\n{body}"
    if not loops:
        return program(f"{line}{_function(lines)}", KIND)
    return program(_function(re.sub("(?m)^for ", f"{line}for ", lines, count=1)), KIND)


def given(program: Program, seed: int) -> Program:
    """A program whose functions get their arrays from the caller, at times.

    Args:
        program: with its directives. seed: of its statements.
    """
    dice = Dice(f"given {seed}")
    functions = tuple(
        _given(one)
        if one.locals and one.setting == PLAIN and dice.chance(GIVEN)
        else one
        for one in program.functions
    )
    return replace(program, functions=functions)


def _given(function: Function) -> Function:
    """A function whose own arrays are arguments that nobody looks at afterwards."""
    own = {one.name for one in function.locals}
    if not own or own & {one.name for one in function.arrays}:
        return function
    found = tuple(
        Array(one.name, len(one.shape), one.dtype or "float64")
        for one in function.locals
    )
    scratch = f"(^|\\| )temp (?=({'|'.join(one.name for one in found)})( |$))"

    def told(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(re.sub(scratch, rf"\1{SCRATCH}", text) for text in texts)

    body = tuple(
        replace(node, directives=told(node.directives))
        if isinstance(node, For)
        else node
        for node in function.body
    )
    arrays = (*function.arrays, *found)
    return replace(
        function,
        arrays=arrays,
        locals=(),
        body=body,
        directives=told(function.directives),
    )


def _function(body: str) -> str:
    names = [x for x in ("A", "B", "x") if f"{x}[" in body]
    return f"def f0({', '.join(names)}, n, m):\n{indent(body, '    ')}"


def _nest(loop: str, bounds: str, body: str) -> str:
    return f"for {loop} in range({bounds}):\n{indent(body, '    ')}"


def _square(body: str, columns: str = "m") -> str:
    return _nest("i", "n", _nest("j", columns, body))


def changed(dice: Dice) -> Body:
    """Cells begin with a number and are changed, written and read."""
    at, shape = dice.pick(("i, j", "n, m"), ("j", "m"), ("j", "m"), ("j, i", "m, n"))
    room = dice.pick(0, 0, 1, 2)
    if room:
        shape = ", ".join(f"{size} + {room}" for size in shape.split(", "))
    ahead = ", ".join(f"{loop} + 1" for loop in at.split(", "))
    cells = [at, ahead] if room else [at]
    read = dice.pick("A[i, j]", "A[i, j] + i", "A[i, j] * 2")
    target = f"T[{dice.pick(*cells)}]"
    change = dice.pick(
        f"{target} += {read}", f"{target} -= {read}", f"{target} *= {read}",
        f"{target} = max({target}, {read})", f"{target} = {read}", f"{target} = {read}",
    )  # fmt: skip
    value = f"T[{dice.pick(*cells)}]{dice.pick('', ' + A[i, j]')}"
    use = f"{dice.pick('B[i, j]', 'x[i]')} {dice.pick('=', '+=')} {value}"
    first, second = dice.some((f"{change}\n", f"{use}\n"), 2)
    start = dice.pick("m", "m", "1, m")
    if dice.chance(40):
        parts = [_nest("j", "m", first), _nest("j", start, second)]
        return _nest("i", "n", "".join(parts)), f"({shape},)", ["i"]
    body = _nest("j", start, first + second)
    return _nest("i", dice.pick("n", "n", "1, n"), body), f"({shape},)", ["i", "j"]


def pointwise(dice: Dice) -> Body:
    """Written and read at the same place, once or summed over a third loop."""
    at = dice.pick("i, j", "j, i", "i + 1, j", "n - i, j", "i + j, j")
    value = dice.pick(*VALUES)
    inner = f"T[{at}] = {value}\n"
    if dice.chance(50):
        inner = _nest("k", "3", f"T[{at}] += {value} + k\n")
    body = inner + f"B[i, j] = T[{at}] + T[{at}]\n"
    return _square(body), "(n + m + 1, n + m + 1)", ["i", "j"]


def rows(dice: Dice) -> Body:
    """A row per iteration of the outer loop."""
    low, end = dice.pick("0", "i", "1"), dice.pick("j", "m - 1 - j", "j")
    read = _nest("j", f"{low}, m", f"B[i, j] = T[{end}] - T[j]\n")
    write = _nest("j", "m", f"T[j] = {dice.pick(*VALUES)}\n")
    between = _nest("j", "1, m", "T[j] += T[j - 1]\n") if dice.chance(40) else ""
    return _nest("i", "n", write + between + read), "m", ["i"]


def history(dice: Dice) -> Body:
    """Rows that follow from rows before."""
    back = dice.pick(1, 1, 2)
    write = f"T[i + {back}, j] = T[i, j] * 3 + A[i, j]\n"
    read = f"B[i, j] = T[i + {back}, j] + T[i, j]\n"
    shape = f"(n + {back}, m)"
    if dice.chance(50):
        return _square(write + read), shape, ["i", "j"]
    other = _nest("j", "m", read.replace("j]", "m - 1 - j]", 2))
    return _nest("i", "n", _nest("j", "m", write) + other), shape, ["i"]


def summed(dice: Dice) -> Body:
    """Rows of sums that begin with values, read with rows before."""
    back = dice.pick(1, 1, 2)
    now, before = dice.pick((f"i + {back}", "i"), ("n - i", f"n - i + {back}"))
    total = f"T[{now}, j] += {dice.pick(*VALUES)} + k\n"
    write = _nest("j", "m", _nest("k", dice.pick("3", "i"), total))
    read = _nest("j", "m", f"B[i, j] = T[{now}, j] - T[{before}, m - 1 - j]\n")
    return _nest("i", "n", write + read), f"(n + {back + 1}, m)", ["i"]


def cleared(dice: Dice) -> Body:
    """Rows of sums that begin with a number, of which each iteration needs its own."""
    at, shape = dice.pick(
        ("i, j", "(n, m)"), ("j, i", "(m, n)"), ("n - i, j", "(n + 1, m)")
    )
    total = f"T[{at}] {dice.pick('+=', '+=', '-=')} {dice.pick(*VALUES)} + k\n"
    write = _nest("j", "m", _nest("k", dice.pick("3", "2"), total))
    other = at if dice.chance(50) else at.replace("j", "m - 1 - j")
    read = _nest("j", "m", f"B[i, j] {dice.pick('=', '+=')} T[{other}]\n")
    return _nest("i", "n", write + read), shape, ["i"]


def twice(dice: Dice) -> Body:
    """Written twice, read behind each."""
    first, second = dice.some(VALUES, 2)
    body = f"T[i, j] = {first}\nB[i, j] += T[i, j]\nT[i, j] = {second}\n"
    return _square(body + "B[i, j] -= T[i, j] * 2\n", "i, m"), "(n, m)", ["i", "j"]


def corner(dice: Dice) -> Body:
    """Read where nothing was written, at the edges."""
    write = _nest("j", "1, m", "T[i, j] = A[i, j] + 1\n")
    read = _nest("j", "1, m", "B[i, j] = T[i, j] + T[i, j - 1]\n")
    return _nest("i", "n", write + read), "(n, m)", ["i"]


def fused(dice: Dice) -> Body:
    """Written by one nest and read by another, which are fused."""
    shift = dice.pick(0, 0, 1, 2)
    start, at = (f"{shift}, n", f"i - {shift}, j") if shift else ("n", "i, j")
    write = _square(f"T[i, j] = {dice.pick(*VALUES)}\n")
    read = _nest("i", start, _nest("j", "m", f"B[i, j] = T[i, j] + T[{at}]\n"))
    return write + read, "(n, m)", []


def guarded(dice: Dice) -> Body:
    """Written only where the data say so."""
    body = f"if A[i, j] > 1:\n    T[i, j] = {dice.pick(*VALUES)}\n"
    return _square(body + "B[i, j] = T[i, j] + 1\n"), "(n, m)", ["i", "j"]


MAKERS: tuple[Maker, ...] = (
    *[changed] * 6, pointwise, rows, history, summed, summed, twice, corner, fused,
    guarded,
)  # fmt: skip
"""What is drawn, and how often."""

ROWS: tuple[Maker, ...] = cleared, history, history, summed
"""Those that need a row or two at a time, which are filled again and again."""


FIRST: tuple[Maker, ...] = pointwise, rows, rows, twice, twice, fused
"""Those that mostly write a cell before they read it."""


def scratch(seed: int, schedule: int | None) -> Program:
    """A function that is given the array that it keeps something in.

    Args:
        seed, schedule: as for ``temporary``.
    """
    made = temporary(seed, schedule, FIRST)
    return replace(made, functions=tuple(map(_given, made.functions)))


def _directives(dice: Dice, loops: list[str]) -> list[str]:
    """Directives for a nest whose perfect loops have these names, or to fuse two."""
    temp = ["temp T"] if dice.chance(93) else []
    if not loops:
        more = ["", "parallel i", "split i 2", "split i 3 | parallel i", "unroll i 2"]
        first = f"fuse n0 n1 partial={dice.pick(1, 2)}"
        return [first, *filter(None, [dice.pick(*more)]), *temp]
    found, names = list[str](), list(loops)
    if dice.chance(60):
        name = dice.pick(*names)
        found.append(f"split {name} {dice.pick(1, 2, 3, 4)}")
        names.append(name * 2)
    if len(names) > 1 and dice.chance(60):
        found.append(f"reorder {' '.join(dice.some(names, len(names)))}")
    if len(loops) > 1 and dice.chance(15):
        found, names = [f"skew {loops[1]} {loops[0]}"], list(loops)
    if len(loops) > 1 and dice.chance(10):
        found = [f"collapse {loops[0]} {loops[1]} as ij"]
        found.append(dice.pick("parallel ij", "split ij 3", "split ij 2 as ij q"))
        names = ["ij"]
    elif dice.chance(40):
        found.append(f"{dice.pick('parallel', 'vectorize')} {dice.pick(*names)}")
    if dice.chance(20):
        found.append(f"unroll {names[-1]} 2")
    return [*found, *temp]
