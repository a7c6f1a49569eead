"""Branches that C is to keep, and conditions that are to have none.

Where ``if a[j] < a[least]: least = j`` becomes a conditional move, each iteration waits
for the load whose address the one before has chosen; a branch is taken seldom, and
foreseen. Of two comparisons of variables, or of bytes, the second is done before a
branch tells whether it has to be; and what a sum of floats counts is a number, not one
of two ways on which 0 or 1 is added. (When predication pays: Mahlke et al., MICRO 1992;
August et al., MICRO 1997.)
"""

from __future__ import annotations

from looptx.lower.checks import THERE
from looptx.lower.kinds import BOOL, of
from looptx.lower.tree import (
    KEPT,
    Assign,
    Block,
    Expr,
    For,
    Function,
    If,
    Run,
    Stmt,
    While,
    infix,
    inside,
    intrinsic,
    number,
    parts,
    used,
)
from looptx.lower.vectors.masks.conditions import COMPARISONS
from looptx.lower.vectors.masks.masked import CELLS
from looptx.model.dtypes import DTYPES, FLOATS
from looptx.model.records import replace

_BITWISE = {"and": "&", "or": "|"}

READY = frozenset(("name", "number", "cast", "neg", "~", *"+-*&|^"))
"""What takes a cycle or two: it is computed before a branch could have been taken."""

_FEW = 12
"""How large a comparison is that is done in any case."""

_BITS = 16
"""How long an element is, at most, that is read though it may not be needed."""


def with_branches(one: Function) -> Function:
    """A function whose loops keep the branches that say where they read."""
    return replace(one, body=_block(one.body, frozenset()))


def _block(block: Block, places: frozenset[str]) -> Block:
    """Statements with branches that are kept.

    Args:
        block: the statements. places: the variables in subscripts of the loop around.
    """
    return tuple(_statement(node, places) for node in block)


def _statement(node: Stmt, places: frozenset[str]) -> Stmt:
    match node:
        case Assign(target, value, op):
            value = _together(value)
            counts = op == "+" and target.op == "name" and target.lanes == 1
            if counts and target.kind.dtype in FLOATS and value.kind.dtype == "bool":
                value = intrinsic("bit", value.kind, value)
            return Assign(target, value, op)
        case For():
            return replace(node, body=_block(node.body, subscripts(node.body)))
        case While(cond, body, orelse):
            body = _block(body, subscripts(body))
            return While(_together(cond), body, orelse)
        case If(cond, body, orelse):
            cond = _together(cond)
            if counted := _counted(cond, body) if not orelse else None:
                return counted
            kept = not orelse and any(_sets(line, places) for line in body)
            body = _block(body, places)
            if kept:
                body = (KEPT, *body)
            return If(cond, body, _block(orelse, places))
    return node


def _counted(cond: Expr, body: Block) -> Assign | None:
    """What counts where a condition holds, without a branch.

    Of conditions that are joined C makes two branches, of a number that it adds none.
    """
    match body:
        case (Assign(Expr("name") as target, Expr(number=1), "+"),):
            if cond.op in _BITWISE.values() and target.kind.dtype == "int64":
                return Assign(target, cond, "+")
    return None


def _sets(line: Stmt, places: frozenset[str]) -> bool:
    """Whether a statement sets one of some variables, whatever it was."""
    match line:
        case Assign(Expr("name", name=name), _, ""):
            return name in places
    return False


def subscripts(block: Block) -> frozenset[str]:
    """The variables in subscripts of statements."""
    cells = (part for part in parts(block) if part.op in CELLS)
    return used([Run(place) for cell in cells for place in cell.parts])


def _together(expr: Expr) -> Expr:
    """A value whose conditions on variables are computed at once."""
    ready = tuple(map(_together, expr.parts))
    if expr.op in _BITWISE and all(map(_quick, ready)):
        return Expr(_BITWISE[expr.op], expr.kind, tuple(map(_bit, ready)))
    return expr if ready == expr.parts else replace(expr, parts=ready)


def _quick(cond: Expr) -> bool:
    """Whether a condition is computed sooner than a branch is taken."""
    if cond.op in _BITWISE.values() and cond.kind.dtype == "bool":
        return all(map(_quick, cond.parts))
    if cond.op in COMPARISONS:
        few = sum(1 for part in cond.parts for _ in inside(part)) <= _FEW
        return few and all(map(_is_ready, cond.parts))
    return cond.op == "name" and cond.kind.dtype == "bool"


def _is_ready(value: Expr) -> bool:
    """Whether a value is made of variables, or bytes, by what takes a few cycles."""
    if value.op in CELLS and THERE in value.facts and not value.raises:
        few = DTYPES[value.kind.dtype].bits <= _BITS
        return few and all(x.op in ("index", "name", "number") for x in value.parts)
    return value.op in READY and all(map(_is_ready, value.parts))


def _bit(cond: Expr) -> Expr:
    """A condition as 0 or 1."""
    return infix("!=", cond, number(0), of(BOOL)) if cond.op == "name" else cond
