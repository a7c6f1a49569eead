"""The statements that a step changes, under their new names.

The directive asks for them, and so does the proof, which may have left cells of a
buffer to the array in the steps before: one function says what a step makes of the
statements that there are.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping
from typing import TypeVar

from looptx.model.elements import Access, Cell, Element
from looptx.model.moves import Cache, Case, Factor, Move, Step
from looptx.model.moves.expanding import expanded
from looptx.model.program import Nest, Statement
from looptx.model.records import replace

Use = TypeVar("Use", Access, Element)


def changed(nest: Nest, step: Step) -> dict[str, Statement]:
    """What a step makes of the statements of a nest.

    Args:
        nest: as it is before. step: what changes it.

    Returns:
        By new name the statements that it changes; what it adds is not among them.
    """
    known = nest.statements
    match step:
        case Move(moved=moved, coordinates=coordinates):
            return {
                new: replace(known[old], name=new, loops=(*coordinates, *own))
                for old, new in moved.items()
                for own in [known[old].loops]
            }
        case Case(moved=moved):
            return {new: replace(known[old], name=new) for old, new in moved.items()}
        case Cache(moved=moved, cells=cells):
            return {x: redirected(known[y], x, cells[y]) for y, x in moved.items()}
        case Factor(moved=moved, parts=parts):
            return {x: redirected(known[y], x, parts) for y, x in moved.items()}
    return expanded(nest, step)


def redirected(
    statement: Statement, name: str, cells: Mapping[Cell, Cell]
) -> Statement:
    """A statement that uses other cells.

    Args:
        statement: the statement. name: its new one.
        cells: what its cells become.
    """

    def other(one: Use) -> Use:
        if one.cell not in cells:
            return one
        array, subscripts = cells[one.cell]
        return replace(one, array=array, subscripts=subscripts)

    arrays = {old: new for (old, _), (new, _) in cells.items()}
    reduction, copied = statement.reduction, statement.copy
    if reduction is not None:
        reduction = replace(reduction, target=other(reduction.target))
    if copied is not None:
        array, buffer = (arrays.get(x, x) for x in (copied.array, copied.buffer))
        copied = replace(copied, array=array, buffer=buffer)
    found = replace(
        statement,
        name=name,
        accesses=tuple(map(other, statement.accesses)),
        elements=tuple(map(other, statement.elements)),
        reduction=reduction,
        copy=copied,
    )
    written = {one.cell for one in statement.elements}
    scalars = (x for x in cells.items() if x[0] not in written and not x[0][1])
    for (old, _), (new, _) in scalars:
        found = _renamed(found, old, new)
    return found


def _renamed(statement: Statement, old: str, new: str) -> Statement:
    """A statement that uses another variable, also in subscripts of its elements."""
    memo: dict[int, object] = {}
    for line in statement.code:
        for node in ast.walk(line):
            if isinstance(node, ast.Name) and node.id == old:
                memo[id(node)] = ast.copy_location(ast.Name(new, node.ctx), node)
    renamed: Mapping[str, str] = {}
    if not statement.added:
        source = {y: x for x, y in statement.renamed.items()}
        renamed = {**statement.renamed, source.get(old, old): new}
    code = copy.deepcopy(statement.code, memo)
    reduction = statement.reduction
    if reduction is not None:
        operand = copy.deepcopy(reduction.operand, memo)
        reduction = replace(reduction, operand=operand)
    return replace(
        statement,
        code=code,
        elements=tuple(
            replace(one, node=copy.deepcopy(one.node, memo))
            for one in statement.elements
        ),
        inlined=tuple(
            replace(one, value=copy.deepcopy(one.value, memo))
            for one in statement.inlined
        ),
        reduction=reduction,
        renamed=renamed,
    )
