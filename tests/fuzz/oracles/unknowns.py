"""Whether looptx may say that it does not know: what is not affine, or very large.

What cannot be analysed are subscripts and conditions that arrays decide, conditions on
names that need not be integers, statements that are more than one assignment to a cell,
and the order of a collapsed loop, which counts to a product of sizes. A program without
any of them is affine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fuzz.oracles.enumeration import analysable
from fuzz.oracles.refusals import Need
from fuzz.programs.model import SIZES, Assign, For, Function, If, Node, Program, walk
from fuzz.programs.nodes import every
from fuzz.programs.terms import Cell, Choice, Expr, cells, names, parts

BY_DATA, COLLAPSED = "depends on data", "product of sizes"
UNTYPED = "may be no integer"
SHARED = "may share memory"

SMALL = 24
"""How much work a program may be that looptx must not find too large."""


def approximate(program: Program, message: str) -> Need:
    """Whether what a refusal says is not affine (LX203) is not."""
    why = COLLAPSED if "a collapsed loop" in message else BY_DATA
    if why in {why for function in program.functions for why in _not_affine(function)}:
        return Need(True, why)
    if SHARED in message and any(f.setting.alias for f in program.functions):
        return Need(True, SHARED)
    found = re.search(r"(?:whether|a subscript of) (\w+) is ", message)
    used = found is not None and any(
        found[1] in names
        for function in program.functions
        for names in _untyped(function)
    )
    return Need(used, UNTYPED if used else why)


def chosen(program: Program) -> bool:
    """Whether loops and sizes decide which cells some statement reads."""
    nodes = (node for function in program.functions for node in walk(function.body))
    return any(isinstance(node, Assign) and _chooses(node.value) for node in nodes)


def _chooses(value: Expr) -> bool:
    return isinstance(value, Choice) or any(map(_chooses, parts(value)))


def expensive(program: Program, _: str) -> Need:
    """Whether a proof may take long (LX204)."""
    work = max(map(weight, program.functions))
    return Need(work > SMALL, "large program")


def weight(function: Function) -> int:
    """About how much there is to look at: statements times loops and directives."""
    nodes = list(walk(function.body))
    loops = sum(isinstance(node, For) for node in nodes)
    statements = sum(isinstance(node, Assign) for node in nodes)
    return statements * (loops + len(function.clauses()))


def _not_affine(function: Function) -> Iterator[str]:
    if not analysable(function.body):
        yield BY_DATA
    if any("collapse " in text for text in function.texts()):
        yield COLLAPSED
    for node in walk(function.body):
        if not isinstance(node, Assign):
            continue
        found = [node.value, node.target]
        if any(cell.array == "idx" for one in found for cell in cells(one)):
            yield BY_DATA
        if any(map(_by_data, found)):
            yield BY_DATA


def floats(function: Function) -> frozenset[str]:
    """The sizes that nothing says are integers.

    Uses say so that surely happen: under no condition.
    """
    if function.annotated or function.shaped:
        return frozenset()
    shapes = (names(size) for own in function.locals for size in own.shape)
    return frozenset(SIZES).difference(*shapes, *map(_typed, function.body))


def _untyped(function: Function) -> Iterator[frozenset[str]]:
    """What is used under conditions on a size that may be a float."""
    unknown = floats(function)
    for node in walk(function.body):
        if isinstance(node, If):
            found = [node.condition]
        elif isinstance(node, Assign):
            found = list(_conditions(node.value))
        else:
            continue
        if any(names(one) & unknown for one in found):
            yield every(node)


def _typed(node: Node) -> frozenset[str]:
    """The names that are integers where a statement has run."""
    match node:
        case For(_, start, stop, _, body):
            inside = map(_typed, body)
            return (names(start) | names(stop)).union(*inside)
        case Assign(target, _, value):
            found = (*_surely(target), *_surely(value))
            return frozenset[str]().union(*(names(at) for x in found for at in x.at))
    return frozenset()


def _surely(value: Expr) -> Iterator[Cell]:
    """The cells that an expression reads whatever its conditions say."""
    if isinstance(value, Choice):
        yield from _surely(value.condition)
    else:
        if isinstance(value, Cell):
            yield value
        for part in parts(value):
            yield from _surely(part)


def _conditions(value: Expr) -> Iterator[Expr]:
    """What decides which cells an expression reads."""
    if isinstance(value, Choice):
        yield value.condition
    for part in parts(value):
        yield from _conditions(part)


def _by_data(value: Expr) -> bool:
    """Whether cells decide what else an expression reads."""
    if isinstance(value, Choice) and any(cells(value.condition)):
        return True
    return any(map(_by_data, parts(value)))
