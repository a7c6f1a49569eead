"""Every witness is run: what a refusal says must be what some run does.

At the sizes that an error names, two executions must touch the cell it names as it
says, in the order it says. Sizes that no arguments give (a negative extent, a half that
is more than the whole) are no witness.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product

from fuzz.oracles.enumeration import Access, Extents, Instance, Place, TooMany
from fuzz.oracles.executions import Found, enumerated
from fuzz.oracles.orders import Runs
from fuzz.programs.model import For, Function, Program
from fuzz.programs.nodes import surrounding
from fuzz.programs.spellings import plain

SIZE = re.compile(r"([\w.]+(?:\[\d\])?)=(-?\d+)(?=[,:])")

ACTION = re.compile(r"(write|read) (\w+)(?:\[([-\d, ]+)\])? at \(([^()]*)\)")

IMPOSSIBLE = "no arguments give the sizes it names"
NOT_SO = "no run does what it says"
RAISES = "a run raises before it does what it says"

MOST = 160
"""How many sizes are tried."""


@dataclass(frozen=True)
class Action:
    """What one of two executions does, and where.

    Attributes:
        point: the values of the loops around it, by their names.
    """

    writes: bool
    place: Place
    point: tuple[tuple[str, int], ...]

    def is_done(self, names: tuple[str, ...], one: Instance, access: Access) -> bool:
        """Whether an execution is this one."""
        values = one[1] if names else ()
        if tuple(zip(names, values, strict=True)) != self.point:
            return False
        if access.write == self.place:
            return self.writes or bool(access.op) or self.place in access.reads
        return not self.writes and self.place in access.reads


def named(message: str) -> dict[str, int]:
    """The sizes that an error names."""
    text = plain(message).partition("(")[0]
    return {x: int(number) for x, number in SIZE.findall(text)}


def actions(message: str) -> list[Action]:
    """What the two executions do that an error names."""
    found = []
    for verb, name, at, point in ACTION.findall(plain(message)):
        cell = tuple(map(int, at.split(","))) if at else ()
        pairs = [one.split("=") for one in point.split(", ") if "=" in one]
        values = tuple(
            (loop.rpartition(".")[2].partition("#")[0], int(value))
            for loop, value in pairs
        )
        found.append(Action(verb == "write", (name, cell), values))
    return found


def realised(function: Function, sizes: Mapping[str, int]) -> Iterator[Extents]:
    """What a function may be called with so that sizes are as they are said."""
    derived = [one for one in function.setting.derived if one[0] in sizes]
    shapes = {
        function.setting.owner(array) + mark + axis: number
        for text, number in sizes.items()
        for array, mark, axis in [text.partition(".")]
        if mark
    }
    if min(shapes.values(), default=0) < 0:
        return
    tried = range(-9, 14) if derived else range(13)
    again = {name for name, _, _ in derived}
    given = sizes.keys() - again  # what a size is in the nest need not be the argument
    ones, twos = ([sizes[x]] if x in given else tried for x in ("n", "m"))
    for n, m in sorted(product(ones, twos), key=_distance):
        if function.shaped and min(n, m) < 0:
            continue
        if all(eval(text, {"n": n, "m": m}) == sizes[x] for x, _, text in derived):
            yield Extents(function, n, m, shapes)


def _distance(sizes: tuple[int, int]) -> int:
    """How far sizes are from zero."""
    return sum(map(abs, sizes))


def false(program: Program, message: str, runs: Runs) -> str:
    """Why what an error says of two executions is not so, or ``""``.

    Args:
        program: what was refused; its executions can be told apart.
        message: that of the error.
        runs: those of the program in its new order.
    """
    wanted = actions(message)
    if len(wanted) != 2:
        return ""
    sizes, why = named(message), IMPOSSIBLE
    for function in program.functions:
        if not function.texts():
            continue
        for extents in islice(realised(function, sizes), MOST):
            found: Found = {}
            try:
                enumerated(program, function).at(extents, found)
                ended = True
            except TooMany:
                return ""
            except (IndexError, ValueError):
                ended = False
            if _shown(function, message, wanted, found, runs, extents):
                return ""
            several = sum(isinstance(x, For) for x in function.body) > 1
            if not ended and (several or function.setting.alias):
                return ""  # looptx looks at one nest, and knows some aliases only
            why = NOT_SO if ended or why == NOT_SO else RAISES
    return why


def _shown(
    function: Function,
    message: str,
    wanted: list[Action],
    found: Found,
    runs: Runs,
    extents: Extents,
) -> bool:
    """Whether a run does what an error says."""
    loops = [tuple(loop.var for loop in one) for one in surrounding(function.body)]
    owner = function.setting.owner
    wanted = [
        Action(x.writes, (owner(x.place[0]), x.place[1]), x.point) for x in wanted
    ]
    before, after = (
        [
            one
            for one, access in found.items()
            if x.is_done(loops[one[0] - 1], one, access)
        ]
        for x in wanted
    )
    if "runs before" not in message:
        return bool(before and after)
    rank = {one: at for at, one in enumerate(found)}
    pairs = [(x, y) for x in before for y in after if rank[x] < rank[y]]
    if not pairs or len(function.clauses()) > 1:
        return bool(pairs)
    try:
        recorder = runs.at(extents)
    except KeyError:  # a private value is read before it is written
        return True
    if recorder is None:
        return True
    new = {one: at for at, one in enumerate(recorder.order)}
    return any(new.get(x, -1) >= new.get(y, -1) for x, y in pairs)
