"""Vector loops: as many iterations side by side as a vector has lanes, then the rest.

(Explicit vectors as values of the program: Nuzman and Zaks, PACT 2006.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from looptx.looptree.nodes import For as Loop
from looptx.lower import tree
from looptx.lower.kinds import INT, of
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    Stmt,
    intrinsic,
    number,
    parts,
)
from looptx.lower.vectors.widening import NUMBERS, Scalar, Widening, moved
from looptx.model.dtypes import DTYPES
from looptx.model.expr import Const, IntExpr, add, sub

WRITTEN_OUT = 8
"""So many vectors of a constant count are written out, without a loop."""


def vector_loop(
    scope: Scope, node: Loop, plain: For, declared: dict[str, str]
) -> list[Stmt]:
    """A loop in vectors, and the rest of it.

    Args:
        scope: the nest.
        node: the loop.
        plain: the same, one iteration after the other.
        declared: the variables of the function it is in: their types, by name.

    Raises:
        Scalar: it cannot be had so.
    """
    wanted = node.marks.vectorize or scope.vector
    lanes = _lanes(wanted, plain.body, scope.vector)
    var = plain.var
    widening = Widening(scope, var, lanes, declared)
    body = widening.statements(plain.body)
    start, stop = (scope.native(end) for end in (node.start, node.stop))
    count = sub(stop, start)
    if isinstance(count, Const):
        return _constant(widening, plain, body, start, count.value)
    end = tree.variable(scope.names.fresh("end"))
    declared[end.name] = "Py_ssize_t"
    whole = intrinsic("whole", of(INT), plain.start, plain.stop, number(lanes))
    return [
        Assign(end, whole),
        For(var, plain.start, end, (*body,), number(lanes)),
        replace(plain, start=end),
    ]


def _constant(
    widening: Widening, plain: For, body: Sequence[Stmt], start: IntExpr, count: int
) -> list[Stmt]:
    """A loop of a constant count, all its vectors written out if these are few.

    Args:
        widening: how its statements became vectors.
        plain: the loop. body: its statements for a vector.
        start: where it begins. count: of its iterations.
    """
    lanes = widening.lanes
    groups = max(count, 0) // lanes
    end = add(start, Const(groups * lanes))
    found: list[Stmt] = []
    if groups <= WRITTEN_OUT:
        for group in range(groups):
            at = {widening.var: add(start, Const(group * lanes))}
            found += [_moved(line, at) for line in body]
    else:
        loop = plain.start, tree.index(end), (*body,), number(lanes)
        found.append(For(plain.var, *loop))
    if count > groups * lanes:
        found.append(replace(plain, start=tree.index(end)))
    return found


def _moved(line: Stmt, at: Mapping[str, IntExpr]) -> Stmt:
    assert isinstance(line, Assign)
    target, value = (moved(part, at, {}) for part in (line.target, line.value))
    return Assign(target, value, line.op)


def _lanes(wanted: int, body: Sequence[Stmt], room: int) -> int:
    """How many lanes the vectors of statements have.

    Args:
        wanted: how many at most.
        body: the statements. room: the bytes of a vector.

    Raises:
        Scalar: not even two.
    """
    numbers = [part.kind.dtype for part in _numbers(body)]
    size = max((DTYPES[dtype].size for dtype in numbers if dtype in NUMBERS), default=8)
    most = min(wanted, room // size)
    if most < 2:
        raise Scalar("its vectors have one lane")
    return 1 << most.bit_length() - 1


def _numbers(body: Sequence[Stmt]) -> list[Expr]:
    return [part for part in parts(body) if part.op in ("cell", "local cell")]
