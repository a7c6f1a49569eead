"""Accesses to a temporary, with the coordinates of their cells."""

from __future__ import annotations

import islpy as isl

from looptx.model.elements import Access
from looptx.model.expr import IntExpr
from looptx.model.program import Statement
from looptx.model.records import dataclass, replace
from looptx.poly.spaces import Spaces


@dataclass(frozen=True, slots=True)
class Touch:
    """An access to a temporary, with the coordinates of its cell."""

    user: Statement
    access: Access
    cell: tuple[IntExpr, ...]

    def without_first(self) -> Touch:
        """The same with one coordinate less."""
        return replace(self, cell=self.cell[1:])

    def cells(self, spaces: Spaces, count: int | None = None) -> isl.Map:
        """From iterations of the user to its first coordinates."""
        return spaces.map(self.user.name, self.user.loops, self.cell[:count])
