"""Cells that stay the same while a loop of vectors runs, kept in vector registers.

The statements of the loop are all there, one behind the other, so that each cell is
seen to be the same as another one, or a different one. (Register tiles: Carr and
Kennedy, TOPLAS 1994.)
"""

from __future__ import annotations

from typing import cast

from looptx.lower.kinds import of
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    If,
    Stmt,
    dangers,
    expressions,
    infix,
    inside,
    variable,
)
from looptx.lower.types import c_element, c_vector
from looptx.lower.vectors.masks.masked import is_masked
from looptx.lower.vectors.places import integer, near_axes, partners, standing
from looptx.model.expr import Const, sub, variables
from looptx.model.records import replace
from looptx.model.types import ScalarType


def in_registers(scope: Scope, loop: For, declared: dict[str, str]) -> list[Stmt]:
    """A loop with its cells in registers; nothing where it has none, or too many.

    Args:
        scope: the nest.
        loop: it, with vectors in it.
        declared: the variables of the function it is in: their types, by name.
    """
    lines = [node for node in loop.body if isinstance(node, Assign)]
    if len(lines) < len(loop.body) or dangers(expressions(lines)) or is_masked(lines):
        return []
    cells = Cells(scope, loop.var, lines)
    kept = cells.kept()
    if not kept or len(kept) > scope.registers:
        return []
    held = {cell: _register(scope, cell, declared) for cell in kept}
    body = tuple(
        replace(
            line, target=standing(line.target, held), value=standing(line.value, held)
        )
        for line in lines
    )
    back = loop.step is not None and cast(int, loop.step.number) < 0
    runs = infix(">" if back else "<", loop.start, loop.stop)
    return [
        # Where the loop does not run the cells need not even exist.
        If(
            runs,
            (
                *(Assign(register, cell) for cell, register in held.items()),
                replace(loop, body=body),
                *(Assign(cell, register) for cell, register in held.items()),
            ),
        )
    ]


def _register(scope: Scope, cell: Expr, declared: dict[str, str]) -> Expr:
    """The variable that stands for a cell."""
    dtype = cell.kind.dtype
    name = scope.names.fresh(cell.name)
    vector = cell.lanes > 1
    declared[name] = c_vector(dtype, cell.lanes) if vector else c_element(dtype)
    return replace(variable(name, of(ScalarType(dtype))), lanes=cell.lanes)


class Cells:
    """The cells that the statements of a loop touch.

    Args:
        scope: the nest.
        var: the variable of the loop.
        lines: its statements.
    """

    def __init__(self, scope: Scope, var: str, lines: list[Assign]) -> None:
        targets = [line.target for line in lines]
        self.near = near_axes(scope)
        self.moving = {var, *(one.name for one in targets if one.op == "name")}
        self.written = [one for one in dict.fromkeys(targets) if one.op != "name"]
        found = (part for expr in expressions(lines) for part in inside(expr))
        self.all = [
            one for one in dict.fromkeys(found) if one.op in ("cell", "local cell")
        ]
        self.others = partners(scope)

    def kept(self) -> list[Expr]:
        """Those that are written, do not move, and are no part of another one."""
        return [one for one in self.written if self._stays(one) and self._alone(one)]

    def _stays(self, cell: Expr) -> bool:
        places = [integer(place) for place in cell.parts]
        return not any(p is None or variables(p) & self.moving for p in places)

    def _alone(self, cell: Expr) -> bool:
        return all(other == cell or self.apart(cell, other) for other in self.all)

    def apart(self, one: Expr, two: Expr) -> bool:
        """Whether two cells, or vectors of cells, have no memory in common."""
        if two.name in self.others.get(one.name, set()):
            return False
        return two.name != one.name or self._differ(one, two)

    def _differ(self, one: Expr, two: Expr) -> bool:
        """Whether two of an array have none in common."""
        near = self.near.get(one.name)
        for axis, places in enumerate(zip(one.parts, two.parts, strict=True)):
            first, second = map(integer, places)
            if first is None or second is None:
                continue
            gap = sub(second, first)
            if isinstance(gap, Const):
                along = near is not None and axis == near % len(one.parts)
                before = one.lanes if along else 1
                behind = two.lanes if along else 1
                if gap.value >= before or -gap.value >= behind:
                    return True
        return False
