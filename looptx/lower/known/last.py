"""Cells that a few rounds store under conditions, stored behind them.

Of ``out[i, j] = k`` where a neighbour is steeper the last counts: till then it is a
variable, for which C needs no branch, and another says whether there was one: what no
round has stored is not written, another thread may do that. (Scalar
replacement: Carr and Kennedy, SPE 24, 1994.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from looptx.lower.kinds import BOOL, Kind, of
from looptx.lower.known.lines import is_short
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    KEPT,
    Assign,
    Block,
    Expr,
    For,
    Function,
    If,
    Stmt,
    While,
    assignments,
    constant,
    dangers,
    expressions,
    inside,
    loops,
    parts,
    statements,
    used,
    variable,
)
from looptx.lower.types import c_element
from looptx.lower.values.literals import nonzero
from looptx.lower.vectors.masks.masked import CELLS, TOUCHED, integers
from looptx.lower.vectors.places import partners
from looptx.model.dtypes import INTEGERS
from looptx.model.records import dataclass, replace
from looptx.model.types import ArrayType, ScalarType

_DTYPES = ("float64", "float32", "bool", *INTEGERS)


def with_last(scope: Scope, one: Function) -> Function:
    """A function whose short loops store behind them what their last round leaves.

    Args:
        scope: the nest. one: the function.
    """
    if one.team:
        return one
    spoiled = {*scope.own, *scope.buffers}
    given = {x: k for x, k in scope.types.items() if isinstance(k, ArrayType)}
    types = {scope.names(x): k.dtype for x, k in given.items() if x not in spoiled}
    made = _Last(scope, types, partners(scope), {**one.variables})
    body = made.block(one.body)
    return replace(one, body=body, variables=made.declared)


@dataclass(frozen=True, slots=True)
class _Last:
    """Rewrites loops.

    Attributes:
        scope: the nest. types: of its arrays, by C name.
        partners: the arrays that may share memory with each.
        declared: the variables of the function.
    """

    scope: Scope
    types: Mapping[str, str]
    partners: Mapping[str, set[str]]
    declared: dict[str, str]

    def block(self, block: Block) -> Block:
        """Statements, with other loops in place of some."""
        lines: list[Stmt] = []
        for node in block:
            match node:
                case For() if cells := [*self._cells(node)]:
                    lines += self._behind(node, cells)
                case For() | While():
                    lines.append(replace(node, body=self.block(node.body)))
                case If(cond, body, orelse):
                    lines.append(If(cond, self.block(body), self.block(orelse)))
                case _:
                    lines.append(node)
        return (*lines,)

    def _cells(self, loop: For) -> Iterator[Expr]:
        """The cells that a loop stores under conditions, and that it does not read."""
        if not _is_plain(loop):
            return
        lines = [*assignments(loop.body)]
        stored = dict.fromkeys(x.target for x in lines if x.target.op == "cell")
        always = {x.target for x in loop.body if isinstance(x, Assign)}
        always |= {x.target for x in lines if x.op}
        moving = {x.target.name for x in lines if x.target.op == "name"}
        moving |= {x.var for x in loops((loop,))}
        read = {x for y in _read(loop) for x in inside(y) if x.op in TOUCHED}
        for cell in (x for x in stored if x not in always):
            near = {cell.name, *self.partners.get(cell.name, ())}
            touched = {x for x in (*read, *stored) if x.name in near}
            plain = self.types.get(cell.name) in _DTYPES and touched == {cell}
            fixed = moving.isdisjoint(used([Assign(x, x) for x in cell.parts]))
            if plain and fixed and cell not in read and not _has_cells(cell):
                yield cell

    def _behind(self, loop: For, cells: list[Expr]) -> list[Stmt]:
        """A loop, and what stores some cells behind it."""
        held, before, behind = dict[Expr, tuple[Expr, Expr]](), list[Stmt](), []
        for cell in cells:
            truth = integers(self.types[cell.name])
            own = self._variable(f"{cell.name}_last", self.types[cell.name], cell.kind)
            new = self._variable(f"{cell.name}_new", truth, of(ScalarType(truth)))
            held[cell] = own, new
            before += [Assign(x, constant(0, x.kind)) for x in (own, new)]
            behind.append(If(nonzero(new, of(BOOL)), (Assign(cell, own),), ()))
        return [*before, replace(loop, body=_kept(loop.body, held)), *behind]

    def _variable(self, stem: str, dtype: str, kind: Kind) -> Expr:
        """A new variable.

        Args:
            stem: of its name. dtype: of what it holds. kind: of its value.
        """
        name = self.scope.names.fresh(stem)
        self.declared[name] = c_element(dtype)
        return variable(name, kind)


def _kept(block: Block, held: Mapping[Expr, tuple[Expr, Expr]]) -> Block:
    """Statements with variables in place of cells.

    Args:
        block: them. held: the variable of each cell, and that of its being stored.
    """
    lines: list[Stmt] = []
    for node in block:
        match node:
            case Assign(target, value) if target in held:
                own, new = held[target]
                lines += [Assign(own, value), Assign(new, constant(1, new.kind))]
            case For(body=body):
                lines.append(replace(node, body=_kept(body, held)))
            case If(cond, body, orelse):
                lines.append(If(cond, _kept(body, held), _kept(orelse, held)))
            case _:
                lines.append(node)
    return (*lines,)


def _is_plain(loop: For) -> bool:
    """Whether a loop has a few rounds, each of which runs to its end.

    Where one raises, those before have stored.
    """
    if not is_short(loop) or not all(map(is_short, loops(loop.body))):
        return False
    if any(one.orelse for one in loops((loop,)) if isinstance(one, For)):
        return False
    if dangers(expressions((loop,))) or any(x.lanes > 1 for x in parts((loop,))):
        return False
    for node in statements(loop.body):
        if not isinstance(node, Assign | For | If) and node != KEPT:
            return False
    return not any(x.op == "call" and not x.intrinsic for x in parts((loop,)))


def _read(loop: For) -> Iterator[Expr]:
    """What a loop computes."""
    for node in statements((loop,)):
        match node:
            case Assign(target, value, op):
                yield from (*target.parts, value, *((target,) if op else ()))
            case If(cond):
                yield cond
            case For(_, start, stop):
                yield from (start, stop)


def _has_cells(cell: Expr) -> bool:
    """Whether other cells say where a cell is."""
    return any(x.op in CELLS for part in cell.parts for x in inside(part))
