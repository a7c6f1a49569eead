"""Where ``fuse`` puts nests in the loops that they lack, on numbers."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

from fuzz.meaning.original import Instance, Original, Source
from fuzz.meaning.tree import Loop, Tags, Undefined, Wrong
from fuzz.programs.model import For, walk
from fuzz.programs.nodes import SIZES
from fuzz.programs.terms import names, text

PROBES = 24
"""At how many places it is tried whether a value is one of a loop in long steps."""


class Places:
    """The values that a ``fuse`` names.

    Args:
        at: the text of each, by the name of the loop.
        source: the function. run: what it does as it stands.
        around: the loops around each statement before the ``fuse``.
    """

    def __init__(
        self,
        at: Mapping[str, str],
        source: Source,
        run: Original,
        around: Mapping[int, Sequence[Loop]],
    ) -> None:
        self.at = at
        self.source = source
        self.run = run
        self.around = around
        loops = [x for x in walk(source.function.body) if isinstance(x, For)]
        self.number = {id(loop): at for at, loop in enumerate(loops, 1)}

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
            said = {tag: self.said(value, tag) for tag in sorted(nest)}
            self.check(loop, said, next(iter(called.values())))
            loop.literal = False
            loop.fixed = loop.fixed and not self.varies(said)
        for tag in nest:
            for one in self.run.instances.get(tag, []):
                at = 0 if value is None else self.position(loop, said[tag], one)
                loop.at[one] = at
                loop.low, loop.high = min(loop.low, at), max(loop.high, at)

    def said(self, value: str, tag: int) -> str:
        """A value with the variables of the source that it means at a statement.

        Raises LX104 for a name that is neither a loop around it nor a size, LX106 for a
        loop that is only a part of one of the source.
        """
        meant = {}
        for name in _words(value) - {*SIZES}:
            named = [loop for loop in self.around[tag] if loop.name == name]
            if not named:
                raise Wrong("LX104")
            (loop,) = named[-1:]
            own = [
                x for x in self.source.around[tag] if self.number[id(x)] in loop.origin
            ]
            if len(own) != 1 or not loop.unit:
                raise Wrong("LX106")
            meant[name] = own[0].var
        return re.sub(r"[A-Za-z]\w*", lambda x: meant.get(x[0], x[0]), value)

    def check(self, loop: Loop, said: Mapping[int, str], inside: int) -> None:
        """Raise what is wrong with a value for a nest.

        Args:
            loop: the one it is of. said: the text of it, for each statement.
            inside: a statement that has the loop.
        """
        if not loop.step or loop.skewed:
            raise Wrong("LX106")
        if _words(said[min(said)]) & {*SIZES} - self.source.known[min(said)]:
            # The pages do not say whether a nest knows sizes that it does not use.
            raise Undefined
        if loop.padded is None:
            raise Undefined
        if abs(loop.step) > 1:
            for tag, value in said.items():
                around, others = self.source.around[tag], self.source.around[inside]
                common = {x.var for x in others if any(x is y for y in around)}
                unknown = _words(loop.base) - {*SIZES, *common}
                if unknown:
                    # Which loops of the nests have equal values is not said.
                    raise Undefined
                if _between(loop, value, around):
                    raise Wrong("LX116")
                if {"%", "/"} & {*value}:
                    # What may be known of quotients is not said.
                    raise Undefined

    def varies(self, said: Mapping[int, str]) -> bool:
        """Whether a value depends on sizes."""
        around = [x for tag in said for x in self.source.around[tag]]
        fixed = {x.var for x in around if not names(x.start) | names(x.stop)}
        return bool(frozenset().union(*map(_words, said.values())) - fixed)

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
