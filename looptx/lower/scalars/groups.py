"""Loops that have no vectors, several of whose iterations stand one behind the other.

Where data decide what an iteration does, or it waits for the one before, C makes no
vector of a loop: it counts, looks whether it is done, and jumps in each iteration. Of
several in a row it does so once, and each has branches of its own: processors foresee
these by more of what such branches did before. (Loop unrolling: Dongarra and Hinds,
Software: Practice and Experience 9, 1979.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from looptx.lower import tree
from looptx.lower.kinds import INT, of
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Block,
    Expr,
    For,
    Function,
    If,
    Jump,
    Run,
    Stmt,
    assignments,
    dangers,
    expressions,
    infix,
    inside,
    intrinsic,
    number,
    parts,
    statements,
    used,
)
from looptx.lower.vectors.masks.masked import CELLS
from looptx.lower.vectors.places import integer
from looptx.lower.vectors.strips import rewritten
from looptx.model.expr import Const
from looptx.model.records import replace

SIZE = 4
"""So many iterations stand one behind the other."""

_MOST, _ADDED = 36, 64
"""The parts of an iteration, at most: of any, and of one that adds to cells."""

_LIGHT = ("fabs", "sqrt")
"""The functions of C that are instructions."""


def with_groups(scope: Scope, one: Function) -> Function:
    """A function whose innermost loops run in groups of iterations, then the rest.

    Args:
        scope: the nest. one: the function.
    """
    declared = {**one.variables}

    def fresh(stem: str) -> Expr:
        name = scope.names.fresh(stem)
        declared[name] = "Py_ssize_t"
        return tree.variable(name)

    def change(node: Stmt) -> list[Stmt]:
        if not isinstance(node, For) or not gains(node):
            return [node]
        at, end, stop = (fresh(f"{node.var}_{word}") for word in ("at", "end", "stop"))
        places = (infix("+", at, number(k)) if k else at for k in range(SIZE))
        first = (Assign(tree.variable(node.var), place) for place in places)
        body = tuple(line for own in first for line in (own, *node.body))
        rest = replace(node, start=end, stop=stop)
        return [
            Assign(stop, node.stop),
            Assign(end, intrinsic("whole", of(INT), node.start, stop, number(SIZE))),
            # What is left over runs unless the loop has been left.
            For(at.name, node.start, end, body, number(SIZE), (rest,)),
        ]

    return replace(one, body=rewritten(one.body, change), variables=declared)


def gains(loop: For) -> bool:
    """Whether a loop has no vectors, and little to do in an iteration."""
    if loop.step is not None or is_short(loop):
        return False
    lines = [*statements(loop.body)]
    plain = all(isinstance(x, Assign | If | Run) or x == Jump("break") for x in lines)
    inner = [*parts(loop.body)]
    most = _ADDED if _adds(loop.body) else _MOST
    if not plain or len(inner) > most or not all(map(is_light, inner)):
        return False
    if dangers(expressions(loop.body)):
        return True
    branched = any(isinstance(x, If) and is_branch(x) for x in lines)
    stores = any(x.target.op in CELLS for x in assignments(loop.body))
    carried = _carried(loop.body)
    # Short loops that only sum up are better left as they are.
    return bool(carried) and (branched or stores or _waits(loop.body, carried))


def _adds(block: Block) -> bool:
    """Whether an iteration adds to cells, and leaves nothing else to the next one."""
    stores = [x for x in assignments(block) if x.target.op in CELLS]
    return bool(stores) and all(x.op for x in stores) and not _carried(block)


def is_branch(node: If) -> bool:
    """Whether C has to jump: a number alone it selects, as that which is greater."""
    match node:
        case If(_, (Assign(Expr("name")),), ()):
            return False
    return True


def is_short(loop: For) -> bool:
    """Whether it has a known number of iterations, or as many as a row of a graph."""
    ends = loop.start, loop.stop
    read = any(part.op in CELLS for one in ends for part in inside(one))
    return read or all(isinstance(integer(one), Const) for one in ends)


def is_light(part: Expr) -> bool:
    """Whether it takes a few instructions, for a single number."""
    if part.op != "call":
        return part.lanes == 1
    one = part.intrinsic
    if one is None or one.lanes > 1:
        return False
    return not one.rules or (one.rules == "c" and one.operation in _LIGHT)


def _waits(block: Block, carried: set[str]) -> bool:
    """Whether integers that are carried are more than sums, chosen by bits.

    Args:
        block: the iteration. carried: what it reads as the one before has left it.
    """
    values = [x.value for x in assignments(block)]
    bits = any(x.op == "neg" and x.parts[0].op == "cast" for x in values)
    added = (one for x in values for one in _addends(x))
    computed = used([Run(one) for one in added if one.op != "name"])
    return bits and not carried.isdisjoint(computed)


def _addends(expr: Expr) -> Iterator[Expr]:
    """The parts of a sum."""
    if expr.op == "+":
        for part in expr.parts:
            yield from _addends(part)
    else:
        yield expr


def _carried(block: Block) -> set[str]:
    """The variables that an iteration reads as the one before has left them.

    Sums are none, where nothing else reads them: C has vectors for some.
    """
    changed = {x.target.name for x in assignments(block) if x.target.op == "name"}
    found: set[str] = set()

    def read(exprs: Iterable[Expr], known: frozenset[str]) -> None:
        found.update(used([Run(x) for x in exprs]) & changed - known)

    def look(block: Block, known: frozenset[str]) -> frozenset[str]:
        for node in block:
            match node:
                case Assign(target, value, op):
                    read((value, *target.parts), known)
                    if target.op == "name" and not op:
                        known |= {target.name}
                case If(cond, body, orelse):
                    read((cond,), known)
                    known = look(body, known) & look(orelse, known)
                case Run(call):
                    read((call,), known)
        return known

    look(block, frozenset())
    return found
