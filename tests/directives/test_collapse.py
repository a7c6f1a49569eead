"""``collapse`` among other directives: the order is that of the definitions.

Positions are computed here from LANGUAGE.md's definitions, as functions of the source's
loop variables, for nests of independent statements. Sorting the iterations by them must
give the order in which the rewritten loops run.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pytest
from kit.carried import rewritten, same
from kit.nests import Run, nest_of
from kit.recording import written
from kit.samples import some

from looptx.directives import parse
from looptx.errors import Place
from looptx.model.program import Directive
from looptx.model.schedule import initial
from looptx.show.order import order_of
from looptx.show.runs import enumerate_runs

CASES = some(30)
PARTS = 3
"""The cases are shared between so many tests, for parallel test runs."""

Env = dict[str, int]

NESTS = (
    ("i j", ("range({n})", "range({m})")),
    ("i j k", ("range({n})", "range({m})", "range({l})")),
    ("i j k", ("range({n})", "range(1, {m} + 1)", "range(2, {l})")),
    ("i j", ("range({n}, 0, -1)", "range(2, {m} + 3, 3)")),
    ("i j k", ("range({n})", "range(3)", "range(1, {m} - 1)")),
    ("i j k", ("range({n})", "range({m})", "range(1, 4)")),
    ("i j", ("range({n})", "range(i)")),
    ("i j", ("range({n})", "range(i, {m})")),
    ("i j", ("range({n} - 1, -1, -1)", "range({n} - i, {m})")),
    ("i j k", ("range({n})", "range(i + 1)", "range(j, {l})")),
    ("i j k", ("range({n})", "range(i, {m})", "range({l})")),
    ("i j k", ("range({n})", "range({m})", "range(i, j + 1)")),
)
VERBS = (
    *("collapse",) * 4,
    *("split",) * 3,
    *("reorder",) * 2,
    *("skew", "pad", "tile", "unroll", "parallel"),
)


@dataclass(frozen=True)
class Dimension:
    """A loop: its position as a function, and the variables that this reads."""

    name: str
    position: Callable[[Env], int]
    reads: frozenset[str]


@dataclass
class Meaning:
    """The dimensions of a perfect nest, outermost first, by the definitions.

    Attributes:
        loops: the variables of the source, and their ranges as text.
        sizes: the parameters.
        ranges: the values of collapsed loops. values: how they follow from others.
    """

    loops: dict[str, str]
    sizes: Env
    order: list[Dimension] = field(default_factory=list)
    ranges: dict[str, range] = field(default_factory=dict)
    values: dict[str, Callable[[Env], int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.loops:
            seen = [env[name] for env in self.iterations(name)]
            text = self.loops[name].format(**self.sizes)
            args = eval(text, {"i": 0, "j": 0, "k": 0})
            first = min(seen, default=0) if args.step > 0 else max(seen, default=0)
            self.order.append(self._source(name, first, args.step))

    def _source(self, name: str, first: int, step: int) -> Dimension:
        return Dimension(
            name, lambda env: (env[name] - first) // step, frozenset((name,))
        )

    def iterations(self, last: str) -> Iterator[Env]:
        """The iterations of the source's loops down to one of them."""

        def visit(names: list[str], env: Env) -> Iterator[Env]:
            if not names:
                yield env
                return
            name, *rest = names
            for value in eval(self.loops[name].format(**self.sizes), dict(env)):
                yield from visit(rest, {**env, name: value})

        names = list(self.loops)
        yield from visit(names[: names.index(last) + 1] if last else [], {})

    def at(self, name: str) -> int:
        """The place of a dimension."""
        return [each.name for each in self.order].index(name)

    def change(self, name: str, *new: Dimension) -> None:
        """Put dimensions in the place of one."""
        at = self.at(name)
        self.order[at : at + 1] = new

    def split(self, name: str, size: int, inner: str) -> None:
        """Blocks, and the places in them."""
        old = self.order[self.at(name)]
        self.change(
            name,
            Dimension(name, lambda env: old.position(env) // size, old.reads),
            Dimension(inner, lambda env: old.position(env) % size, old.reads),
        )

    def shift(self, name: str, along: str | None, by: int) -> None:
        """Further on by a number, or by so many times the position of another loop."""
        old = self.order[self.at(name)]
        if along is None:
            new = Dimension(name, lambda env: old.position(env) + by, old.reads)
        else:
            other = self.order[self.at(along)]
            new = Dimension(
                name,
                lambda env: old.position(env) + by * other.position(env),
                old.reads | other.reads,
            )
        self.change(name, new)

    def reorder(self, names: list[str]) -> None:
        """A new order, in the places that the loops hold."""
        places = sorted(map(self.at, names))
        found = [self.order[self.at(name)] for name in names]
        for place, dimension in zip(places, found, strict=True):
            self.order[place] = dimension

    def positions(self, dimension: Dimension) -> range:
        """From 0, or the first position below, to the last over the whole nest."""
        source = [name for name in self.loops if name in dimension.reads]
        made = [name for name in self.ranges if name in dimension.reads]
        seen = {
            dimension.position({**env, **dict(zip(made, values, strict=True))})
            for env in self.iterations(source[-1] if source else "")
            for values in itertools.product(*(self.ranges[name] for name in made))
        }
        return range(
            min(seen, default=0) if min(seen, default=0) < 0 else 0,
            max(seen, default=-1) + 1 if max(seen, default=-1) >= 0 else 0,
        )

    def collapse(self, name: str) -> None:
        """A loop and the next one: rows and columns, empty cells included."""
        outer, inner = self.order[self.at(name) : self.at(name) + 2]
        rows, columns = self.positions(outer), self.positions(inner)
        new = f"{outer.name}_{inner.name}"
        self.ranges[new] = range(len(rows) * len(columns))
        self.values[new] = lambda env: (
            (outer.position(env) - rows.start) * len(columns)
            + inner.position(env)
            - columns.start
        )
        self.order[self.at(name) : self.at(name) + 2] = [
            Dimension(new, lambda env: env[new], frozenset((new,)))
        ]

    def run(self) -> list[tuple[int, ...]]:
        """The iterations in their order."""
        timed = []
        for env in self.iterations(list(self.loops)[-1]):
            point = tuple(env[name] for name in self.loops)
            for name, value in self.values.items():
                env = {**env, name: value(env)}
            timed.append((tuple(each.position(env) for each in self.order), point))
        assert len({time for time, _ in timed}) == len(timed)
        return [point for _, point in sorted(timed)]


def draw(chance: random.Random, meanings: list[Meaning]) -> list[str]:
    """Directives, applied to every meaning."""
    texts: list[str] = []
    fresh = (f"x{number}" for number in itertools.count())
    verbs = ["collapse", *chance.choices(VERBS, k=chance.randint(1, 4))]
    chance.shuffle(verbs)
    parallel = False
    for verb in verbs:
        names = [each.name for each in meanings[0].order]
        one = chance.choice(names)
        if verb == "collapse" and len(names) > 1:
            outer = chance.randrange(len(names) - 1)
            if parallel:
                continue
            texts.append(
                f"collapse {names[outer]} {names[outer + 1]} "
                f"as {names[outer]}_{names[outer + 1]}"
            )
            for meaning in meanings:
                meaning.collapse(names[outer])
        elif verb in ("split", "tile"):
            size, inner = chance.randint(1, 9), next(fresh)
            texts.append(
                f"split {one} {size} as {one} {inner}"
                if verb == "split"
                else f"tile {one}={size} as {inner}"
            )
            for meaning in meanings:
                meaning.split(one, size, inner)
        elif verb == "reorder" and len(names) > 1:
            some = chance.sample(names, chance.randint(2, len(names)))
            texts.append(f"reorder {' '.join(some)}")
            for meaning in meanings:
                meaning.reorder(some)
        elif verb == "skew" and len(names) > 1:
            moved, along = chance.sample(names, 2)
            by = chance.choice((1, 1, 2, -1))
            texts.append(f"skew {moved} {along} by {by}")
            for meaning in meanings:
                meaning.shift(moved, along, by)
        elif verb == "pad":
            count = chance.randint(1, 3)
            texts.append(f"pad {one} {count}")
            for meaning in meanings:
                meaning.shift(one, None, count)
        elif verb == "unroll":
            texts.append(f"unroll {one} {chance.randint(2, 3)}")
            parallel = True
        elif verb == "parallel" and not parallel:
            texts.append(f"parallel {one}")
            parallel = True
    return texts


def source(loops: dict[str, str], sizes: Env | None, texts: list[str]) -> str:
    """A function that notes its iterations; ``sizes`` are literal when given."""
    names = sizes or {name: name for name in ("n", "m", "l")}
    lines = ["def f(A, n, m, l):", *(f"    # looptx: {text}" for text in texts)]
    for depth, (name, values) in enumerate(loops.items(), 1):
        lines.append(f"{'    ' * depth}for {name} in {values.format(**names)}:")
    point = ", ".join(loops)
    return "\n".join([*lines, f"{'    ' * (len(loops) + 1)}A[{point}] = 1", ""])


def notes(text: str, sizes: Env) -> list[tuple[int, ...]]:
    """Where the function writes, in order."""
    scope: dict[str, Callable[..., None]] = {}
    exec(text, scope)
    return written(partial(scope["f"], **sizes))


@pytest.mark.parametrize("part", range(PARTS))
def test_the_order_is_that_of_the_positions(part: int) -> None:
    seen = 0
    for number in range(part, CASES, PARTS):
        chance = random.Random(number)
        names, ranges = chance.choice(NESTS)
        loops = dict(zip(names.split(), ranges, strict=True))
        some = [
            {name: chance.choice((0, 1, 2, 3, 4, 5, 6, 7)) for name in "nml"}
            for _ in range(1 if number % 3 == 0 else 4)
        ]
        meanings = [Meaning(loops, sizes) for sizes in some]
        texts = draw(chance, meanings)
        literal = some[0] if number % 3 == 0 else None
        text = source(loops, literal, texts)
        found = rewritten(text)
        assert found.code in ("", "LX204"), f"{number}: {found}\n{text}"
        if found.code:
            continue
        seen += 1
        for sizes, meaning in zip(some, meanings, strict=True):
            assert notes(found.text, sizes) == meaning.run(), (
                f"{number} {sizes}\n{text}\n{found.text}"
            )
    assert seen >= 0.95 * CASES / PARTS


ROWS = ("range(2, n)", "range(1, m)")
WIDE, EVEN, LITERAL = "assume m > 4", "assume m % 4 == 1", "assume m == 9"
SPLIT = "collapse i j | split ij 4"
TURNED = f"{SPLIT} | reorder ij_in ij"


@pytest.mark.parametrize(
    ("statement", "texts", "code"),
    [
        ("A[i, j] = A[i, j - 1] + 1", SPLIT, ""),
        ("A[i, j] = A[i, j - 1] + 1", f"{SPLIT} | parallel ij", "LX202"),
        ("A[i, j] = A[i, j - 1] + 1", f"{SPLIT} | parallel ij_in", "LX202"),
        ("A[i, j] = A[i, j - 1] + 1", "collapse i j | parallel ij", "LX202"),
        ("A[i, j] = A[i, j] + 1", f"{SPLIT} | parallel ij", ""),
        ("A[i, j] = A[i, j] + 1", f"{TURNED} | parallel ij", ""),
        # The same column of the next row is m - 1 positions further on.
        ("A[i, j] = A[i - 1, j] + 1", f"{SPLIT} | parallel ij_in", "LX202"),
        ("A[i, j] = A[i - 1, j] + 1", f"{WIDE} | {SPLIT} | parallel ij_in", ""),
        ("A[i, j] = A[i - 1, j] + 1", TURNED, "LX201"),
        ("A[i, j] = A[i - 1, j] + 1", f"{EVEN} | {TURNED}", ""),
        ("A[i, j] = A[i - 2, j] + 1", f"{EVEN} | {TURNED} | parallel ij_in", ""),
        ("A[i, j] = A[i - 1, j + 1] + 1", TURNED, "LX201"),
        # All rows use the same cells: that they are whole blocks apart is not seen.
        ("A[0, j] = A[0, j] + i", f"{WIDE} | {SPLIT} | parallel ij_in", ""),
        ("A[0, j] = A[0, j] + i", f"{EVEN} | {TURNED}", "LX203"),
        ("A[0, j] = A[0, j] + i", f"{LITERAL} | {TURNED}", ""),
        ("A[0, j] = A[0, j] + i", f"{LITERAL} | {TURNED} | parallel ij_in", ""),
        ("A[0, j] = A[0, j] + i", f"{LITERAL} | {TURNED} | parallel ij", "LX202"),
    ],
)
def test_verdicts(statement: str, texts: str, code: str) -> None:
    text = f"""
def f(A, n, m):
    # looptx: {texts}
    for i in {ROWS[0]}:
        for j in {ROWS[1]}:
            {statement}
"""
    found = rewritten(text)
    assert found.code == code, found.message
    if code == "LX203":
        assert "a product of run-time sizes" in found.message
        assert "hint: `assume m == 64` makes it legal" not in found.message


def test_what_is_unknown_is_known_for_a_literal_width() -> None:
    text = """
def f(A, n, m):
    # looptx: assume m % 4 == 0 | collapse i j | split ij 4 | reorder ij_in ij
    for i in range(n):
        for j in range(m):
            A[j] = A[j] + i
"""
    found = rewritten(text)
    assert found.code == "LX203"
    assert "hint: `assume m == 64` makes it legal" in found.message
    assert not rewritten(text.replace("m % 4 == 0", "m == 64")).code


def test_a_guard_that_holds_is_left_out() -> None:
    text = source({"i": "range(2, {n})", "j": "range({m}, 0, -1)"}, None, [SPLIT])
    assert "if" not in rewritten(text).text
    text = source({"i": "range({n})", "j": "range(i)"}, None, [SPLIT])
    assert "if j < i" in rewritten(text).text


def test_rows_that_depend_on_loops_around_are_counted_there() -> None:
    """Nothing is made of the loop, so its length need not be that of all of them."""
    loops = {"k": "range({n})", "i": "range(k, {n})", "j": "range(k, {m})"}
    found = rewritten(source(loops, None, ["collapse i j | parallel ij"]))
    assert "range((n - k) * (m - k))" in found.text


@pytest.mark.parametrize("text", [SPLIT, f"skew j i | {TURNED}", f"pad j 2 | {SPLIT}"])
def test_pictures_have_the_same_order(text: str) -> None:
    nest = nest_of(
        "for i in range(n):\n    for j in range(i, m):\n        A[i, j] = 1\n"
    )
    schedule = initial(nest)
    for verb in parse(Directive(text, Place("t.py", 1))):
        schedule = verb.apply(schedule)
    sizes = {"n": 4, "m": 6}
    space = enumerate_runs(nest, sizes, 100)
    assert space is not None
    steps = order_of(schedule, space).steps
    timed = zip(steps, (run.point for run in space.runs), strict=True)
    drawn = [point for _, point in sorted(timed)]
    ordered = Run(nest, sizes).order(schedule)
    assert drawn == [point for _, point in ordered]


@pytest.mark.parametrize(("outer", "inner"), ["if", "is", "or", "as"])
def test_a_collapsed_loop_is_no_keyword(outer: str, inner: str) -> None:
    text = f"""
def f(A, n, m):
    # looptx: collapse {outer} {inner}
    for {outer} in range(n):
        for {inner} in range(m):
            A[{outer}, {inner}] = 1
"""
    made = rewritten(text)
    assert f"for {outer}{inner}2 in range(" in made.text, made.message


def test_rows_of_steps_that_the_other_loop_shifts() -> None:
    """What a collapsed loop counts in a row is no value of the loop in steps."""
    text = """
def f(A, n, m):
    # looptx: collapse i j
    for i in range(m - 1, -1, -1):
        for j in range(i, n, 2):
            A[i, j] = 2 * A[i, j] + j
"""
    calls = [
        (np.arange(81.0).reshape(9, 9), n, m) for n in range(9) for m in (0, 1, 2, 5)
    ]
    same(text, *calls)


def test_loops_that_are_skewed_along_the_nests_of_a_fused_one() -> None:
    text = """
def f(A, n):
    # looptx: fuse a b partial=1
    # looptx: skew i f
    # looptx: nest a
    for i in range(2, n + 1):
        A[i] = A[i] + 1
    # looptx: nest b
    for i in range(2, n + 1):
        A[i] = A[i] * 0.5
"""
    same(text, *((np.arange(9.0), n) for n in (0, 1, 2, 3, 7)))
