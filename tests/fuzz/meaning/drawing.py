"""Random functions of several affine nests, and directives most of which apply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import TypeVar

from fuzz.generate.bodies import Bodies
from fuzz.generate.program import finished
from fuzz.generate.singles import labelled, value
from fuzz.meaning.fuse import part
from fuzz.meaning.original import read
from fuzz.meaning.space import Space
from fuzz.meaning.tree import Loop, Tags, Undefined, Wrong, tags, walk
from fuzz.meaning.tree import Node as Item
from fuzz.oracles.enumeration import analysable
from fuzz.oracles.unknowns import chosen
from fuzz.programs.dice import Dice
from fuzz.programs.model import For, Function, Node, Program

T = TypeVar("T")

SIZES = {"n": 4, "m": 3}
"""Where directives are tried while they are drawn."""

KIND = "float64"

UNDEFINED = "undefined"
"""The code of what the pages say nothing about."""


def drawn(seed: int) -> Program:
    """The case of a number: a function whose statements say which instance runs."""
    dice = Dice(f"meaning {seed}")
    several = dice.chance(50)
    bare = next(one for _ in count() if _affine(one := _function(dice, several)))
    function = _Scheduler(dice).scheduled(bare, several)
    return Program((function,), single=True)


def _affine(function: Function) -> bool:
    """Whether looptx knows all of it: what is no order is for other tiers."""
    known = "idx" not in function.used() and analysable(function.body)
    return known and not chosen(Program((function,)))


def _function(dice: Dice, several: bool) -> Function:
    """A function without directives, of one nest or several."""
    writer = Bodies(dice)
    writer.style = dice.pick("calm", "stencil", "wild")
    beside = dice.chance(60)
    writer.beside = 75 if beside else writer.beside
    number = dice.pick(2, 2, 2, 3, 3, 4) if several else dice.pick(1, 1, 2)
    body: list[Node] = []
    for at in range(number):
        if body and dice.chance(12):
            body.append(writer.between())
        depth = dice.pick(1, 1, 2, 2, 3) if several else dice.pick(1, 2, 2, 3)
        depth = max(depth, 2) if beside else depth
        label = f"p{at}" if dice.chance(30) else ""
        body.append(replace(writer.loop((), depth), label=label))
    body = labelled(body, dice) if beside else body
    starts = tuple((one, 0) for one in sorted(writer.started))
    made = finished(Function("g", (), tuple(body), starts=starts), writer, dice)
    arrays = tuple(replace(one, dtype=KIND) for one in made.arrays)
    starts = tuple((name, 0) for name, _ in made.starts)
    return replace(
        made, arrays=arrays, starts=starts, returns=(), annotated=True, shaped=False
    )


def applied(function: Function) -> tuple[Space | None, str]:
    """The loops after all directives, or None and the code of the one that is wrong."""
    source = read(function)
    space = Space(source, SIZES)
    try:
        for text, at in source.directives:
            space.apply(text, at)
    except Wrong as wrong:
        return None, wrong.code
    except Undefined:
        return None, UNDEFINED
    return space, ""


def _above(function: Function, at: int, text: str) -> Function:
    """The function with one more directive, above a nest or all of it (-1)."""
    if at < 0:
        return replace(function, directives=(*function.directives, text))
    node = function.body[at]
    assert isinstance(node, For)
    more = replace(node, directives=(*node.directives, text))
    return replace(function, body=(*function.body[:at], more, *function.body[at + 1 :]))


class _Scheduler:
    """Adds directives to cases.

    Attributes:
        labels: how many new names there are.
        elsewhere: whether the directive stands on another nest than its own.
    """

    labels = 0
    elsewhere = False

    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self.pick, self.chance = dice.pick, dice.chance

    def scheduled(self, case: Function, several: bool) -> Function:
        """The case with directives, for the function first and then for each nest."""
        nests = [at for at, node in enumerate(case.body) if isinstance(node, For)]
        fusing = self.pick(-1, -1, 0, nests[-1], nests[-1], self.pick(*nests))
        singles = bool(read(case).single)
        if singles and self.chance(92):
            fusing = self.pick(*nests)
        for at in (-1, *nests):
            for _ in range(self.pick(0, 0, 1, 2) if several else self.pick(1, 2, 3)):
                if at >= 0 or self.chance(25):
                    case = self.directed(case, at)
            if at == fusing and (several or singles):
                for _ in range(self.pick(1, 1, 1, 2) + 2 * singles):
                    case = self.directed(case, at, fuse=True)
                for _ in range(self.pick(0, 1, 2, 3)):
                    case = self.directed(case, at)
        return case

    def directed(self, case: Function, at: int, *, fuse: bool = False) -> Function:
        """The case with one more directive there; most of those that are wrong, not."""
        space, _ = applied(case)
        if space is None:
            return case
        before = sum(isinstance(node, For) for node in case.body[: max(at, 0)])
        here = space.nests[before] if at >= 0 else self.pick(*space.tops)
        others = [k for k, x in enumerate(case.body) if isinstance(x, For) and k != at]
        self.elsewhere = at >= 0 and not fuse and bool(others) and self.chance(8)
        if fuse:
            text = self.fuse(space, here if at >= 0 else frozenset())
        else:
            text = self.directive(space, here, at < 0)
        if not text:
            return case
        at = self.pick(*others) if self.elsewhere else at
        more = _above(case, at, text)
        code = applied(more)[1]
        return more if not code or (code != UNDEFINED and self.chance(3)) else case

    def fuse(self, space: Space, here: Tags) -> str:
        """A ``fuse`` of nests that stand side by side, one of them ``here``."""
        groups = [x for name, x in space.groups.items() if name not in space.fused]
        lists = [space.body, *(loop.body for loop in walk(space.body))]
        beside = [
            [node for node in nodes if any(x.is_all(node) for x in groups)]
            for nodes in lists
        ]
        found = [
            nodes
            for nodes in beside
            if len(nodes) > 1 and (not here or here & tags(nodes))
        ]
        if not found:
            return ""
        if self.chance(75):
            singles = [x for x in found if any(not isinstance(y, Loop) for y in x)]
            found = singles or found
        operands = self._mixed(self.pick(*found))
        operands.sort(key=lambda node: not here & tags([node]))
        operands = self._mixed(operands[: self.pick(2, 2, 3, 4)])
        known = [(name, x) for name, x in space.groups.items() if x in groups]
        names = [next(name for name, x in known if x.is_all(node)) for node in operands]
        if self.chance(60):
            names.sort()
        text = f"fuse {' '.join(names)}"
        rank = self.pick(0, 0, 0, 1, 1, 2)
        text += f" partial={rank}" if rank else ""
        text += self.at(space, operands)
        if self.chance(20):
            count = rank or self.pick(1, 2)
            text += f" as {' '.join(self.fresh('p') for _ in range(count))} "
            # f is no variable: it may be called like one, or like the function.
            text += self.pick(self.fresh("g"), self.fresh("g"), "g", "A", "n")
        return text

    def at(self, space: Space, nests: Sequence[Item]) -> str:
        """The values at which some of the nests stand in loops that they lack."""
        chains = [part(node, space.run).chain for node in nests]
        least = min(chains, key=len)
        lacked = [loop for chain in chains for loop in chain[len(least) :]]
        if not lacked or self.chance(20):
            return ""
        single = nests[chains.index(least)]
        around = space.source.around[min(tags([single]))]
        found = " at"
        for name in dict.fromkeys(loop.name for loop in lacked):
            if found == " at" or self.chance(60):
                name = "n" if self.chance(1) else name
                found += f" {name}={value(self.dice, [x.var for x in around])}"
        return found

    def _mixed(self, items: Sequence[T]) -> list[T]:
        """The items in any order."""
        return self.dice.some(items, len(items))

    def fresh(self, name: str) -> str:
        """A name that nothing has yet."""
        self.labels += 1
        return f"{name}{self.labels}"

    def directive(self, space: Space, here: Tags, far: bool) -> str:
        """A directive for the loops around some of the statements."""
        tag = self.pick(*sorted(here))
        loops = [x for x in walk(space.body) if tag in tags(x.body)]
        if any(loop.fusing for loop in loops) and self.chance(40):
            return self.one_list(space, here, far)
        mixed = self._mixed(loops)
        names = [self.name(space, loop, here, far) for loop in mixed]
        several = names[: self.pick(2, 2, 3, 4)]
        pairs = len(names) > 1
        verb = self.pick(
            "split", "split", "tile", "reorder", "reorder", "reorder", "skew", "skew",
            "pad", "pad", "unroll", "parts", "sizes", "collapse", "distribute",
            "distribute",
        )  # fmt: skip
        size = self.pick(1, 2, 2, 3, 3, 4, 5)
        if verb == "tile" and not any("." in name or "#" in name for name in several):
            return "tile " + " ".join(f"{x}={self.pick(2, 3, 4)}" for x in several[:2])
        if verb == "reorder" and pairs:
            return f"reorder {' '.join(several)}"
        if verb == "skew" and pairs:
            by = self.pick("", "", "", " by 2", " by -1", " by -2")
            return f"skew {names[0]} {names[1]}{by}"
        if verb == "pad" and not mixed[0].fusing:
            return f"pad {names[0]} {self.pick(0, 1, 1, 2, 3)}"
        if verb == "distribute":
            return f"distribute {self.pick(names[0], names[0], self.parts(names[0]))}"
        if verb == "unroll":
            full = mixed[0].fixed and mixed[0].high < 8 and self.chance(60)
            return f"unroll {names[0]}{'' if full else f' {size}'}"
        if verb == "collapse" and pairs:
            at = self.dice.random.randrange(len(loops) - 1)
            pair = [self.name(space, loop, here, far) for loop in loops[at : at + 2]]
            return f"collapse {' '.join(pair)}"
        if verb == "parts" and mixed[0].fixed:
            return f"split {names[0]} parts={size}"
        if verb == "sizes":
            return f"split {names[0]} {size} {self.pick(1, 2, 3)}"
        if self.chance(20):
            new = self.pick("p", "q", self.fresh("p"))
            return f"split {names[0]} {size} as {new} {self.fresh('u')}"
        return f"split {names[0]} {size}"

    def parts(self, name: str) -> str:
        """A loop with names for what it is distributed to."""
        count = self.pick(1, 2, 2, 3)
        return f"{name} as {' '.join(self.fresh('d') for _ in range(count))}"

    def one_list(self, space: Space, here: Tags, far: bool) -> str:
        """A new order of loops of all fused nests, f before those not fused."""
        every = [x for x in walk(space.body) if tags(x.body) & here]
        mixed = self._mixed(list({loop.dim: loop for loop in every}.values()))
        mixed = [x for x in mixed if x.fusing or self.chance(80)]
        for f in [x for x in mixed if x.fusing]:
            mixed.remove(f)
            inside = [at for at, x in enumerate(mixed) if x.unfused & {f.fusing}]
            mixed.insert(min(inside, default=len(mixed)), f)
        if len(mixed) < 2:
            return ""
        return f"reorder {' '.join(self.name(space, x, here, far) for x in mixed)}"

    def name(self, space: Space, loop: Loop, here: Tags, far: bool) -> str:
        """A way to name a loop, from far or from a directive of its nest."""
        nests = [name for name, own in space.groups.items() if own.tags == here]
        pool = [x for x in walk(space.body) if tags(x.body) & here]
        same = [x for x in pool if x.name == loop.name]
        name = loop.name
        if len({x.dim for x in same}) > 1 or (len(same) > 1 and self.chance(20)):
            name = f"{name}#{same.index(loop) + 1}"
        others = [x for x in walk(space.body) if x.name == loop.name and x not in pool]
        qualified = (far and others) or self.elsewhere or self.chance(5)
        if qualified and self.chance(50):
            own = [x for x, nest in space.own.items() if tags(loop.body) <= nest.tags]
            nests, name = (own, loop.name) if own else (nests, name)
        return f"{nests[0]}.{name}" if qualified and nests else name
