"""Loops over the elements that a mask tells, which are stored one behind the other."""

from __future__ import annotations

import ast
from collections.abc import Callable

from looptx.lower.kinds import BOOL, INT, of
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Block,
    Expr,
    For,
    If,
    infix,
    intrinsic,
    number,
    variable,
)
from looptx.lower.values.literals import truth
from looptx.lower.values.views import Strip, is_array
from looptx.model.records import dataclass

BLOCK = 64
"""So many elements are left out at once where the mask has none of them."""

Fresh = Callable[[str, str], Expr]
"""Makes a variable of C of a stem and a type."""


@dataclass(frozen=True)
class Mask:
    """What tells which elements are taken.

    Attributes:
        text: of it, by which it is told from others.
        test: an element of it. bytes: those of it, where they are neighbours.
    """

    text: str
    test: Expr
    bytes: Strip | None = None

    def stored(self, cell: Expr, value: Expr) -> Block:
        """What stores an element; the next one goes over what is left out.

        Args:
            cell: where it goes. value: the element.
        """
        (place,) = cell.parts
        return Assign(cell, value), self.counted(place)

    def counted(self, count: Expr) -> Assign:
        """What counts an element that is taken, without a branch to be foreseen."""
        more = Expr("choice", of(INT), (truth(self.test), number(1), number(0)))
        return Assign(count, infix("+", count, more))

    def loop(self, at: Expr, count: Expr, body: Block, fresh: Fresh) -> For:
        """The loop over all elements.

        Args:
            at: its variable. count: how many there are. body: what stores one.
            fresh: makes variables.
        """
        if self.bytes is None:
            return For(at.name, number(0), count, body)
        block, until = fresh("block", "Py_ssize_t"), fresh("until", "Py_ssize_t")
        first, further = self.bytes.first, infix("+", block, number(BLOCK))
        where = infix("+", first, block), infix("+", first, count)
        some = intrinsic("some", of(BOOL), self.bytes.array, *where)
        inside = infix("<", further, count, of(BOOL))
        last = Expr("choice", of(INT), (inside, further, count))
        inner = For(at.name, variable(block.name), variable(until.name), body)
        lines: Block = (If(some, (Assign(until, last), inner)),)
        return For(block.name, number(0), count, lines, number(BLOCK))


def neighbours(
    node: ast.expr, scope: Scope, given: Callable[[], Strip]
) -> Strip | None:
    """The elements of a mask, if they are an array of neighbours in memory.

    Args:
        node: the mask. scope: the nest. given: makes a strip of it.
    """
    if not isinstance(node, ast.Name) or not is_array(node, scope):
        return None
    kind = scope.array(node.id)
    return given() if kind.ndim == 1 and kind.layout == "C" else None
