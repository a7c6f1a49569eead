"""Directives of buffers and of reductions in parts, with what goes well with them."""

from __future__ import annotations

from collections.abc import Sequence

from fuzz.generate.loopnames import Dim, Nest
from fuzz.programs.dice import Dice
from fuzz.programs.model import Assign, Node, walk
from fuzz.programs.terms import Cell, cells, text


def cached(
    dice: Dice, number: int, one: Nest, dim: Dim, node: Node, known: Sequence[str]
) -> list[str]:
    """A buffer in a loop, at times packed, in its own place, or cached again.

    Args:
        number: of the buffer. one: the nest, which stands at ``node``.
        known: the arrays of the function.
    """
    assigned = [x for x in walk([node]) if isinstance(x, Assign)]
    written = [x.target.array for x in assigned if isinstance(x.target, Cell)]
    verb = dice.pick("cache_read", "cache_write")
    array = dice.pick(*(written if verb == "cache_write" and written else known))
    buffer = f"buffer{number}"
    packed = " packed" if dice.chance(25) else ""
    reads = [x for one in assigned for x in cells(one.value) if x.array == array]
    if verb == "cache_read" and reads and dice.chance(25):
        array = "".join(text(dice.pick(*reads)).split())
    found = [f"{verb} {array} at {one.called(dim)}{packed} as {buffer}"]
    if dice.chance(15):
        inner = one.called(dice.pick(*one.dims()))
        found.append(f"{verb} {buffer} at {inner}")
    if dice.chance(15):
        found.append(f"set_buffer {buffer} {dice.pick('shared', 'global')}")
    if dice.chance(25):
        change = dice.pick("split {} 2", "unroll {} 2", "vectorize {}")
        found.append(change.format(f"{buffer}.ax{dice.pick(0, 0, 1)}"))
    return found


def parted(
    dice: Dice, number: int, one: Nest, path: Sequence[Dim], dim: Dim
) -> list[str]:
    """A reduction in parts, and what is done with them.

    Args:
        number: of the parts. path: the loops to an innermost one. dim: one of them.
    """
    name, loop = f"part{number}", one.called(dice.pick(dim, path[-1]))
    change = dice.pick(
        "", "parallel {part}.{loop}", "vectorize {part}.{loop}",
        "split {part}.{loop} 2", "unroll {part}.{loop} 2", "compute_at {part} {outer}",
        "compute_at {part} {outer}", "unroll {loop} 2",
        "cache_write {part} at {part}.{loop}",
    )  # fmt: skip
    own = loop.partition("#")[0]
    text = change.format(part=name, loop=own, outer=one.called(path[0]))
    return [f"rfactor {loop} as {name}", *filter(None, [text])]
