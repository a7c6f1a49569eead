"""Cells that a choice may read, read before it is made.

``h[j] if u[j] > 0 else h[j + 1]`` reads one of two: C reads the other only where that
is known not to fail, else it branches, or reads lane by lane under a mask. Where an
iteration reads an array whichever way it goes, the neighbours cost next to nothing.
(Speculative loads: Mahlke et al., MICRO 1992.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from looptx.lower.checks import THERE
from looptx.lower.known.lines import Lines, changed
from looptx.lower.scope import Scope
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
    assignments,
    inside,
    statements,
    used,
    variable,
)
from looptx.lower.types import c_element
from looptx.lower.vectors.places import standing
from looptx.lower.vectors.strips import LAZY, rewritten
from looptx.model.records import dataclass, replace
from looptx.model.types import ArrayType

_DTYPES = frozenset(("int64", "int32", "uint32", "uint64", "float64", "float32"))


def with_sooner(scope: Scope, one: Function) -> Function:
    """A function whose innermost loops read before they choose.

    Args:
        scope: the nest. one: the function; of a team others write what it reads.
    """
    if one.team:
        return one
    declared = {**one.variables}
    types = {
        scope.names(name): kind.dtype
        for name, kind in scope.types.items()
        if isinstance(kind, ArrayType) and kind.dtype in _DTYPES
    }

    def sooner(expr: Expr, near: _Near) -> tuple[Block, Expr]:
        """What reads cells of some arrays, and a value made of these."""
        read: dict[Expr, Expr] = {}
        for cell in dict.fromkeys(near.cells(expr)):
            name = scope.names.fresh(f"{cell.name}_read")
            declared[name] = c_element(types[cell.name])
            read[cell] = variable(name, cell.kind)
        first = (Assign(name, cell) for cell, name in read.items())
        return (*first,), standing(expr, read) if read else expr

    def block(body: Block, near: _Near) -> Block:
        found: list[Stmt] = []
        for node in body:
            match node:
                case Assign(target, value, op):
                    first, value = sooner(value, near)
                    found += [*first, Assign(target, value, op)]
                    if target.op == "name" and not op:
                        near.before.discard(target.name)
                case If(cond, yes, no):
                    first, cond = sooner(cond, near)
                    found += [*first, If(cond, block(yes, near), block(no, near))]
                case _:
                    found.append(node)
        return (*found,)

    def change(node: Stmt) -> list[Stmt]:
        if not isinstance(node, For) or not _is_plain(node.body):
            return [node]
        targets = {x.target.name for x in assignments(node.body)}
        names = _touched(node.body) & types.keys()
        near = _Near(names, Lines(changed(node.body)), targets)
        return [replace(node, body=block(node.body, near))]

    return replace(one, body=rewritten(one.body, change), variables=declared)


@dataclass(frozen=True, slots=True)
class _Near:
    """What may be read sooner in an iteration.

    Attributes:
        names: the arrays that it reads in any case.
        lines: what its places are made of.
        before: what it has from iterations before: a choice between two of those is a
            branch that spares waiting for one.
    """

    names: frozenset[str]
    lines: Lines
    before: set[str]

    def cells(self, expr: Expr) -> Iterator[Expr]:
        """The cells that an expression may read, and that may be read sooner."""
        if self.before.isdisjoint(used((Run(expr),))):
            for cell in _chosen(expr):
                plain = None not in map(self.lines.of, cell.parts)
                if plain and cell.name in self.names:
                    yield cell


def _is_plain(block: Block) -> bool:
    """Whether statements are assignments, and branches to such."""
    return all(isinstance(x, Assign | If) or x == KEPT for x in statements(block))


def _touched(block: Sequence[Stmt]) -> frozenset[str]:
    """The arrays of which statements read a cell, whichever way they go."""
    found = frozenset[str]()
    for node in block:
        match node:
            case Assign(target, value, op):
                found |= _surely(value)
                for part in target.parts if not op else (target,):
                    found |= _surely(part)
            case If(cond, body, orelse):
                found |= _surely(cond) | _touched(body) & _touched(orelse)
    return found


def _surely(expr: Expr) -> frozenset[str]:
    """The arrays of which an expression reads a cell in any case."""
    first, *others = (*map(_surely, expr.parts), frozenset[str]())
    if expr.op == "choice":
        return first | others[0] & others[1]
    found = first if expr.op in LAZY else first.union(*others)
    return found | {expr.name} if expr.op == "cell" else found


def _chosen(expr: Expr, perhaps: bool = False) -> Iterator[Expr]:
    """The cells that there are, and that data choose to read or not.

    Args:
        expr: what reads them. perhaps: whether data choose it itself.
    """
    if expr.op == "cell":
        if perhaps and expr.lanes == 1 and THERE in expr.facts:
            yield expr
        return
    for at, part in enumerate(expr.parts):
        yield from _chosen(part, perhaps or (at > 0 and expr.op in LAZY))
        if expr.op in LAZY and any(x.op == "test" for x in inside(part)):
            return  # What positions choose there may not be elsewhere.
