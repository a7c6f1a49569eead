"""Lists of directives that move work and storage, with loop directives around them."""

from __future__ import annotations

from dataclasses import replace

from fuzz.moving.again import again
from fuzz.moving.alike import alike
from fuzz.moving.function import Moving
from fuzz.moving.legal import legal
from fuzz.moving.nests import Drawn, Nests
from fuzz.moving.singles import named
from fuzz.moving.threads import threads
from fuzz.programs.dice import Dice

AXES = "blockIdx.x", "threadIdx.x", "threadIdx.y"
FORMS = (legal, 20), (alike, 14), (threads, 12), (again, 12)
"""Functions of one form, and how many of a hundred these are."""

PLACES = "local", "shared", "global"

SIZES = 1, 2, 2, 3, 3, 4, 5

SINGLES = 70
"""How many of a hundred functions have directives for single statements, if they can.
"""


class Directives:
    """Draws the directives of a function.

    Attributes:
        loops: the names of the loops of each nest, as far as they are known.
        arrays: those that there are, with their ranks. made: buffers.
    """

    def __init__(
        self, dice: Dice, drawn: list[Drawn], ranks: dict[str, int], local: set[str]
    ) -> None:
        self.dice = dice
        self.drawn = {one.name: one for one in drawn}
        self.loops = {one.name: list(one.loops) for one in drawn}
        self.ranks = ranks
        self.local = local
        self.buffers: list[str] = []
        self.parts = 0

    def lines(self) -> list[str]:
        """The directives, at least one of which moves something."""
        dice, found = self.dice, list[str]()
        for _ in range(dice.pick(0, 0, 0, 1, 1, 2)):
            found += self.plain()
        for _ in range(dice.pick(1, 1, 1, 2, 2, 3)):
            found += self.moving()
        for _ in range(dice.pick(0, 0, 1, 1, 2)):
            found += self.plain()
        joined = any(text[0] in "crfs" and "ompute" in text for text in found)
        joined |= len(self.drawn) == 1
        for array in sorted(self.local):
            if dice.chance(55 if joined else 8):
                found.append(f"temp {array}")
                if dice.chance(20):
                    found.append(f"set_buffer {array} {dice.pick(*PLACES)}")
        sums = sorted({x for one in self.drawn.values() for x, _ in one.sums})
        named = [x for x in sums if dice.chance(60)]
        return [f"reassociate {x}" for x in named] + found

    def called(self, nest: str, at: int | None = None) -> str:
        """A loop of a nest."""
        known = self.loops[nest]
        return f"{nest}.{known[at] if at is not None else self.dice.pick(*known)}"

    def plain(self) -> list[str]:
        """A directive of loops."""
        dice = self.dice
        nest = dice.pick(*self.loops)
        known = self.loops[nest]
        at = dice.random.randrange(len(known))
        v = known[at]
        name = f"{nest}.{v}"
        verb = dice.pick(
            "split", "split", "split", "reorder", "reorder", "parallel", "vectorize",
            "unroll",
            "skew", "pad", "collapse", "distribute", "bind", "sync", "fuse", "sizes",
            "cut",
        )  # fmt: skip
        match verb:
            case "split" | "sizes":
                new = v + v[0]
                while new in known:
                    new += v[0]
                known.insert(at + 1, new)
                return [f"split {name} {dice.pick(*SIZES)}"]
            case "reorder" if len(known) > 1:
                two = dice.some(range(len(known)), 2)
                one, other = max(two), min(two)
                text = f"reorder {nest}.{known[one]} {nest}.{known[other]}"
                known[one], known[other] = known[other], known[one]
                return [text]
            case "parallel":
                return [f"parallel {name}"]
            case "vectorize":
                return [f"vectorize {self.called(nest, -1)}"]
            case "unroll":
                return [f"unroll {name} {dice.pick(2, 3, 4)}"]
            case "skew" if len(known) > 1:
                return [
                    f"skew {nest}.{known[1]} {nest}.{known[0]}"
                    + dice.pick("", "", " by 2", " by -1")
                ]
            case "pad":
                return [f"pad {name} {dice.pick(1, 2)}"]
            case "collapse" if len(known) > 1 and at + 1 < len(known):
                text = f"collapse {name} {nest}.{known[at + 1]} as z{len(known)}"
                known[at : at + 2] = [f"z{len(known)}"]
                return [text]
            case "distribute":
                if len(known) > 1:
                    known.remove(v)
                return [f"distribute {name}"]
            case "cut":
                at = len(known) - 1 if dice.chance(70) else at
                v, outer = known[at], known[:at]
                value = dice.pick("1", "2", "3", "n-1", "n//2", *outer)
                known[at] = f"{v}_{dice.pick('low', 'high')}"
                return [f"cut {nest}.{v} {value} as {v}_low {v}_high"]
            case "bind":
                return [f"bind {name} {dice.pick(*AXES)}"]
            case "sync":
                return [f"sync_threads {name}"]
            case "fuse" if len(self.loops) > 1 and dice.chance(50):
                both = sorted(dice.some(list(self.loops), 2))
                return [f"fuse {both[0]} {both[1]} partial={dice.pick(1, 1, 2)}"]
        return []

    def moving(self) -> list[str]:
        """One that moves work or storage, with what goes well with it."""
        dice = self.dice
        names = list(self.drawn)
        pairs = [
            (a, b)
            for at, a in enumerate(names)
            for b in names[at + 1 :]
            if self.drawn[a].writes & self.drawn[b].reads
        ]
        sums = [(one.name, loop) for one in self.drawn.values() for _, loop in one.sums]
        verb = dice.pick(
            "at", "at", "at", "sliding", "reverse", "simple", "inline", "inline",
            "reverse inline", "cache", "cache", "rfactor", "rfactor", "bind", "sync",
            "distribute",
        )  # fmt: skip
        if (
            verb in ("cache",)
            or (verb == "rfactor" and not sums)
            or (
                not pairs
                and verb
                in ("at", "sliding", "reverse", "simple", "inline", "reverse inline")
            )
        ):
            return self.cached()
        if verb == "rfactor":
            return self.parted(*dice.pick(*sums))
        if verb in ("bind", "sync", "distribute"):
            nest = dice.pick(*self.loops)
            name = self.called(nest)
            return {
                "bind": [f"bind {name} {dice.pick(*AXES)}"],
                "sync": [
                    f"bind {self.called(nest, 0)} threadIdx.x",
                    f"sync_threads {name}",
                ],
                "distribute": [f"distribute {name}"],
            }[verb]
        one, other = dice.pick(*pairs)
        if verb == "simple":
            alike = [
                (a, b)
                for a, b in pairs
                if self.drawn[a].bounds[0] == self.drawn[b].bounds[0]
            ]
            one, other = dice.pick(*alike or pairs)
        if verb == "inline":
            plain = [(a, b) for a, b in pairs if self.drawn[a].plain]
            if not plain and dice.chance(75):
                verb = "at"
            one, other = dice.pick(*plain or pairs)
        match verb:
            case "at" | "sliding":
                more = " sliding" if verb == "sliding" else ""
                loop = self.called(other)
                return [f"compute_at {one} {loop}{more}", *self.after(one, loop)]
            case "reverse":
                loop = self.called(one)
                move = f"reverse_compute_at {other} {loop}"
                return [move, *self.after(other, loop)]
            case "simple":
                loop = self.called(other, 0)
                return [f"simple_compute_at {one} {loop}", *self.after(one, loop)]
            case "inline":
                self.gone(one)
                return [f"compute_inline {one}"]
        self.gone(other)
        return [f"reverse_compute_inline {other}"]

    def after(self, nest: str, loop: str) -> list[str]:
        """What is done with a nest that has moved into a loop, and with its cells."""
        dice, known = self.dice, self.loops[nest]
        if dice.chance(60):
            return []
        at = dice.random.randrange(len(known))
        name = f"{nest}.{known[at]}"
        array = dice.pick(*sorted(self.drawn[nest].writes | self.drawn[nest].reads))
        bound = [f"bind {loop} blockIdx.x", f"bind {name} threadIdx.x"]
        few = [
            [f"unroll {name} {dice.pick(2, 3)}"], [f"vectorize {nest}.{known[-1]}"],
            [f"split {name} {dice.pick(2, 3)}"], [f"parallel {loop}"], bound,
            [*bound, f"sync_threads {self.called(loop.split('.')[0], -1)}"],
            [f"temp {array}", f"set_buffer {array} {dice.pick(*PLACES)}"],
            [f"cache_read {array} at {loop}{dice.pick('', ' packed')} as kept"],
            [f"cache_write {array} at {name} as kept", "cache_read kept as kept2"],
            [f"distribute {name}"], [f"split {loop} 2"], [f"unroll {loop} 2"],
        ]  # fmt: skip
        if at + 1 < len(known):
            inner = f"{nest}.{known[at + 1]}"
            few += [
                [f"collapse {name} {inner} as both"], [f"skew {inner} {name}"],
                [f"reorder {inner} {name}"],
            ]  # fmt: skip
        return dice.pick(*few)

    def gone(self, nest: str) -> None:
        """A nest is no more."""
        del self.drawn[nest], self.loops[nest]

    def cached(self) -> list[str]:
        """A buffer, at times packed, in a place, changed, or cached again."""
        dice = self.dice
        nest = dice.pick(*self.drawn)
        one = self.drawn[nest]
        writes = bool(one.writes) and dice.chance(45)
        pool = sorted(one.writes if writes else one.reads)
        if not pool:
            return [f"bind {self.called(nest)} {dice.pick(*AXES)}"]
        array = (
            dice.pick(*pool)
            if not self.buffers or dice.chance(85)
            else dice.pick(*self.buffers)
        )
        verb = "cache_write" if writes else "cache_read"
        place = f" at {self.called(nest)}" if dice.chance(85) else f" at {nest}"
        packed = " packed" if dice.chance(30) else ""
        name = f"buffer{len(self.buffers)}"
        self.buffers.append(name)
        found = [f"{verb} {array}{place}{packed} as {name}"]
        rank = self.ranks.get(array, 1)
        if dice.chance(25):
            change = dice.pick(
                "split {} 2", "unroll {} 2", "vectorize {}", "parallel {}"
            )
            made = f"{name}_load" if writes and dice.chance(20) else name
            found.append(change.format(f"{made}.ax{dice.random.randrange(rank)}"))
        if dice.chance(25):
            found.append(f"set_buffer {name} {dice.pick(*PLACES)}")
        if dice.chance(25):
            other = dice.pick("cache_read", "cache_write")
            again = dice.pick(array, name, name)
            found.append(f"{other} {again} at {self.called(nest)} as {name}b")
        return found

    def parted(self, nest: str, loop: str) -> list[str]:
        """A reduction in parts, and what is done with these."""
        dice = self.dice
        self.parts += 1
        name = f"part{self.parts}"
        found: list[str] = []
        known = self.loops[nest]
        if loop in known and dice.chance(60):
            inner = loop * 2
            if inner not in known:
                known.insert(known.index(loop) + 1, inner)
                found.append(f"split {nest}.{loop} {dice.pick(*SIZES)}")
                loop = dice.pick(loop, loop, inner)
        found.append(f"rfactor {nest}.{loop} as {name}")
        own = [loop, *(x for x in known if x != loop)]
        self.loops[name] = own
        for _ in range(dice.pick(0, 1, 1, 2)):
            v = f"{name}.{dice.pick(loop, loop, *own)}"
            outer = [x for x in known if x != loop]
            found += dice.pick(
                [f"parallel {name}.{loop}"], [f"vectorize {v}"],
                [f"unroll {v} {dice.pick(2, 3)}"],
                [f"split {v} {dice.pick(2, 3)}"],
                [f"reorder {name}.{own[-1]} {name}.{loop}"],
                [f"compute_at {name} {nest}.{dice.pick(*outer, loop)}"],
                [f"compute_at {name} {nest}.{loop}"],
                [f"unroll {nest}.{loop} 2"],
                [f"rfactor {name}.{dice.pick(*own)} as {name}b"],
                [f"cache_write {name} at {v}"], [f"cache_read {name} at {nest}.{loop}"],
                [f"set_buffer {name} {dice.pick(*PLACES)}"],
            )  # fmt: skip
        return found


def scheduled(seed: int, schedule: int) -> Moving:
    """A function with one of its lists of directives."""
    place = 100 * Dice(f"form {seed} {schedule}").random.random()
    for form, share in FORMS:
        if place < share:
            return form(1000 * seed + schedule)
        place -= share
    writer = Nests(seed)
    made, drawn = writer.function()
    local = {line.split(" = ")[0] for line in writer.locals} & set(writer.handed)
    dice = Dice(f"moving {seed} {schedule}")
    lines = Directives(dice, drawn, writer.ranks, local).lines()
    more = Dice(f"singles {seed} {schedule}")
    if more.chance(SINGLES):
        made, found = named(made, more)
        lines = [*found, *more.pick(lines, lines[:1], [])] if found else lines
    return replace(made, directives=tuple(lines))
