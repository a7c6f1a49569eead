"""Array cells that stay the same while an innermost loop runs, kept in C variables.

C must assume that a store into one array changes another and reload the cell each time;
the entry checks have excluded that, but for the arrays that are known to share memory.
(Scalar replacement: Callahan, Carr, Kennedy, PLDI 1990.)
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from looptx.looptree.nodes import Call, For, Let
from looptx.lower.kinds import of
from looptx.lower.scope import Scope
from looptx.lower.tree import Expr
from looptx.lower.types import c_element
from looptx.model.expr import Const, IntExpr, sub, substitute, variables
from looptx.model.types import ArrayType, ScalarType


def invariant_cells(scope: Scope, node: For) -> dict[Expr, str]:
    """The cells a loop writes that do not move with it, and their C types.

    Every cell of such an array that the loop touches is among them, no two of them can
    be the same, and no array that shares its memory is touched; so nothing else reads
    or writes them while it runs.
    """
    nest, planned = scope.planned.nest, scope.planned
    if not all(isinstance(child, (Call, Let)) for child in node.body):
        return {}
    calls = [child for child in node.body if isinstance(child, Call)]
    moving = {node.var, *(child.var for child in node.body if isinstance(child, Let))}
    cells: dict[str, dict[tuple[IntExpr, ...], None]] = {}
    touched: dict[bool, set[str]] = {True: set(), False: set()}
    spoiled = {*planned.wraps, *planned.unchecked, *scope.own, *scope.buffers}
    for call in calls:
        statement = nest.statements[call.statement]
        for access in statement.accesses:
            cell = _cell(access.subscripts, call.index)
            kind = scope.types.get(access.array)
            rank = kind.ndim if isinstance(kind, ArrayType) else 0
            whole = rank > 0 and len(cell) == rank
            if statement.opaque or not whole or _moves(cell, moving):
                spoiled.add(access.array)
            else:
                cells.setdefault(access.array, {})[cell] = None
            touched[access.write].add(access.array)
    either = touched[True] | touched[False]
    spoiled |= {array for array in either if nest.others(array) & either}
    found = {}
    for array in sorted(touched[True] - spoiled):
        if all(_differ(*pair) for pair in combinations(cells[array], 2)):
            for cell in cells[array]:
                dtype = scope.array(array).dtype
                places = map(scope.integer, cell)
                kept = scope.cell(array, places, of(ScalarType(dtype)))
                found[kept] = c_element(dtype)
    return found if len(found) <= scope.registers else {}


def _cell(
    subscripts: tuple[IntExpr | None, ...], index: Mapping[str, IntExpr]
) -> tuple[IntExpr, ...]:
    """Where an instance touches an array; empty when that is not known."""
    known = [subscript for subscript in subscripts if subscript is not None]
    if len(known) < len(subscripts):
        return ()
    return tuple(substitute(subscript, index) for subscript in known)


def _moves(cell: tuple[IntExpr, ...], moving: set[str]) -> bool:
    return any(variables(subscript) & moving for subscript in cell)


def _differ(first: tuple[IntExpr, ...], second: tuple[IntExpr, ...]) -> bool:
    """Whether two cells are seen to be different ones."""
    gaps = (sub(ours, theirs) for ours, theirs in zip(first, second, strict=True))
    return any(isinstance(gap, Const) and gap.value for gap in gaps)
