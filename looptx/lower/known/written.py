"""Cells that each iteration writes, in variables until it ends.

What some lanes have stored under a mask, processors do not forward to a load of all: it
waits until the store is done. A cell that is written in any case may be stored once, at
the end, and read from a variable before. (Scalar replacement: Carr and Kennedy, SPE 24,
1994.)
"""

from __future__ import annotations

from collections.abc import Mapping

from looptx.lower.kinds import of
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Block,
    Expr,
    For,
    If,
    Run,
    Stmt,
    assignments,
    inside,
    parts,
    statements,
    used,
    variable,
)
from looptx.lower.types import c_element
from looptx.lower.vectors.masked import CELLS
from looptx.lower.vectors.places import partners, standing
from looptx.lower.vectors.scalar import NUMBERS
from looptx.model.frozen import replace
from looptx.model.types import ScalarType


def written_once(scope: Scope, loop: For, declared: dict[str, str]) -> For:
    """A loop that stores what it writes in any case, and elsewhere, at its end.

    Args:
        scope: the nest. loop: it.
        declared: the variables of the function it is in: their types, by name.
    """
    if not all(isinstance(node, Assign | If) for node in statements(loop.body)):
        return loop
    held: dict[Expr, Expr] = {}
    for cell in _cells(scope, loop.body):
        name = scope.names.fresh(f"{cell.name}_own")
        declared[name] = c_element(cell.kind.dtype)
        held[cell] = variable(name, of(ScalarType(cell.kind.dtype)))
    if not held:
        return loop
    first = (Assign(own, cell) for cell, own in held.items() if _is_read(cell, loop))
    last = (Assign(cell, own) for cell, own in held.items())
    return replace(loop, body=(*first, *_standing(loop.body, held), *last))


def _cells(scope: Scope, body: Block) -> list[Expr]:
    """Cells that are written in any case, and under conditions, too."""
    always = [x.target for x in body if isinstance(x, Assign) and x.target.op in CELLS]
    branches = [node for node in body if isinstance(node, If)]
    perhaps = {line.target for line in assignments(branches)}
    changed = {x.target.name for x in assignments(body) if x.target.op == "name"}
    others, all_ = partners(scope), [x for x in parts(body) if x.op in CELLS]

    def alone(cell: Expr) -> bool:
        near = {cell.name, *others.get(cell.name, ())}
        return all(x == cell or x.name not in near for x in all_)

    return [
        cell
        for cell in dict.fromkeys(always)
        if cell in perhaps
        and cell.kind.dtype in NUMBERS
        and changed.isdisjoint(used([Run(place) for place in cell.parts]))
        and alone(cell)
    ]


def _is_read(cell: Expr, loop: For) -> bool:
    """Whether an iteration needs what a cell holds where it begins."""
    for node in loop.body:
        if isinstance(node, Assign) and cell not in inside(node.value):
            if node.target == cell and not node.op:
                return False
            if node.target != cell:
                continue
        if any(part == cell for part in parts((node,))):
            return True
    return True


def _standing(block: Block, held: Mapping[Expr, Expr]) -> Block:
    """Statements with variables in place of cells."""
    found: list[Stmt] = []
    for node in block:
        match node:
            case Assign(target, value, op):
                target, value = (standing(x, held) for x in (target, value))
                found.append(Assign(target, value, op))
            case If(cond, body, orelse):
                both = _standing(body, held), _standing(orelse, held)
                found.append(If(standing(cond, held), *both))
    return (*found,)
