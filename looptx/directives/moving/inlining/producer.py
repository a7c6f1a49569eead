"""A statement whose value may be computed where it is read."""

from __future__ import annotations

import ast

from looptx.directives.base import check
from looptx.directives.moving.inlining.solving import disjoint
from looptx.directives.moving.inlining.values import BINDING, gives_several
from looptx.model.elements import Access
from looptx.model.expr import IntExpr
from looptx.model.moves import Move
from looptx.model.program import Statement
from looptx.model.records import dataclass
from looptx.model.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Producer:
    """A statement that assigns once per cell.

    Attributes:
        statement: the statement. array: what it writes. cell: its subscripts.
        value: the expression.
    """

    statement: Statement
    array: str
    cell: tuple[IntExpr, ...]
    value: ast.expr

    @property
    def words(self) -> str:
        """What it is called in messages."""
        return _named(self.statement)

    def may_give(self, read: Access) -> bool:
        """Whether an access may read what it writes, as far as subscripts tell."""
        own = read.array == self.array and not read.write
        return own and not disjoint(self.cell, read.subscripts)


def producer_of(schedule: Schedule, name: str) -> Producer:
    """The assignment. Raises LX106."""
    statement = schedule.nest.statements[name]
    words = _named(statement)
    moved = any(
        isinstance(move, Move) and name in move.moved.values()
        for move in schedule.moves
    )
    check(not moved, f"{words} has moved into a loop", "inline it instead")
    own = f"{words} cannot stand where its value is read"
    plain = "inline plain assignments; `compute_at` moves other statements"
    check(statement.copy is None and not statement.opaque, own, plain)
    match statement.code:
        case (ast.Assign([ast.Subscript() | ast.Name() as target], value),):
            pass
        case (
            ast.AnnAssign(
                target=ast.Subscript() | ast.Name() as target, value=ast.expr() as value
            ),
        ):
            pass
        case _:
            check(False, own, plain)
            raise AssertionError
    writes = [x for x in statement.accesses if x.write]
    check(len(writes) == 1, own, plain)
    (write,) = writes
    check(
        all(x.array != write.array for x in statement.accesses if not x.write),
        f"{words} reads `{write.array}` itself",
        "inline what reads no cell of the array that it writes",
    )
    cell = tuple(one for one in write.subscripts if one is not None)
    check(
        len(cell) == len(write.subscripts)
        and (not cell or any(x.node is target for x in statement.elements)),
        f"{words} writes a cell that is not affine, or no single one",
        "write `T[i, j]` with affine subscripts",
    )
    check(write.certain, own, plain)
    check(
        isinstance(target, ast.Name) or not gives_several(value),
        f"{own}: the cell makes one number of it",
        "give the cell a number",
    )
    inside = [type(node) for node in ast.walk(value)]
    check(not set(inside) & set(BINDING), own, "write it without names of its own")
    return Producer(statement, write.array, cell, value)


def _named(statement: Statement) -> str:
    """What a statement is called in messages."""
    if statement.inlined:
        return f"line {statement.place.line}"
    if statement.copy is not None:
        return f"the copy of `{statement.copy.array}`"
    return f"`{statement.written.splitlines()[0]}`"
