"""Inner loops that may be short, written out for as few iterations.

A loop over the coordinates of a point, or over the taps of a filter, runs two or three
times, which only data say: C compiles it for many. Where it turns out to be short it
runs without counting, and otherwise as it is, for one comparison more. (Peeling: Bacon,
Graham and Sharp, Computing Surveys 26, 1994.)
"""

from __future__ import annotations

from looptx.lower import tree
from looptx.lower.scalars.groups import gains, is_branch, is_light, is_short
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Block,
    Expr,
    For,
    Function,
    If,
    Stmt,
    While,
    both,
    infix,
    number,
    parts,
    statements,
)
from looptx.lower.vectors.places import integer
from looptx.lower.vectors.strips import rewritten
from looptx.model.expr import Const
from looptx.model.records import replace

FEW = 4
"""So many iterations are written out."""

_MOST = 24
"""The parts of an iteration of which there are several."""


def with_short_loops(scope: Scope, one: Function) -> Function:
    """A function whose innermost loops, where others are around, may be short.

    Args:
        scope: the nest. one: the function.
    """
    declared = {**one.variables}

    def fresh(stem: str) -> Expr:
        name = scope.names.fresh(stem)
        declared[name] = "Py_ssize_t"
        return tree.variable(name)

    def change(node: Stmt) -> list[Stmt]:
        if not isinstance(node, For) or not _may_be_short(node):
            return [node]
        var, stop = tree.variable(node.var), fresh(f"{node.var}_stop")
        lines: list[Stmt] = [Assign(stop, node.stop)]
        start, count = number(0), stop
        if integer(node.start) != Const(0):
            start = fresh(f"{node.var}_start")
            lines.append(Assign(start, node.start))
            count = infix("-", stop, start)
        written: Block = ()
        for k in range(FEW - 1, -1, -1):
            inner = (If(infix(">", count, number(k + 1)), written),) if written else ()
            at = number(k) if count == stop else infix("+", start, number(k))
            written = Assign(var, at), *node.body, *inner
        few = both(infix("<", start, stop), infix("<=", count, number(FEW)))
        rest = replace(node, start=start, stop=stop)
        return [*lines, If(few, written, (rest,))]

    def around(block: Block) -> Block:
        found: list[Stmt] = []
        for node in block:
            match node:
                case For(body=body) | While(body=body):
                    node = replace(node, body=rewritten(body, change))
                case If(cond, body, orelse):
                    node = If(cond, around(body), around(orelse))
            found.append(node)
        return (*found,)

    return replace(one, body=around(one.body), variables=declared)


def _may_be_short(loop: For) -> bool:
    """Whether a loop is small, and nothing tells how often it runs."""
    if loop.step is not None or loop.orelse or is_short(loop) or gains(loop):
        return False
    # What C selects without a branch it does for several at once, in a loop.
    plain = all(
        isinstance(x, Assign) or (isinstance(x, If) and is_branch(x))
        for x in statements(loop.body)
    )
    inner = [*parts(loop.body)]
    return plain and len(inner) <= _MOST and all(map(is_light, inner))
