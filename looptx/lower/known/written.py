"""Cells that iterations touch in any case, in variables until these end.

What some lanes have stored under a mask, processors do not forward to a load of all: it
waits until the store is done. A cell that is touched in any case may be stored once, at
the end, and read from a variable before; and where some lanes alone run, what they have
stored is not read again. Where some iterations alone store, they are marked: no other
stores what it has read, which another thread may have written since. (Scalar
replacement: Carr and Kennedy, SPE 24, 1994.)
"""

from __future__ import annotations

from collections.abc import Mapping

from looptx.lower.kinds import BOOL, of
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
    constant,
    inside,
    parts,
    statements,
    used,
    variable,
)
from looptx.lower.types import c_element
from looptx.lower.values.literals import nonzero
from looptx.lower.vectors.loaded import seen
from looptx.lower.vectors.masks.conditions import certain, write_alike
from looptx.lower.vectors.masks.masked import CELLS, TOUCHED, integers
from looptx.lower.vectors.places import partners, standing
from looptx.lower.vectors.scalar import LOADED, NUMBERS
from looptx.model.records import dataclass, replace
from looptx.model.types import ScalarType


def written_once(scope: Scope, loop: For, declared: dict[str, str]) -> For:
    """A loop that stores what it touches in any case, and elsewhere, at its end.

    Args:
        scope: the nest. loop: it.
        declared: the variables of the function it is in: their types, by name.
    """
    if not all(isinstance(node, Assign | If) for node in statements(loop.body)):
        return loop
    changed = {x.target.name for x in assignments(loop.body) if x.target.op == "name"}
    blocks = _Blocks(scope, declared, frozenset(changed))
    return replace(loop, body=blocks.held(loop.body))


@dataclass(frozen=True, slots=True)
class _Blocks:
    """Blocks of statements with variables in place of cells.

    Attributes:
        scope: the nest. declared: as of ``written_once``.
        changed: the variables that the loop gives values.
    """

    scope: Scope
    declared: dict[str, str]
    changed: frozenset[str]

    def held(self, block: Block, guarded: bool = False) -> Block:
        """A block that stores at its end what it touches in any case, and elsewhere.

        Args:
            block: it. guarded: whether it stands under a condition.
        """
        held: dict[Expr, Expr] = {}
        for cell in self._cells(block, guarded):
            name = self.scope.names.fresh(f"{cell.name}_own")
            self.declared[name] = c_element(cell.kind.dtype)
            held[cell] = variable(name, seen(cell).kind)
        marks = self._marks(held, block)
        read = (cell for cell in held if _is_read(cell, block))
        first = [Assign(held[cell], seen(cell)) for cell in read]
        first += [Assign(mark, constant(0, mark.kind)) for mark in marks.values()]
        inner = map(self._within, _marked(_standing(block, held), held, marks))
        return (*first, *inner, *(_stored(cell, held, marks) for cell in held))

    def _marks(self, held: Mapping[Expr, Expr], block: Block) -> dict[Expr, Expr]:
        """Variables that say whether an iteration stores a cell, where that differs.

        Args:
            held: the cells, with their variables. block: what stores them.
        """
        found = {}
        stored = {node.target for node in block if isinstance(node, Assign)}
        for cell in held.keys() - stored:
            dtype = seen(cell).kind.dtype
            kind = of(ScalarType(integers(dtype) if dtype in NUMBERS else dtype))
            name = self.scope.names.fresh(f"{cell.name}_new")
            self.declared[name] = c_element(kind.dtype)
            found[cell] = variable(name, kind)
        return found

    def _within(self, node: Stmt) -> Stmt:
        """A statement whose blocks hold cells, too."""
        if not isinstance(node, If) or write_alike(node):
            return node
        ways = (self.held(block, True) for block in (node.body, node.orelse))
        return If(node.cond, *ways)

    def _cells(self, block: Block, guarded: bool) -> list[Expr]:
        """Cells that are touched in any case, and stored or read elsewhere.

        Args:
            block: what touches them. guarded: as of ``held``.
        """
        lines = [node for node in block if isinstance(node, Assign)]
        branches = [node for node in block if isinstance(node, If)]
        always = certain((*lines, *(Assign(one.cond, one.cond) for one in branches)))
        again = {line.target for line in assignments(branches)}
        if guarded:
            again |= {line.target for line in lines if _is_touched_behind(line, block)}
        others = partners(self.scope)
        touched = dict.fromkeys(x for x in parts(block) if x.op in TOUCHED)

        def alone(cell: Expr) -> bool:
            near = {cell.name, *others.get(cell.name, ())}
            return all(x == cell or x.name not in near for x in touched)

        return [
            cell
            for cell in touched
            if cell.op in CELLS
            and cell in always
            and cell in again
            and cell.kind.dtype in (*NUMBERS, *LOADED)
            and self.changed.isdisjoint(used([Run(place) for place in cell.parts]))
            and alone(cell)
        ]


def _marked(
    block: Block, held: Mapping[Expr, Expr], marks: Mapping[Expr, Expr]
) -> Block:
    """Statements that mark what they store in variables.

    Args:
        block: them. held: the variables of cells. marks: those of some of these cells.
    """
    new = {held[cell].name: mark for cell, mark in marks.items()}
    found: list[Stmt] = []
    for node in block:
        match node:
            case If(cond, body, orelse):
                ways = (_marked(one, held, marks) for one in (body, orelse))
                found.append(If(cond, *ways))
            case Assign(Expr(op="name") as target) if target.name in new:
                mark = new[target.name]
                found += [node, Assign(mark, constant(1, mark.kind))]
            case _:
                found.append(node)
    return (*found,)


def _stored(cell: Expr, held: Mapping[Expr, Expr], marks: Mapping[Expr, Expr]) -> Stmt:
    """Stores a cell, unless it is not marked.

    Args:
        cell: it. held: the variables of cells. marks: those of some of these cells.
    """
    last = Assign(seen(cell), held[cell])
    if cell not in marks:
        return last
    return If(nonzero(marks[cell], of(BOOL)), (last,), ())


def _is_touched_behind(line: Assign, block: Block) -> bool:
    """Whether a block touches a cell again behind the statement that stores it."""
    behind = block[block.index(line) + 1 :]
    return any(part == line.target for part in parts(behind))


def _is_read(cell: Expr, block: Block) -> bool:
    """Whether a block needs what a cell holds where it begins."""
    for node in block:
        if isinstance(node, Assign):
            needed = (node.value, *node.target.parts)
            if not any(cell in inside(one) for one in needed):
                if node.target != cell:
                    continue
                if not node.op:
                    return False
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
