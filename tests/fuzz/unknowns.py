"""Whether looptx may say that it does not know: what is not affine, or very large.

What cannot be analysed are subscripts and conditions that arrays decide, conditions on
names that need not be integers, statements that are more than one assignment to a cell,
and the order of a collapsed loop, which counts to a product of sizes. A program without
any of them is affine.
"""

from __future__ import annotations

from collections.abc import Iterator

from fuzz.enumeration import analysable
from fuzz.model import Assign, For, Function, If, Program, walk
from fuzz.refusals import Need
from fuzz.terms import Choice, Expr, cells, names, parts

BY_DATA, COLLAPSED = "depends on data", "product of sizes"

SMALL = 24
"""How much work a program may be that looptx must not find too large."""


def approximate(program: Program, message: str) -> Need:
    """Whether what a refusal says is not affine (LX203) is not."""
    whys = {why for function in program.functions for why in _not_affine(function)}
    why = COLLAPSED if "a collapsed loop" in message else BY_DATA
    return Need(why in whys, why)


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
    if _untyped(function):
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


def _untyped(function: Function) -> frozenset[str]:
    """The names in conditions that nothing says are integers: floats would do."""
    if function.annotated or function.shaped:
        return frozenset()
    conditions, integers = set[str](), {"idx"}
    for own in function.locals:
        integers |= frozenset().union(*map(names, own.shape))
    for node in walk(function.body):
        match node:
            case If(condition):
                conditions |= names(condition)
            case For(var, start, stop):
                integers |= {var} | names(start) | names(stop)
            case Assign(target, _, value):
                for cell in (*cells(target), *cells(value)):
                    integers |= frozenset().union(*map(names, cell.at))
                conditions |= _conditions(value)
    return frozenset(conditions - integers)


def _conditions(value: Expr) -> frozenset[str]:
    """The names that decide what an expression reads."""
    own = names(value.condition) if isinstance(value, Choice) else frozenset[str]()
    return own.union(*map(_conditions, parts(value)))


def _by_data(value: Expr) -> bool:
    """Whether cells decide what else an expression reads."""
    if isinstance(value, Choice) and any(cells(value.condition)):
        return True
    return any(map(_by_data, parts(value)))
