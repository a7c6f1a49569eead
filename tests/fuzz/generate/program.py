"""Random programs: most of them small, all of kinds that people write.

``program(seed, profile)`` always gives the same program. The bodies follow from
``seed // SCHEDULES`` and the directives from ``seed``, so that neighbours share what
does not depend on directives.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from fuzz.generate.bodies import Bodies
from fuzz.generate.schedules import scheduled
from fuzz.generate.singles import labelled
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Assign, For, Function, Local, Node, Program, walk
from fuzz.programs.terms import Name, add

SCHEDULES = 4
"""How many lists of directives a body gets."""

HIDING = 8
"""Of so many modules one hides the builtins that looptx calls."""

SINGLES = 14
"""How many of a hundred functions have names for what stands beside inner loops."""

HALF = 0.5
"""What makes a float of the sums that start with it."""


def program(seed: int, profile: str = "mixed") -> Program:
    """The program of a number.

    Args:
        seed: any integer.
        profile: ``small``, ``large``, or ``mixed``: large once in 50 times.
    """
    body = bare(seed // SCHEDULES, profile)
    dice = Dice(f"schedule {seed} {profile}")
    functions = tuple(scheduled(function, dice) for function in body.functions)
    return replace(body, functions=functions)


@lru_cache(maxsize=4)
def bare(seed: int, profile: str = "mixed") -> Program:
    """The program without directives; seeds of bodies are their own numbers."""
    dice = Dice(f"body {seed} {profile}")
    large = profile == "large" or (profile == "mixed" and dice.chance(2))
    count = 2 if dice.chance(4) else 1
    singles = Dice(f"singles {seed} {profile}")
    functions = tuple(_function(f"f{at}", dice, large, singles) for at in range(count))
    made = Program(functions, tagged=dice.chance(80))
    return replace(made, hides=not calls_hidden(made) and seed % HIDING == 0)


def calls_hidden(made: Program) -> bool:
    """Whether a program that hides no builtins calls one that others hide."""
    return re.search(r"\b(min|max)\(", made.bare) is not None


def _function(name: str, dice: Dice, large: bool, singles: Dice) -> Function:
    """A function without directives.

    Args:
        name: what it is called. dice: the choices. large: whether it has more loops.
        singles: the choices about single statements that have names.
    """
    writer = Bodies(dice)
    beside = singles.chance(SINGLES)
    writer.beside = 70 if beside else writer.beside
    writer.style = dice.pick("calm", "calm", "calm", "stencil", "stencil", "wild")
    writer.scalars = {"s"} if dice.chance(25) else set()
    local = _local(dice) if dice.chance(12) else None
    if local is not None:
        writer.temporary = Array(local.name, len(local.shape), "float64")
    count = dice.pick(1, 2, 3, 4) if large else dice.pick(1, 1, 1, 1, 1, 1, 2, 2, 3)
    depths = (2, 3, 3, 4) if large else (1, 1, 1, 2, 2, 2, 2, 2, 3)
    body: list[Node] = []
    for at in range(count):
        depth = dice.pick(*depths) if count == 1 or large else dice.pick(1, 1, 2, 2, 2)
        depth = max(depth, 2) if beside else depth
        label = f"p{at}" if dice.chance(15) else ""
        body.append(replace(writer.loop((), depth), label=label))
        if at + 1 < count and dice.chance(8):
            body.append(writer.between())
    body = labelled(body, singles) if beside else body
    made = Function(
        name,
        (),
        tuple(body),
        (local,) if local is not None else (),
        tuple((one, 0) for one in sorted(writer.started)),
        annotated=dice.chance(35),
        shaped=dice.chance(15),
    )
    return finished(made, writer, dice)


def finished(function: Function, writer: Bodies, dice: Dice) -> Function:
    """The function with its arguments and results."""
    used = function.used()
    kind = dice.pick("float64", "float64", "float32", "int64", "int32")
    arrays = [
        Array(array, rank, "int64" if array == "idx" else kind)
        for array, rank in writer.ranks.items()
        if array in used and all(array != own.name for own in function.locals)
    ]
    known = [name for name, _ in function.starts]
    loops = [node.var for node in walk(function.body) if isinstance(node, For)]
    returns = [name for name in known if dice.chance(60)]
    if dice.chance(3):
        returns.append(dice.pick(*loops))
    shaped = function.shaped and any(array.rank == 2 for array in arrays)
    assigned = [node for node in walk(function.body) if isinstance(node, Assign)]
    again = {node.target for node in assigned if node.op == "="}
    starts = [
        (one, HALF if Name(one) not in again and dice.chance(25) else first)
        for one, first in function.starts
    ]
    return replace(
        function,
        starts=tuple(starts),
        arrays=tuple(arrays) or (Array("A", 2, kind),),
        returns=tuple(dict.fromkeys(returns)),
        shaped=shaped,
    )


def _local(dice: Dice) -> Local:
    """An array that only lives in the function."""
    rank = dice.pick(1, 2, 2)
    shape = tuple(add(Name(size), dice.pick(0, 1, 2, 4)) for size in ("n", "m")[:rank])
    if dice.chance(30):
        shape = tuple(add(Name("n"), 9) for _ in shape)
    maker = dice.pick("zeros", "zeros", "zeros", "empty", "empty", "ones", "full")
    return Local("T", shape, maker)
