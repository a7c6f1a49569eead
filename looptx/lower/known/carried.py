"""Cells that an iteration leaves for the next one, kept in variables.

Where ``A[j]`` is written and the next iteration reads it as ``A[j - 1]``, the value
goes through memory, which takes longer than what is computed of it. It is still written
there, and read in front of the loop only. Each loop has one pair of such cells, the
first that is found. (Scalar replacement: Callahan, Carr, Kennedy, PLDI 1990, who carry
values over iterations, too.)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TypeAlias

from looptx.lower.checks import THERE
from looptx.lower.known.lines import Lines
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
    assignments,
    dangers,
    expressions,
    infix,
    inside,
    parts,
    statements,
    variable,
)
from looptx.lower.types import c_element
from looptx.lower.vectors.places import integer, moved, partners, standing
from looptx.lower.vectors.strips import LAZY, rewritten
from looptx.model.expr import Const, IntExpr, Var, add, sub, substitute
from looptx.model.records import dataclass, replace
from looptx.model.types import ArrayType

_Places: TypeAlias = tuple[IntExpr, ...] | None

_DTYPES = ("int64", "int32", "uint32", "uint64", "float64", "float32")


def with_carried(scope: Scope, one: Function) -> Function:
    """A function whose innermost loops keep what they read again.

    Args:
        scope: the nest. one: the function; of a team others write what it reads.
    """
    if one.team:
        return one
    declared, spoiled = {**one.variables}, {*scope.own, *scope.buffers}
    types = {
        scope.names(name): kind.dtype
        for name, kind in scope.types.items()
        if isinstance(kind, ArrayType) and name not in spoiled
    }

    def change(node: Stmt) -> list[Stmt]:
        if not isinstance(node, For) or not _plain(node):
            return [node]
        found = next(_pairs(scope, node, types), None)
        if found is None:
            return [node]
        names = []
        for word in ("before", "now"):
            names.append(scope.names.fresh(f"{found[0].name}_{word}"))
            declared[names[-1]] = c_element(types[found[0].name])
        return _Carried(node, *found, *names).lines()

    return replace(one, body=rewritten(one.body, change), variables=declared)


def _plain(loop: For) -> bool:
    """Whether all iterations run to their ends, and only assign.

    Where one may raise, a cell may be there because one before did not.
    """
    if loop.step is not None or loop.orelse or integer(loop.start) is None:
        return False
    if dangers(expressions((loop,))):
        return False
    for node in statements(loop.body):
        if not isinstance(node, Assign | If) and node != KEPT:
            return False
    for part in parts(loop.body):
        if part.lanes > 1 or (part.op == "call" and not part.intrinsic):
            return False
    return loop.var not in _changed(loop)


def _changed(loop: For) -> frozenset[str]:
    """The variables that get values in a loop."""
    targets = (one.target for one in assignments(loop.body))
    return frozenset(one.name for one in targets if one.op == "name")


def _pairs(
    scope: Scope, loop: For, types: dict[str, str]
) -> Iterator[tuple[Expr, Expr]]:
    """A cell that is read, and the one that it is in the iteration before.

    Args:
        scope: the nest. loop: the loop. types: of the arrays that count.
    """
    sure, others = {*_sure(loop.body)}, partners(scope)
    targets = (x.target for x in assignments(loop.body))
    stored = dict.fromkeys(x for x in targets if x.op == "cell")
    cells = [x for x in dict.fromkeys(parts(loop.body)) if x.op == "cell"]
    lines = Lines(_changed(loop))
    places = {x: _places(x, lines) for x in cells}
    later = {x: _next(places[x], loop.var) for x in cells}
    for now in stored:
        if types.get(now.name) not in _DTYPES:
            continue
        if {x.name for x in stored} & (others.get(now.name, set()) - {now.name}):
            continue
        own = [x for x in stored if x.name == now.name]
        there = now in sure or _is_set(loop.body, now)
        for before in cells if there else ():
            if before == now or before.name != now.name:
                continue
            if before not in sure and THERE not in before.facts:
                continue
            if _far(later[before], places[now]) is not False:
                continue
            # Others are written alike, or are two in every iteration.
            pairs = itertools.product(own, (before, now))
            if all(x == y or _far(places[x], places[y]) for x, y in pairs):
                yield before, now


def _places(cell: Expr, lines: Lines) -> _Places:
    """Where a cell is, made of what the loop does not change, and its variable."""
    found = [lines.of(place) for place in cell.parts]
    places = [place for place in found if place is not None]
    return (*places,) if len(places) == len(found) else None


def _next(places: _Places, var: str) -> _Places:
    """Where it is in the next iteration of a loop."""
    if places is None:
        return None
    later = add(Var(var), Const(1))
    return (*(substitute(x, {var: later}) for x in places),)


def _far(one: _Places, two: _Places) -> bool | None:
    """Whether two places are two; None where that may be or not."""
    if one is None or two is None:
        return None
    far = [sub(x, y) for x, y in zip(one, two, strict=True)]
    if any(isinstance(x, Const) and x.value for x in far):
        return True
    return False if all(isinstance(x, Const) for x in far) else None


def _sure(block: Block) -> Iterator[Expr]:
    """The cells that every iteration reads."""
    for node in block:
        match node:
            case Assign(target, value, op):
                yield from _read(value)
                for part in target.parts if not op else (target,):
                    yield from _read(part)
            case If(cond):
                yield from _read(cond)


def _read(expr: Expr) -> Iterator[Expr]:
    """The cells that a value is computed of in any case."""
    if expr.op == "cell":
        yield expr
    for part in expr.parts[: 1 if expr.op in LAZY else None]:
        yield from _read(part)


def _is_set(block: Block, cell: Expr) -> bool:
    """Whether a cell gets a value on every way, and is read on none."""
    if any(x.target == cell and x.op for x in assignments(block)):
        return False
    read = [x for node in statements(block) for x in _whole(node)]
    return _gets(block, cell) and all(x != cell for y in read for x in inside(y))


def _whole(node: Stmt) -> tuple[Expr, ...]:
    """What a statement computes, without those in it."""
    match node:
        case Assign(target, value):
            return (*target.parts, value)
        case If(cond):
            return (cond,)
    return ()


def _gets(block: Block, cell: Expr) -> bool:
    for node in block:
        match node:
            case Assign(target) if target == cell:
                return True
            case If(_, body, orelse) if _gets(body, cell) and _gets(orelse, cell):
                return True
    return False


@dataclass(frozen=True, slots=True)
class _Carried:
    """A loop with variables in place of two cells.

    Attributes:
        loop: it.
        before, now: the cells: ``now`` is ``before`` in the next iteration.
        first, second: the variables.
    """

    loop: For
    before: Expr
    now: Expr
    first: str
    second: str

    def lines(self) -> list[Stmt]:
        """The loop, behind what reads the cell of the first iteration."""
        loop = self.loop
        start = integer(loop.start)
        assert start is not None
        one, two = self._variables()
        first = Assign(one, moved(self.before, {loop.var: start}, {}))
        load = () if _is_set(loop.body, self.now) else (Assign(two, self.now),)
        body = (*load, *self._block(loop.body), Assign(one, two))
        runs = infix("<", loop.start, loop.stop)
        return [If(runs, (first,)), replace(loop, body=body)]

    def _variables(self) -> tuple[Expr, Expr]:
        return variable(self.first, self.before.kind), variable(
            self.second, self.now.kind
        )

    def _block(self, block: Block) -> Block:
        held = dict(zip((self.before, self.now), self._variables(), strict=True))
        found: list[Stmt] = []
        for node in block:
            match node:
                case Assign(target, value, op):
                    value = standing(value, held)
                    if target in held:
                        found.append(Assign(held[target], value, op))
                        value, op = held[target], ""
                    places = tuple(standing(x, held) for x in target.parts)
                    found.append(Assign(replace(target, parts=places), value, op))
                case If(cond, body, orelse):
                    both = self._block(body), self._block(orelse)
                    found.append(If(standing(cond, held), *both))
                case _:
                    found.append(node)
        return (*found,)
