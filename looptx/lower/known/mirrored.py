"""Loops that move bits from one integer into another, in the opposite order.

Each round of such a loop does the same to the bits, wherever they are, so that what all
rounds do can be written at once: in as many operations as the number of bits has bits.
(Warren, Hacker's Delight, 2012, section 7-1; LLVM's ``LoopIdiomRecognize`` knows others
of this kind.)
"""

from __future__ import annotations

from looptx.lower import tree
from looptx.lower.kinds import INT, of
from looptx.lower.tree import Assign, Expr, For, Function, Stmt, infix, number
from looptx.lower.vectors.strips import rewritten
from looptx.model.expr import Const
from looptx.model.records import replace

_WIDE = ("Py_ssize_t", "int64_t")
_MOST = 63
"""How many bits are moved at most: C shifts by fewer than there are."""


def with_mirrored(one: Function) -> Function:
    """A function with what such loops come to in their place.

    Args:
        one: it; what cannot leave its type is an operation of C in it by now.
    """
    known = {**one.arguments, **one.variables}
    wide = {name for name, kind in known.items() if kind in _WIDE}

    def change(node: Stmt) -> list[Stmt]:
        match node:
            case For(var, start, stop, (Assign() as into, Assign() as off), None, ()):
                first, last = _number(start), _number(stop)
                if first is None or last is None or not 0 < last - first <= _MOST:
                    return [node]
                if not {into.target.name, off.target.name, var} <= wide:
                    return [node]
                if _mirrors(into, off) and var not in (
                    into.target.name,
                    off.target.name,
                ):
                    counted = Assign(tree.variable(var), number(last - 1))
                    return [*_at_once(into, off, last - first), counted]
        return [node]

    return replace(one, body=rewritten(one.body, change))


def _mirrors(into: Assign, off: Assign) -> bool:
    """Whether ``into = into << 1 | off & 1`` and ``off = off >> 1``."""
    one, two = into.target, off.target
    if one.op != "name" or two.op != "name" or one == two or into.op or off.op:
        return False
    taken = infix("&", two, number(1)), infix("&", number(1), two)
    pairs = [(infix("<<", one, number(1)), bit) for bit in taken]
    forms = [infix("|", *pair) for pair in (*pairs, *((b, a) for a, b in pairs))]
    return _bare(into.value) in forms and _bare(off.value) == infix(
        ">>", two, number(1)
    )


def _at_once(into: Assign, off: Assign, bits: int) -> list[Stmt]:
    """What so many rounds do."""
    value, rest = into.value, off.value
    room = infix("<<", into.target, number(bits), value.kind)
    moved = tree.intrinsic("mirrored", of(INT), off.target, number(bits))
    return [
        replace(into, value=infix("|", room, moved, value.kind)),
        replace(off, value=replace(rest, parts=(rest.parts[0], number(bits)))),
    ]


def _bare(value: Expr) -> Expr:
    """A value without conversions between types of 64 bits."""
    if value.op == "cast" and value.name in _WIDE and value.parts[0].op == "name":
        return value.parts[0]
    return replace(value, parts=tuple(map(_bare, value.parts)))


def _number(value: Expr) -> int | None:
    if isinstance(value.index, Const):
        return value.index.value
    return value.number if isinstance(value.number, int) else None
