"""Numbers that statements on arrays compute on the way, as statements in front of them.

``A[i] -= A[i].mean()`` is ``m = A[i].mean()`` and ``A[i] -= m``, in a loop of one
round: a reduction of all of an array is one number, for however many elements. So are
the bounds of slices that elements say.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping

from looptx.model.naming import Taken
from looptx.source.ast_tools import walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import (
    Change,
    Changes,
    always,
    mark,
    spelling,
)
from looptx.source.spelling.inserted import placed
from looptx.source.spelling.whole.reading.axes import Unlike
from looptx.source.spelling.whole.reading.bounds import Bounds, has_bounds
from looptx.source.spelling.whole.reading.extents import Extents
from looptx.source.spelling.whole.reading.ranks import known_ranks
from looptx.source.spelling.whole.reading.singles import TakenOut, single


def _target(node: ast.AST) -> ast.expr | None:
    """What a statement assigns, if that may be elements, of what it reduces."""
    if mark(node):
        return None
    match node:
        case ast.Assign([ast.Subscript() as target]):
            return target
        case ast.AugAssign(ast.Subscript() | ast.Name() as target):
            return target
    return None


@spelling(_target)
def with_numbers(function: Function, scope: Scope, axes: Mapping[str, int]) -> Changes:
    """Statements on arrays compute no numbers on the way.

    Args:
        function: it. scope: its names.
        axes: how many arguments have, where no text says so.
    """
    return _Function(function, scope, axes).changes()


class _Function:
    """Takes the numbers out of the statements of one function."""

    def __init__(
        self, function: Function, scope: Scope, axes: Mapping[str, int]
    ) -> None:
        self.own = own_nodes(function)
        self.scope = scope
        self.extents = Extents(scope, known_ranks(function, scope, axes), "")
        self.taken = Taken(scope.identifiers)

    def changes(self) -> Iterator[tuple[ast.AST, Change]]:
        """What the statements become."""
        if self.scope.wild or self.scope.hides("range"):
            return
        for stmt in self.own:
            reduced = any(isinstance(x, ast.Call) for x in walked(stmt))
            if _target(stmt) is None or not (reduced or has_bounds(stmt)):
                continue
            assert isinstance(stmt, ast.Assign | ast.AugAssign)
            calls = (x for x in walked(stmt) if self.scope.runs_other_code(x))
            if any(single(one, self.scope) is None for one in calls):
                continue
            made = copy.deepcopy(stmt)
            taken = TakenOut(self.scope, self.taken.again, self.extents.called)
            made.value = taken.number(made.value)
            lines = taken.lines or self._bounds(made)
            target = _target(made)
            if lines and target is not None and self._is_several(target):
                yield (
                    stmt,
                    always(placed([*lines, made], stmt, self.taken.again("once"))),
                )

    def _bounds(self, stmt: ast.Assign | ast.AugAssign) -> list[ast.stmt]:
        """What gives names to the bounds of slices in a statement, which gets these."""
        bounds = Bounds(self.taken.again, self.extents)
        if not has_bounds(stmt):
            return []
        try:
            if isinstance(stmt, ast.Assign):
                stmt.value = bounds.visit(stmt.value)
                stmt.targets = [*map(bounds.visit, stmt.targets)]
            else:
                stmt.target = bounds.visit(stmt.target)
                stmt.value = bounds.visit(stmt.value)
        except Unlike:
            return []
        return bounds.lines

    def _is_several(self, target: ast.expr) -> bool:
        """Whether a statement assigns several elements."""
        shown = copy.deepcopy(target)
        for node in ast.walk(shown):
            if hasattr(node, "ctx"):
                node.ctx = ast.Load()
        try:
            return bool(self.extents.of(shown))
        except Unlike:
            return False
