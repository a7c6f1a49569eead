"""Random programs with temporaries, schedules for them, and whether both compute alike.

Each program fills a local array in one of several ways and reads it back; the schedule
is a random list of directives that ends in ``temp T``. Programs that the proof refuses
are counted apart.
"""

from __future__ import annotations

import random
import re
import sys
import warnings
from dataclasses import dataclass
from textwrap import indent
from typing import Any

import numpy as np

from looptx.cli.text import transform_text

SIZES = ((0, 3), (1, 1), (2, 5), (5, 4), (7, 7))
MAKERS = ("zeros", "ones", "empty", "full")
DTYPES = ("", "float32", "int64", "complex128", "bool")
VALUES = ("A[i, j] * 2.0", "A[i, j] + j", "A[j, i] - 0.5", "i - j", "3")
HEAD = "import numpy as np\n\n\n"


@dataclass(frozen=True, slots=True)
class Program:
    """A function ``f(A, B, n, m)`` and the directives for it."""

    text: str
    directives: str

    @property
    def annotated(self) -> str:
        """The text with its directives."""
        line = f"# looptx: {self.directives}\n"
        if self.directives.startswith("fuse"):
            return self.text.replace("def f", f"{line}def f")
        return re.sub("(?m)^    for ", f"    {line}    for ", self.text, count=1)


def program(seed: int) -> Program:
    """The program and schedule of a number."""
    pick = random.Random(seed)
    makers = (pointwise, rows, history, summed, summed, twice, corner, fused, guarded)
    make = pick.choice(makers)
    body, shape, loops = make(pick)
    dtype = pick.choice(DTYPES) if pick.random() < 0.5 else ""
    maker = pick.choice(MAKERS)
    if maker == "empty" and (make in (history, corner, guarded) or "+=" in body):
        maker = "zeros"
    fill = ", 2" if maker == "full" else ""
    suffix = f", dtype=np.{dtype}" if dtype else ""
    allocation = f"T = np.{maker}({shape}{fill}{suffix})\n"
    text = f"{HEAD}def f(A, B, n, m):\n" + indent(allocation + body, "    ")
    return Program(text, " | ".join([*schedule(pick, loops), "temp T"]))


def pointwise(pick: random.Random) -> tuple[str, str, list[str]]:
    """Written and read at the same place, once or summed over a third loop."""
    at = pick.choice(("i, j", "j, i", "i + 1, j", "n - i, j", "i + j, j"))
    shape = "(n + m + 1, n + m + 1)"
    value = pick.choice(VALUES)
    if pick.random() < 0.5:
        inner = f"T[{at}] = {value}\n"
    else:
        inner = f"for k in range(3):\n    T[{at}] += {value} + k\n"
    body = inner + f"B[i, j] = T[{at}] + T[{at}]\n"
    return nest("i", "n", nest("j", "m", body)), shape, ["i", "j"]


def rows(pick: random.Random) -> tuple[str, str, list[str]]:
    """A row per iteration of the outer loop."""
    low = pick.choice(("0", "i", "1"))
    end = pick.choice(("j", "m - 1 - j", "j"))
    value = pick.choice(VALUES)
    read = nest("j", f"{low}, m", f"B[i, j] = T[{end}] - T[j]\n")
    write = nest("j", "m", f"T[j] = {value}\n")
    between = nest("j", "1, m", "T[j] += T[j - 1]\n") if pick.random() < 0.4 else ""
    return nest("i", "n", write + between + read), "m", ["i"]


def history(pick: random.Random) -> tuple[str, str, list[str]]:
    """Rows that follow from rows before."""
    back = pick.choice((1, 1, 2))
    write = f"T[i + {back}, j] = T[i, j] * 0.5 + A[i, j]\n"
    read = f"B[i, j] = T[i + {back}, j] + T[i, j]\n"
    if pick.random() < 0.5:
        body = nest("j", "m", write + read)
        return nest("i", "n", body), f"(n + {back}, m)", ["i", "j"]
    body = nest("j", "m", write) + nest("j", "m", read.replace("j]", "m - 1 - j]", 2))
    return nest("i", "n", body), f"(n + {back}, m)", ["i"]


def summed(pick: random.Random) -> tuple[str, str, list[str]]:
    """Rows of sums that begin with values, read with rows before."""
    back = pick.choice((1, 1, 2))
    now, before = pick.choice(((f"i + {back}", "i"), ("n - i", f"n - i + {back}")))
    total = f"T[{now}, j] += {pick.choice(VALUES)} + k\n"
    write = nest("j", "m", nest("k", pick.choice(("3", "i")), total))
    read = nest("j", "m", f"B[i, j] = T[{now}, j] - T[{before}, m - 1 - j]\n")
    return nest("i", "n", write + read), f"(n + {back + 1}, m)", ["i"]


def twice(pick: random.Random) -> tuple[str, str, list[str]]:
    """Written twice, read behind each."""
    first, second = pick.sample(VALUES, 2)
    body = f"T[i, j] = {first}\nB[i, j] += T[i, j]\nT[i, j] = {second}\n"
    body += "B[i, j] -= T[i, j] * 2\n"
    return nest("i", "n", nest("j", "i, m", body)), "(n, m)", ["i", "j"]


def corner(pick: random.Random) -> tuple[str, str, list[str]]:
    """Read where nothing was written, at the edges."""
    write = nest("j", "1, m", "T[i, j] = A[i, j] + 1\n")
    read = nest("j", "1, m", "B[i, j] = T[i, j] + T[i, j - 1]\n")
    return nest("i", "n", write + read), "(n, m)", ["i"]


def fused(pick: random.Random) -> tuple[str, str, list[str]]:
    """Written by one nest and read by another, which are fused."""
    value = pick.choice(VALUES)
    write = "# looptx: nest a\n" + nest(
        "i", "n", nest("j", "m", f"T[i, j] = {value}\n")
    )
    shift = pick.choice((0, 0, 1, 2))
    start = f"{shift}, n" if shift else "n"
    at = f"T[i - {shift}, j]" if shift else "T[i, j]"
    read = nest("i", start, nest("j", "m", f"B[i, j] = T[i, j] + {at}\n"))
    body = f"{write}# looptx: nest b\n{read}"
    return body, "(n, m)", [f"fuse a b partial={pick.choice((1, 2))}"]


def guarded(pick: random.Random) -> tuple[str, str, list[str]]:
    """Written only where the data say so."""
    body = f"if A[i, j] > 0.5:\n    T[i, j] = {pick.choice(VALUES)}\n"
    body += "B[i, j] = T[i, j] + 1\n"
    return nest("i", "n", nest("j", "m", body)), "(n, m)", ["i", "j"]


def nest(loop: str, bounds: str, body: str) -> str:
    """``for loop in range(bounds): body``."""
    return f"for {loop} in range({bounds}):\n" + indent(body, "    ")


def schedule(pick: random.Random, loops: list[str]) -> list[str]:
    """Directives for a nest whose perfect loops have these names."""
    if loops[0].startswith("fuse"):
        more = ["", "parallel i", "split i 2", "split i 3 | parallel i", "unroll i 2"]
        return [loops[0], *filter(None, [pick.choice(more)])]
    found = []
    names = list(loops)
    if pick.random() < 0.6:
        name = pick.choice(names)
        found.append(f"split {name} {pick.choice((1, 2, 3, 4))}")
        names.append(name * 2)
    if len(names) > 1 and pick.random() < 0.6:
        order = pick.sample(names, len(names))
        found.append(f"reorder {' '.join(order)}")
    if len(loops) > 1 and pick.random() < 0.15:
        found, names = [f"skew {loops[1]} {loops[0]}"], list(loops)
    if len(loops) > 1 and pick.random() < 0.1:
        found = [f"collapse {loops[0]} {loops[1]} as ij"]
        found += pick.choice((["parallel ij"], ["split ij 3"], ["split ij 2 as ij q"]))
        names = ["ij"]
    elif pick.random() < 0.4:
        found.append(f"{pick.choice(('parallel', 'vectorize'))} {pick.choice(names)}")
    if pick.random() < 0.2:
        found.append(f"unroll {names[-1]} 2")
    return found


def arguments(n: int, m: int) -> tuple[Any, ...]:
    """Arguments of a program."""
    values = np.random.default_rng(n * 31 + m)
    size = n + m + 1
    return values.random((size, size)), values.random((size, size)), n, m


def run(text: str, n: int, m: int) -> bytes | str:
    """What a function gives back in ``B``, or what it raises."""
    scope: dict[str, Any] = {}
    exec(compile(text, "temporaries", "exec"), scope)
    given = arguments(n, m)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            scope["f"](*given)
        except Exception as error:
            return repr(error)
    return bytes(given[1].tobytes())


def outcome(seed: int) -> str:
    """``same``, ``refused`` with its code, or what is wrong."""
    made = program(seed)
    text = made.annotated
    result = transform_text(text, "temporaries.py")
    if result.errors:
        error = result.errors[0]
        known = error.code.startswith("LX2") or error.code in ("LX106",)
        return f"refused {error.code}" if known else f"{text}\n{error}"
    for n, m in SIZES:
        expected, found = run(made.text, n, m), run(result.text, n, m)
        if expected != found:
            return f"{result.text}\n{found!r} at n={n}, m={m}\n{text}"
    return "same"


def main(first: int, last: int) -> None:
    """Run a range of programs and print what is wrong."""
    counts: dict[str, int] = {}
    for seed in range(first, last):
        found = outcome(seed)
        key = found if found.startswith(("same", "refused")) else "wrong"
        counts[key] = counts.get(key, 0) + 1
        if key == "wrong":
            print(f"seed {seed}:\n{found}\n")
    print(counts)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
