"""Random lists of directives over the loops that there are, most of which apply."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from fuzz.generate import singles
from fuzz.generate.loopnames import Dim, Nest, nest
from fuzz.generate.storage import cached, parted
from fuzz.programs.dice import Dice
from fuzz.programs.model import Assign, For, Function, Node, walk
from fuzz.programs.terms import Cell

VERBS = {
    "split": 8, "sizes": 2, "parts": 1, "tile": 5, "block": 5, "reorder": 9, "skew": 4,
    "pad": 3, "distribute": 4, "cut": 4, "collapse": 5, "unroll": 4, "jam": 3,
    "vectorize": 4,
    "parallel": 6, "wavefront": 2, "cache": 6, "bind": 2, "sync": 2, "rfactor": 3,
}  # fmt: skip
"""How often what is drawn."""

MOVES = (
    "compute_at", "compute_at", "compute_at sliding", "reverse_compute_at",
    "reverse_compute_at", "simple_compute_at", "compute_inline",
    "reverse_compute_inline",
)  # fmt: skip
"""What moves a nest into another."""

AXES = ("blockIdx.x", "blockIdx.y", "threadIdx.x", "threadIdx.x", "threadIdx.y")

ASSUMED = ("n == m", "n % 2 == 0", "n >= 3", "m > 1 and n > 1", "n <= 5", "m >= n")

SIZES = (1, 2, 2, 3, 3, 4, 5)


COUNTS = (1, 1, 1, 2, 2, 3)


def scheduled(
    function: Function, dice: Dice, counts: tuple[int, ...] = COUNTS
) -> Function:
    """The function with directives, above it and above its nests.

    Args:
        function: without any. counts: how many a nest may get.
    """
    return _Scheduler(function, dice, counts).function()


class _Scheduler:
    """Draws the directives of one function.

    Attributes:
        nests: those that are left, by the number of the statement they stand at.
        buffers: how many have been made.
    """

    def __init__(self, bare: Function, dice: Dice, counts: tuple[int, ...]) -> None:
        self.bare = bare
        self.counts = counts
        self.dice = dice
        self.buffers = 0
        loops = [(at, x) for at, x in enumerate(bare.body) if isinstance(x, For)]
        named = enumerate(loops)
        self.nests = {at: nest(f"n{number}", loop) for number, (at, loop) in named}

    def function(self) -> Function:
        """The function with its directives."""
        dice, above = self.dice, list[str]()
        own: dict[int, list[str]] = {at: [] for at in self.nests}
        several = len(self.nests) > 1
        for at, one in self.nests.items():
            loop = self.bare.body[at]
            assert isinstance(loop, For)
            own[at] += [x for x in [singles.fused(dice, loop, one.top)] if x]
        texts = self.fused() if several and dice.chance(55) else []
        if texts:
            first = min(self.nests)
            if dice.chance(50):
                above += texts
            else:
                own[first] += texts
            count = dice.pick(0, 0, 1, 1, 2)
            whole = next(iter(self.nests.values()))
            more = [x for _ in range(count) for x in self.directive(whole)]
            (above if above else own[first]).extend(more)
        else:
            for at, one in self.nests.items():
                if len(self.nests) == 1 or dice.chance(70):
                    for _ in range(dice.pick(*self.counts)):
                        own[at] += self.directive(one)
        if not texts and several and dice.chance(70):
            self.move(own, above)
        self.sub_nests(own)
        self.facts(own, above)
        body = [self.placed(at, node, own) for at, node in enumerate(self.bare.body)]
        return replace(self.bare, body=tuple(body), directives=tuple(above))

    def placed(self, at: int, node: Node, own: dict[int, list[str]]) -> Node:
        """A statement of the function with what stands above it."""
        texts = own.get(at, [])
        if not texts or not isinstance(node, For):
            return node
        if len(texts) > 1 and self.dice.chance(20):
            texts = [" | ".join(texts)]
        return replace(node, directives=tuple(texts))

    def fused(self) -> list[str]:
        """A ``fuse`` of nests that stand side by side."""
        dice = self.dice
        places = self.alike()
        if len(places) < 2:
            return []
        count = (
            len(places) if dice.chance(60) else dice.pick(*range(2, len(places) + 1))
        )
        start = dice.pick(*range(len(places) - count + 1))
        used = places[start : start + count]
        texts: list[str] = []
        if dice.chance(20):
            moved = self.nests[dice.pick(*used)]
            texts.append(f"pad {moved.name}.{moved.top.name} {dice.pick(1, 1, 2)}")
        order = used if dice.chance(85) else dice.some(used, count)
        parts = [self.nests[at] for at in order]
        longest = max(len(part.chain()) for part in parts)
        rank = dice.pick(1, longest) if dice.chance(80) else dice.pick(1, 2)
        most = min([len(p.chain()) for p in parts if p.chain()[-1].inside] or [longest])
        rank = min(rank, most) if dice.chance(97) else rank
        text = f"fuse {' '.join(part.name for part in parts)}"
        if rank < longest or dice.chance(20):
            text += f" partial={rank}"
        levels = [
            next(p.chain()[at] for p in parts if at < len(p.chain()))
            for at in range(min(rank, longest))
        ]
        names = list(dict.fromkeys(dim.name for dim in levels))
        if len(names) == rank and dice.chance(10):
            names = [f"c{at}" for at in range(rank)]
            text += f" as {' '.join(names)} g"
        texts.append(text)
        chains = [p.chain() for p in parts]
        things = [c[rank : rank + 1] or c[-1].things for c in chains]
        top = Dim("f", [x for own in things for x in own], marks={"fusing"})
        for name in reversed(names):
            top = Dim(name, [top])
        for at in used:
            if at != used[0]:
                del self.nests[at]
        self.nests[used[0]] = Nest(parts[0].name, Dim("", [top]))
        self.nests = {used[0]: self.nests[used[0]], **self.nests}
        return texts

    def alike(self) -> list[int]:
        """The nests with the steps of one of them; seldom, all."""
        if self.dice.chance(5):
            return list(self.nests)
        model = self.nests[self.dice.pick(*self.nests)].steps()

        def fits(steps: list[int]) -> bool:
            return all(a == b for a, b in zip(steps, model, strict=False))

        return [at for at, one in self.nests.items() if fits(one.steps())]

    def move(self, own: dict[int, list[str]], above: list[str]) -> None:
        """A nest that runs in a loop of another, before all else or behind it."""
        dice, places = self.dice, list(self.nests)
        for _ in range(dice.pick(1, 1, 1, 2)):
            first = dice.pick(*range(len(places) - 1))
            second = dice.pick(*range(first + 1, len(places)))
            one, other = (self.nests[places[at]] for at in (first, second))
            verb = dice.pick(*MOVES)
            if verb.startswith("reverse") or (verb.startswith("s") and dice.chance(30)):
                one, other = other, one
            loop = dice.pick(*other.dims())
            name = f"{other.name}.{other.called(loop)}"
            head, _, tail = verb.partition(" ")
            if head.endswith("inline"):
                above.append(f"{head} {one.name}")
                continue
            text = f"{head} {one.name} {name}{f' {tail}' if tail else ''}"
            if dice.chance(50):
                own[places[-1]].append(text)
            elif dice.chance(70):
                above.append(f"{head} {one.name} {other.name}.{other.top.name}")

    def sub_nests(self, own: dict[int, list[str]]) -> None:
        """Fuse loops with names of their own that stand in one nest, at times."""
        for at, node in enumerate(self.bare.body):
            if any(isinstance(x, Assign) and x.label for x in walk([node])):
                continue
            labels = [
                x.label for x in walk([node]) if isinstance(x, For) and x is not node
            ]
            known = [label for label in labels if label]
            if len(known) > 1 and at in own and self.dice.chance(50):
                own[at].insert(0, f"fuse {known[0]} {known[1]}")
                if self.dice.chance(40):
                    own[at] = own[at][:1]

    def facts(self, own: dict[int, list[str]], above: list[str]) -> None:
        """What is asserted, and what local arrays are."""
        dice = self.dice
        at = min(own)
        reduced = [
            x.target.array if isinstance(x.target, Cell) else x.target.name
            for x in walk([self.bare.body[at]])
            if isinstance(x, Assign) and x.op != "="
        ]
        parted = any("rfactor " in text for text in own[at])
        if reduced and dice.chance(85 if parted else 40):
            own[at].insert(0, f"reassociate {dice.pick(*reduced)}")
        if dice.chance(6):
            own[at].insert(
                0,
                f"assume {dice.pick(*ASSUMED)}",
            )
        for local in self.bare.locals:
            if dice.chance(75):
                own[at].append(f"temp {local.name}")
        if dice.chance(0.7):
            array = dice.pick(*self.bare.arrays).name
            own[at].insert(0, dice.pick("trust order", f"trust independent {array}"))
        if not any((*above, *(text for texts in own.values() for text in texts))):
            own[at].append(f"split {self.nests[min(self.nests)].top.name} 2")

    # Loops

    def directive(self, one: Nest) -> list[str]:
        """One directive, or several that belong together."""
        dice = self.dice
        (verb,) = dice.random.choices(list(VERBS), list(VERBS.values()))
        path = [dim for dim in dice.pick(*one.paths())]
        free = [dim for dim in path if "fusing" not in dim.marks]
        if not free:
            return []
        dim = dice.pick(*free)
        name = one.called(dim)
        size = dice.pick(*SIZES)
        match verb:
            case "split" | "sizes":
                return self.split(one, dim, verb == "sizes")
            case "parts" if dim.count is not None:
                one.split(dim)
                return [f"split {name} parts={dice.pick(1, 2, 3)}"]
            case "tile" | "block" if all("#" not in one.called(x) for x in free):
                return self.tile(one, free, verb == "block")
            case "reorder" | "tile" if len(path) > 1:
                return self.reorder(one, path)
            case "skew" | "wavefront" if len(free) > 1:
                two = dice.some(free, 2)
                if dice.chance(60):
                    two = sorted(two, key=path.index, reverse=True)
                by = dice.pick("", "", "", "", " by 2", " by -1", " unroll<3")
                found = [f"skew {one.called(two[0])} {one.called(two[1])}{by}"]
                return found + (self.reorder(one, path) if verb == "wavefront" else [])
            case "pad":
                return [f"pad {name} {dice.pick(0, 1, 1, 2, 3)}"]
            case "collapse" if len(path) > 1:
                return self.collapse(one, path)
            case "distribute":
                return self.distribute(one, dim)
            case "cut":
                return self.cut(one, path[: path.index(dim)], dim)
            case "unroll":
                full = dim.count is not None and dim.count < 6 and dice.chance(60)
                return self.marked(
                    dim, "unroll", f"unroll {name}{'' if full else f' {size}'}"
                )
            case "jam" if len(free) > 1 and len(path) == len(free):
                outer = free[0]
                inner = one.split(outer, size=size)
                order = [one.called(x) for x in (outer, *free[1:], inner)]
                return [
                    f"split {name if outer is dim else one.called(outer)} {size}",
                    f"reorder {' '.join(order)}",
                    f"unroll {one.called(inner)}",
                ]
            case "vectorize":
                dim = dice.pick(dim, free[-1])
                lanes = dice.pick("", "", " 4", " 8")
                return self.marked(
                    dim, "vectorize", f"vectorize {one.called(dim)}{lanes}"
                )
            case "parallel":
                dim = dice.pick(dim, free[0])
                more = dice.pick(
                    "",
                    "",
                    "",
                    " schedule=dynamic",
                    " threads=2",
                    " chunk=2",
                    " least=2",
                )
                return self.marked(dim, "parallel", f"parallel {one.called(dim)}{more}")
            case "cache":
                return self.cached(one, dim)
            case "bind":
                text = f"bind {one.called(dim)} {dice.pick(*AXES)}"
                return self.marked(dim, "parallel", text)
            case "sync":
                text = f"bind {one.called(path[0])} {dice.pick(*AXES[2:])}"
                outer = self.marked(path[0], "parallel", text)
                return [*outer, f"sync_threads {name}"]
            case "rfactor":
                self.buffers += 1
                return parted(self.dice, self.buffers, one, path, dim)
        return self.split(one, dim, False)

    def cached(self, one: Nest, dim: Dim) -> list[str]:
        """A buffer in a loop."""
        self.buffers += 1
        at = next(at for at, x in self.nests.items() if x is one)
        known = [array.name for array in (*self.bare.arrays, *self.bare.locals)]
        return cached(self.dice, self.buffers, one, dim, self.bare.body[at], known)

    def marked(self, dim: Dim, mark: str, text: str) -> list[str]:
        """A mark, unless there is one."""
        if dim.marks:
            return []
        dim.marks.add(mark)
        return [text]

    def split(self, one: Nest, dim: Dim, twice: bool) -> list[str]:
        """``split`` with one size or two, and new names at times."""
        dice = self.dice
        size = dice.pick(*SIZES)
        text = f"split {one.called(dim)} {size}"
        if twice:
            inner = one.split(dim, size=size)
            one.split(inner)
            return [f"{text} {dice.pick(1, 2, 3)}"]
        if dice.chance(12):
            known = {x.name for x in one.dims()}
            names = [x for x in ("p", "q", "u", "v", "w") if x not in known][:2]
            one.split(dim, names, size)
            return [f"{text} as {' '.join(names)}"]
        one.split(dim, size=size)
        return [text]

    def distribute(self, one: Nest, dim: Dim) -> list[str]:
        """``distribute``, at times with names for what it gives."""
        text = f"distribute {one.called(dim)}"
        known = {x.name for x in one.dims()}
        parts = one.distribute(dim)
        names = [f"d{at}" for at in range(len(parts))]
        if self.dice.chance(25) and known.isdisjoint(names):
            for part, name in zip(parts, names, strict=True):
                part.name = name
            text += f" as {' '.join(names)}"
        return [text]

    def cut(self, one: Nest, outer: list[Dim], dim: Dim) -> list[str]:
        """``cut`` at one value or several, at times with names for the parts."""
        dice = self.dice
        values = [self.value(outer) for _ in range(dice.pick(1, 1, 1, 2, 2, 3))]
        if dice.chance(25) and values[0].isidentifier():
            values = [values[0], f"{values[0]}+1"]
        text = f"cut {one.called(dim)} {' '.join(values)}"
        known = {x.name for x in one.dims()}
        parts = one.cut(dim, len(values) + 1)
        names = [f"e{at}" for at in range(len(parts))]
        if dice.chance(25) and known.isdisjoint(names):
            for part, name in zip(parts, names, strict=True):
                part.name = name
            text += f" as {' '.join(names)}"
        return [text]

    def value(self, outer: list[Dim]) -> str:
        """Where a loop is cut, with loops around it."""
        dice = self.dice
        number = dice.pick("0", "1", "1", "2", "3", "4", "-1", "9")
        size = dice.pick("n", "m")
        if not outer or dice.chance(40):
            return dice.pick(
                number, number, f"{size}-1", f"{size}//2", f"({size}+2)//3", size
            )
        loop = dice.pick(*(dim.name for dim in outer))
        return dice.pick(
            loop, f"{loop}+1", f"{loop}-1", f"2*{loop}-1", f"{size}-{loop}",
            f"{loop}//2", f"{loop}%3",
        )  # fmt: skip

    def tile(self, one: Nest, free: list[Dim], ordered: bool) -> list[str]:
        """``tile`` of some loops of a path, with its blocks outermost at times."""
        dice = self.dice
        chosen = sorted(dice.some(free, dice.pick(1, 2, 2, 3)), key=free.index)
        sizes = [dice.pick(*SIZES) for _ in chosen]
        pairs = zip(chosen, sizes, strict=True)
        text = " ".join(f"{one.called(dim)}={size}" for dim, size in pairs)
        inner = [
            one.split(dim, size=size) for dim, size in zip(chosen, sizes, strict=True)
        ]
        found = [f"tile {text}"]
        if ordered:
            order = [*chosen, *inner]
            if dice.chance(25):
                order = dice.some(order, len(order))
            found.append(f"reorder {' '.join(one.called(dim) for dim in order)}")
            names = [dim.name for dim in order]
            places = sorted(order, key=one.dims().index)
            for place, name in zip(places, names, strict=True):
                place.name = name
        return found

    def reorder(self, one: Nest, path: list[Dim]) -> list[str]:
        """``reorder`` of two loops or three of a path."""
        dice = self.dice
        chosen = dice.some(path, dice.pick(2, 2, 2, 3))
        if sorted(chosen, key=path.index) == chosen:
            chosen.reverse()
        text = f"reorder {' '.join(one.called(dim) for dim in chosen)}"
        names = [(dim.name, dim.marks) for dim in chosen]
        places = sorted(chosen, key=path.index)
        for place, (name, marks) in zip(places, names, strict=True):
            place.name, place.marks = name, marks
        return [text]

    def collapse(self, one: Nest, path: list[Dim]) -> list[str]:
        """``collapse`` of two neighbours, at times with a split behind it."""
        dice = self.dice
        pairs = [
            (outer, inner)
            for outer, inner in pairwise(path)
            if outer.alone and not outer.marks and not inner.marks
        ]
        if not pairs:
            return []
        outer, inner = dice.pick(*pairs)
        known = {dim.name for dim in one.dims()}
        name = next(x for x in ("z", "zz", "zzz", "zzzz") if x not in known)
        text = f"collapse {one.called(outer)} {one.called(inner)} as {name}"
        outer.name, outer.things = name, inner.things
        outer.count = None
        return [text]
