"""Loops that each lane leaves by itself, which go round while one of them is left.

A lane that has left such a loop waits for the others: it keeps what is read behind the
loop. (Iteration of all until none has to go on: Ren and Agrawal, PACT 2013; loops with
breaks in vectors: Wu and others, PACT 2005.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from looptx.lower.kinds import BOOL, INT, of
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    If,
    Intrinsic,
    Jump,
    Stmt,
    While,
    assignments,
    infix,
    number,
    parts,
)
from looptx.lower.vectors.masks.conditions import Lanes, condition
from looptx.lower.vectors.masks.masked import Mask, cast, inverted, under, wide
from looptx.lower.vectors.scalar import Scalar
from looptx.model.expr import variables
from looptx.model.records import replace

ANOTHER = (
    "a loop in it is another one in each iteration",
    "vectorize an innermost loop",
)
"""Why a loop that begins or ends elsewhere in each lane has none, and what helps."""

Making: TypeAlias = Callable[[Sequence[Stmt]], list[Stmt]]
"""What makes statements for all lanes that run."""


class Rounds(Lanes, Protocol):
    """What makes vectors of statements.

    Attributes:
        own: the scalars that every lane has for itself, by name.
        before: what stands in front of the statement that is made.
        reads: how often the statements read each name; once more for each block that
            they stand in, of which a loop may read it again.
        loose: the lanes that are left in a loop, by name, and what nothing reads behind
            it: that may have any value in the others.
    """

    own: dict[str, Expr]
    before: list[Stmt]
    reads: Counter[str]
    loose: tuple[str, frozenset[str]]

    def fresh(self, stem: str, dtype: str) -> Expr:
        """A new variable that is a vector."""


def reads(block: Sequence[Stmt]) -> Counter[str]:
    """How often statements read each variable."""
    found: Counter[str] = Counter()
    for expr in parts(block):
        if expr.op == "name":
            found[expr.name] += 1
        elif expr.index is not None:
            found.update(variables(expr.index))
    for line in assignments(block):
        if line.target.op == "name" and not line.op:
            found[line.target.name] -= 1
    return +found


def is_left(node: For) -> bool:
    """Whether a loop may be left before it has come to its end."""
    return any(map(_leaves, node.body))


def is_loose(w: Rounds, name: str) -> bool:
    """Whether a scalar may have any value in the lanes that do not run."""
    left, names = w.loose
    return name in names and w.mask is not None and w.mask.bits.name == left


def rounds(w: Rounds, node: For | While, block: Making) -> list[Stmt]:
    """A loop that each lane leaves by itself.

    Args:
        w: makes vectors. node: the loop. block: makes its statements.

    Raises:
        Scalar: it has an ``else``, or its variable is read behind it.
    """
    if node.orelse:
        raise Scalar("a loop in it has an `else`")
    around, dtype = (w.mask, w.before, w.loose), wide(node)
    left = w.fresh("left", dtype)
    every = w.call("splat", dtype, number(-1))
    first = Assign(left, every if w.mask is None else cast(w, w.mask.bits, dtype))
    w.loose = left.name, _loose(w, node)
    # What keeps lanes in the loop may keep them from cells that there are not.
    w.mask = Mask(left, bounds=True)
    some = Intrinsic("any", dtype, lanes=w.lanes)
    asked = Expr("call", of(INT), (left,), intrinsic=some)
    end = If(infix("==", asked, number(0), of(BOOL)), (Jump("break"),))
    body: list[Stmt] = []
    if isinstance(node, While):
        w.before = []
        found = condition(w, node.cond, dtype)
        body += (*w.before, Assign(left, _both(left, found)), end)
    done = 0
    for at, one in enumerate(node.body):
        if isinstance(one, If) and _leaves(one):
            body += (*block(node.body[done:at]), *_leaving(w, one, left, block))
            done = at + 1
    body += block(node.body[done:])
    w.mask, w.before, w.loose = around
    if isinstance(node, While):
        return [first, While(number(1), (*body,))]
    return [first, replace(node, body=(*body, end))]


def _loose(w: Rounds, node: For | While) -> frozenset[str]:
    """The scalars of a loop that nothing reads behind it, or in another round of it.

    Args:
        w, node: as of ``rounds``.
    """
    outside = w.reads - reads((node,))
    if isinstance(node, For) and node.var in outside:
        raise Scalar(f"`{node.var}` is read behind a loop that lanes leave")
    targets = (line.target for line in assignments((node,)))
    names = frozenset(one.name for one in targets if one.op == "name")
    for name in names & outside.keys() - w.own.keys():
        raise Scalar(f"`{name}` is read behind a loop that may not give it a value")
    return names - outside.keys()


def _leaves(node: Stmt) -> bool:
    """Whether a statement is a branch that leaves the loop around it in the end."""
    return isinstance(node, If) and node.body[-1:] == (Jump("break"),)


def _leaving(w: Rounds, node: If, left: Expr, block: Making) -> list[Stmt]:
    """What the lanes do that leave a loop.

    Args:
        w, block: as of ``rounds``.
        node: the branch in which they leave it.
        left: the lanes that are left in it.
    """
    w.before = []
    with under(w, condition(w, node.cond, left.kind.dtype)):
        assert w.mask is not None
        gone, lines = inverted(w.mask.bits), w.before
        lines += block(node.body[:-1])
    return [*lines, Assign(left, _both(left, gone)), *block(node.orelse)]


def _both(one: Expr, two: Expr) -> Expr:
    """The lanes that are in two masks."""
    return Expr("&", one.kind, (one, two), lanes=one.lanes)
