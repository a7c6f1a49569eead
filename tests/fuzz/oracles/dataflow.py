"""Oracle (a): original and rewritten Python run on symbols must give the same ones.

Every cell of every argument, and every result, must be the same expression. It shares
nothing with looptx, isl, or the oracle on traces.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import CodeType, MappingProxyType
from typing import Any

import numpy as np

from fuzz.oracles.combining import BUT, EVERY, Combining
from fuzz.programs.model import Array, Function, Program, deepest
from fuzz.programs.setting import Start
from fuzz.values import symbols
from fuzz.values.symbols import Grid, Node, Numpy

ROOM = 24
"""The extent of arrays that do not have the sizes of the loops."""

LENGTHS = (0, 1, 2, 3, 5, 7)
MOST = 9
TRIES = 5

KEEPING = "rfactor", "cache_read", "cache_write"
"""The directives that make buffers."""

Outcome = dict[str, Grid]
Shapes = Mapping[str, tuple[int, ...]]
"""The shapes of arrays, where they are not the usual ones."""


def difference(program: Program, new: str, seed: int) -> str | None:
    """Where a rewritten program computes something else.

    Returns:
        ``""`` when it never does, None when the original runs at none of the sizes.
    """
    ran = False
    free = orderless(program)
    changed = _definitions(new, free)
    for function in program.functions:
        for run in runs(program, function, seed):
            expected = _original(program, free, function, run)
            if expected is None:
                continue
            ran = True
            try:
                found = outcome(
                    function, changed[function.name], *run.sizes, run.shapes
                )
            except Exception as error:
                return f"at {run} it raises {error!r}"
            for name, one in expected.items():
                if name in function.scratch:
                    continue
                if run.short and not name.startswith("result"):
                    continue
                if name not in found:
                    return f"at {run} {name} is missing"
                if why := _apart(one, found[name]):
                    return f"at {run} {name}{why}"
    return "" if ran else None


@dataclass(frozen=True)
class Run:
    """What a function is called with.

    Attributes:
        sizes: ``n`` and ``m``. shapes: those of arrays, where they are not the usual
            ones. short: whether arrays are shorter than loops, so that the nests raise;
            what they hold after that is not promised.
    """

    sizes: tuple[int, int]
    shapes: Shapes = field(default_factory=dict)
    short: bool = False

    def __str__(self) -> str:
        return f"n={self.sizes[0]!r}, m={self.sizes[1]!r} {self.shapes or ''}".strip()


def runs(program: Program, function: Function, seed: int) -> Iterator[Run]:
    """What a function is run with: in one run the sizes are integers of NumPy's."""
    for at, (n, m) in enumerate(sizes(program, function, seed)):
        yield Run((n, m) if at else (np.int64(n), np.int64(m)))
    if not function.setting.caught:
        return
    for extent in (1, 2, 3, 4):
        shapes = {
            one.name: shape(function, one, 5, 5)
            if function.shaped and one.name == function.giver
            else (extent,) * one.rank
            for one in function.arrays
        }
        yield Run((5, 5), shapes, short=True)


def same_at(
    program: Program,
    new: str,
    function: Function,
    sizes: tuple[int, int],
    shapes: Shapes,
) -> bool:
    """Whether a rewritten function computes the same at some sizes.

    Args:
        program: the original. new: the rewritten text. function: one of it.
        sizes: ``n`` and ``m``. shapes: those of the arrays.
    """
    free = orderless(program)
    before, after = (_definitions(x, free)[function.name] for x in (program.bare, new))
    try:
        expected = outcome(function, before, *sizes, shapes)
        found = outcome(function, after, *sizes, shapes)
    except Exception:
        return False
    seen = expected.keys() - function.scratch
    return not any(_apart(expected[name], found[name]) for name in seen)


def sizes(program: Program, function: Function, seed: int) -> list[tuple[int, int]]:
    """Sizes to run a function at: 0, 1, primes, and those around blocks."""
    dice = random.Random(seed)
    blocks = {int(x) for text in program.directives for x in re.findall(r"\d+", text)}
    around = {block + more for block in blocks for more in (-1, 0, 1)}
    deep = deepest(function.body) > 2
    base = [x for x in LENGTHS if not deep or x <= 5]
    edges = sorted(x for x in around if 0 <= x <= (6 if deep else MOST)) or base
    large = base[-1]
    found = [(large, large), (dice.choice((0, 1)), dice.choice(base))]
    while len(found) < TRIES:
        found.append((dice.choice(edges), dice.choice(base)))
        found.append((dice.choice(base), dice.choice((*edges, *base))))
    return found[:TRIES]


def orderless(program: Program) -> frozenset[str]:
    """What may be combined in any order: targets that are named, or all in integers."""
    words = [text.split() for line in program.directives for text in line.split("|")]
    named = {x for text in words if text[0] == "reassociate" for x in text[1:]}
    whole = any(f.annotated and "int" in f.arrays[0].dtype for f in program.functions)
    starts = [one for f in program.functions for one in f.setting.starts]
    named |= {
        x.name
        for f in program.functions
        for x in f.setting.starts
        if _starts_whole(f, x)
    }
    if named:
        # What is kept in buffers and parts may be sums, too.
        for verb, array, *rest in (text for text in words if text[0] in KEEPING):
            if verb == KEEPING[0]:
                named |= {*rest[-1:]} if "as" in rest else set()
            elif array in named:
                named |= {rest[-1] if "as" in rest else f"{array}_cache"}
    if whole:
        named |= {EVERY, *(BUT + one.name for one in starts if one.name not in named)}
    return frozenset(named)


def _starts_whole(function: Function, start: Start) -> bool:
    """Whether a scalar is known to start as an integer: one, or a cell of integers."""
    array = start.text.partition("[")[0]
    return start.whole or any(
        function.annotated and one.name == array and "int" in one.dtype
        for one in function.arrays
    )


_KEPT: dict[object, Any] = {}
"""Functions and outcomes of originals, which lists of directives share."""


def _original(
    program: Program, free: frozenset[str], function: Function, run: Run
) -> Outcome | None:
    """What the program as it stands leaves, None if it raises."""
    text = program.bare
    key = text, free
    if key not in _KEPT:
        _KEPT[key] = _definitions(text, free)
    at = *key, function.name, str(run)
    if at not in _KEPT:
        called = _KEPT[key][function.name]
        try:
            _KEPT[at] = outcome(function, called, *run.sizes, run.shapes)
        except Exception:
            _KEPT[at] = None
    found: Outcome | None = _KEPT[at]
    return found


def forget() -> None:
    """Drop what is kept of the programs so far."""
    _KEPT.clear()
    symbols.clear()


def _definitions(text: str, free: frozenset[str]) -> Mapping[str, Any]:
    """The functions of a module, to run on symbols."""
    scope: dict[str, Any] = {
        "np": Numpy(),
        "combined": symbols.combined,
        "real": symbols.node,
        "float": symbols.node,
    }
    exec(_compiled(text, free), scope)
    return scope


def _compiled(text: str, free: frozenset[str]) -> CodeType:
    tree = _Reals().visit(ast.parse(text.replace("import numpy as np\n", "\n")))
    if free:
        tree = Combining(free).visit(tree)
    return compile(ast.fix_missing_locations(tree), "<program>", "exec")


class _Reals(ast.NodeTransformer):
    """Makes symbols of numbers that are no integers: in what order tells."""

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        match node:
            case ast.UnaryOp(ast.USub(), ast.Constant(float(value))):
                return self.visit_Constant(ast.Constant(-value))
        self.generic_visit(node)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if not isinstance(node.value, float):
            return node
        return ast.Call(ast.Name("real", ast.Load()), [node], [])


def outcome(
    function: Function,
    called: Any,
    n: int,
    m: int,
    shapes: Shapes = MappingProxyType({}),
) -> Outcome:
    """Everything a call leaves behind.

    Raises:
        Exception: what the function raises.
    """
    arguments: dict[str, Any] = {**inputs(function, n, m, shapes)}
    tags = {name: _Tags(name) for name in tag_names(called)}
    starts = [one.name for one in function.setting.starts if not one.text]
    given = {name: symbols.leaf(name, 0, 7) for name in starts}
    found = dict(arguments)
    function.setting.place(called.__globals__, arguments)
    results = called(**arguments, **tags, **given, n=n, m=m)
    if results is not None:
        for at, value in enumerate(results if type(results) is tuple else (results,)):
            found[f"result {at}"] = Grid((1,), symbols.node(value))
    return found


def tag_names(called: Any) -> list[str]:
    """The arrays that only say which statement it is."""
    code = called.__code__
    return [x for x in code.co_varnames[: code.co_argcount] if x[0] == "W"]


class _Tags:
    """An array of any shape that nothing writes."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getitem__(self, key: Any) -> Node:
        at = key if type(key) is tuple else (key,)
        return symbols.leaf(self.name, at, (len(at) + 7 * sum(at)) % 5 - 2)


def inputs(
    function: Function, n: int, m: int, shapes: Shapes = MappingProxyType({})
) -> dict[str, Grid]:
    """Arrays whose cells are symbols."""
    usual = {one.name: shape(function, one, n, m) for one in function.arrays}
    return {name: _filled(name, shapes.get(name, usual[name]), n) for name in usual}


def shape(function: Function, array: Array, n: int, m: int) -> tuple[int, ...]:
    """The shape of an argument."""
    rank, tight = array.rank, (n + 2 * m) % 5 == 4
    if function.shaped and (tight or array.name == function.giver):
        return (n, m, n + m)[:rank] if rank > 1 else (n + m,)
    if tight:
        # Hardly larger than the loops: what counts from the end meets other cells.
        return (max(n, m) + 2,) * rank
    return (ROOM,) * rank if rank < 3 else (ROOM, ROOM // 2, ROOM // 2)


def _filled(name: str, extents: tuple[int, ...], n: int) -> Grid:
    """Small numbers; those of index arrays are positions."""
    least, most = (0, max(n, 1)) if name == "idx" else (-2, 5)

    def start(at: int) -> Node:
        return symbols.leaf(name, at, least + (len(name) + 3 * at) % most)

    return Grid(extents, start=start)


def _apart(expected: Grid, found: Grid) -> str:
    """The first cell that differs, or ``""``."""
    for at, (one, two) in enumerate(zip(expected.values, found.values, strict=True)):
        if one is not two and expected.cell(at) is not found.cell(at):
            return f" (cell {at}) is {found.cell(at)}, not {expected.cell(at)}"
    return ""
