"""Where ``fuse`` puts nests in the loops that they lack, on numbers."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

from fuzz.meaning.original import Instance, Original, Source
from fuzz.meaning.tree import Loop, Tags, Undefined, Wrong
from fuzz.programs.model import For
from fuzz.programs.nodes import SIZES
from fuzz.programs.terms import names, text

PROBES = 24
"""At how many places it is tried whether a value is one of a loop in long steps."""


class Places:
    """The values that a ``fuse`` names.

    Args:
        at: the text of each, by the name of the loop.
        source: the function. run: what it does as it stands.
    """

    def __init__(self, at: Mapping[str, str], source: Source, run: Original) -> None:
        self.at = at
        self.source = source
        self.run = run

    def put(self, loop: Loop, called: Mapping[str, int], nest: Tags) -> None:
        """Give the statements of nests that lack a loop their positions in it.

        Args:
            loop: the fused one.
            called: what it was called in the nests that have it, with a statement each.
            nest: the statements.

        Raises LX104 for a name in a value, LX106 for a loop that shows none, LX116 for
        a value between two of the loop.
        """
        value = next((self.at[name] for name in called if name in self.at), None)
        if value is None:
            loop.low, loop.high = min(loop.low, 0), max(loop.high, 0)
        else:
            self.check(loop, value, nest, next(iter(called.values())))
            loop.literal = False
            loop.fixed = loop.fixed and not self.varies(value, nest)
        for tag in nest:
            for one in self.run.instances.get(tag, []):
                at = 0 if value is None else self.position(loop, value, one)
                loop.at[one] = at
                loop.low, loop.high = min(loop.low, at), max(loop.high, at)

    def check(self, loop: Loop, value: str, nest: Tags, inside: int) -> None:
        """Raise what is wrong with a value for a nest.

        Args:
            loop: the one it is of. value: its text. nest: the statements.
            inside: a statement that has the loop.
        """
        if not loop.step or loop.skewed:
            raise Wrong("LX106")
        for tag in nest:
            if _words(value) - {*SIZES, *(x.var for x in self.source.around[tag])}:
                raise Wrong("LX104")
        if _words(value) & {*SIZES} - self.source.known[min(nest)]:
            # The pages do not say whether a nest knows sizes that it does not use.
            raise Undefined
        if loop.padded is None:
            raise Undefined
        if abs(loop.step) > 1:
            for tag in nest:
                around, others = self.source.around[tag], self.source.around[inside]
                common = {x.var for x in others if any(x is y for y in around)}
                unknown = _words(loop.base) - {*SIZES, *common}
                if unknown or _between(loop, value, around):
                    raise Wrong("LX116")
                if {"%", "/"} & {*value}:
                    # What may be known of quotients is not said.
                    raise Undefined

    def varies(self, value: str, nest: Tags) -> bool:
        """Whether a value depends on sizes."""
        around = [x for tag in nest for x in self.source.around[tag]]
        fixed = {x.var for x in around if not names(x.start) | names(x.stop)}
        return bool(_words(value) - fixed)

    def position(self, loop: Loop, value: str, one: Instance) -> int:
        """Steps from the first value to this one, and as many as the loop is padded."""
        tag, *values = one
        known = dict(zip((x.var for x in self.source.around[tag]), values, strict=True))
        far = eval(value, {**self.run.sizes, **known}) - (loop.start or 0)
        return int(far // loop.step) + (loop.padded or 0)


def _words(value: str) -> frozenset[str]:
    return frozenset(re.findall(r"[A-Za-z]\w*", value))


def _between(loop: Loop, value: str, around: Sequence[For]) -> bool:
    """Whether a value may be none of a loop.

    The first one of the loop is known wherever the value is.
    """
    dice = random.Random(0)
    return any(
        (eval(value, at) - eval(loop.base, at)) % loop.step
        for _ in range(PROBES)
        for at in [_anywhere(around, dice)]
    )


def _anywhere(around: Sequence[For], dice: random.Random) -> dict[str, int]:
    """Sizes, and values that loops of these starts and steps can have."""
    found = {size: dice.randrange(1000) for size in SIZES}
    for loop in around:
        start = eval(text(loop.start), dict(found))
        found[loop.var] = start + loop.step * dice.randrange(1000)
    return found
