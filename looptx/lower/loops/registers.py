"""Array cells that stay the same while an innermost loop runs, kept in C variables.

C must assume that a store into one array changes another and reload the cell each time;
the entry checks have excluded that, but for the arrays that are known to share memory.
(Scalar replacement: Callahan, Carr, Kennedy, PLDI 1990.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product

from looptx.looptree.nodes import Call, For, Let
from looptx.lower.kinds import of
from looptx.lower.scope import Scope
from looptx.lower.tree import Expr
from looptx.lower.types import c_element
from looptx.model.expr import (
    TRUE,
    Const,
    IntExpr,
    Max,
    Min,
    Var,
    add,
    linear,
    neg,
    sub,
    substitute,
    variables,
)
from looptx.model.types import ArrayType, ScalarType

Cell = tuple[IntExpr, ...]


def invariant_cells(
    scope: Scope, node: For, around: Sequence[For] = ()
) -> dict[Expr, str]:
    """The cells a loop writes that do not move with it, and their C types.

    All other cells of such an array that the loop touches are seen to be different
    ones, and no array that shares its memory is touched; so nothing else reads or
    writes them while it runs.

    Args:
        scope: the nest.
        node: the loop.
        around: the loops that it is in, the outermost first.
    """
    nest, planned = scope.planned.nest, scope.planned
    if not all(isinstance(child, (Call, Let)) for child in node.body):
        return {}
    calls = [child for child in node.body if isinstance(child, Call)]
    moving = {node.var, *(child.var for child in node.body if isinstance(child, Let))}
    cells: dict[str, dict[Cell, bool]] = {}
    others: dict[str, dict[Cell, bool]] = {}
    touched: dict[bool, set[str]] = {True: set(), False: set()}
    spoiled = {*planned.wraps, *planned.unchecked, *scope.own, *scope.buffers}
    spoiled |= {*scope.told_lists}
    for call in calls:
        statement = nest.statements[call.statement]
        for access in statement.accesses:
            cell = _cell(access.subscripts, call.index)
            kind = scope.types.get(access.array)
            rank = kind.ndim if isinstance(kind, ArrayType) else 0
            whole = rank > 0 and len(cell) == rank
            moves = _moves(cell, moving)
            if statement.opaque or not whole or (moves and access.write):
                spoiled.add(access.array)
            else:
                found = others if moves else cells
                always = access.certain and access.where == TRUE
                known = found.setdefault(access.array, {})
                known[cell] = always or known.get(cell, False)
            touched[access.write].add(access.array)
    either = touched[True] | touched[False]
    spoiled |= {array for array in either if nest.others(array) & either}
    loops = (*around, node)
    kept = {}
    for array in sorted(touched[True] - spoiled):
        own = cells[array]
        pairs = *combinations(own, 2), *product(own, others.get(array, {}))
        # What is only touched where a condition holds may not be there elsewhere.
        if all(own.values()) and all(_differ(*pair, loops) for pair in pairs):
            for cell in own:
                dtype = scope.array(array).dtype
                places = map(scope.integer, cell)
                place = scope.cell(array, places, of(ScalarType(dtype)))
                kept[place] = c_element(dtype)
    return kept if len(kept) <= scope.registers else {}


def _cell(subscripts: tuple[IntExpr | None, ...], index: Mapping[str, IntExpr]) -> Cell:
    """Where an instance touches an array; empty when that is not known."""
    known = [subscript for subscript in subscripts if subscript is not None]
    if len(known) < len(subscripts):
        return ()
    return tuple(substitute(subscript, index) for subscript in known)


def _moves(cell: Cell, moving: set[str]) -> bool:
    return any(variables(subscript) & moving for subscript in cell)


def _differ(first: Cell, second: Cell, loops: Sequence[For]) -> bool:
    """Whether two cells are seen to be different ones in all iterations of loops."""
    gaps = [sub(ours, theirs) for ours, theirs in zip(first, second, strict=True)]
    return any(_positive(gap, loops) or _positive(neg(gap), loops) for gap in gaps)


def _positive(gap: IntExpr, loops: Sequence[For]) -> bool:
    """Whether an integer is more than 0, as the bounds of loops tell."""
    terms, constant = linear(gap)
    if not terms:
        return constant > 0
    for depth, loop in reversed([*enumerate(loops)]):
        var = Var(loop.var)
        inside = [term for term in terms if loop.var in variables(term)]
        if inside == [var]:
            ends = _ends(loop, most=terms[var] < 0)
            around = loops[:depth]
            return any(
                _positive(substitute(gap, {loop.var: end}), around) for end in ends
            )
    return False


def _ends(loop: For, *, most: bool) -> Sequence[IntExpr]:
    """Values that the variable of a loop never is above, or below."""
    if most == (loop.step > 0):
        one = Const(-1 if loop.step > 0 else 1)
        ends = loop.stop.args if isinstance(loop.stop, Min | Max) else (loop.stop,)
        if isinstance(loop.stop, Max if loop.step > 0 else Min):
            return ()
        return [add(end, one) for end in ends]
    start = loop.start
    if isinstance(start, Max if loop.step > 0 else Min):
        return start.args
    return () if isinstance(start, Min | Max) else (start,)
