"""The cells of a statement whose calls loop, or assign elements of arrays.

They are those of the statements that run in place of the calls. What is in variables of
the functions is nobody else's business.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looptx.model.callees.expansion import Expansion, TooLarge
from looptx.model.elements import Access
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.scope import Scope
from looptx.source.nests.context import Context
from looptx.source.nests.sizes.affine import Affine
from looptx.source.nests.statements.accesses import Reader


class Running(Reader):
    """Collects the accesses of one statement and of what its calls run.

    Args:
        context, affine: as of a ``Reader``.
    """

    def __init__(self, context: Context, affine: Affine) -> None:
        super().__init__(context, affine)
        self._own: frozenset[str] | None = None

    def finish(self) -> tuple[Access, ...]:
        """The accesses, without those of variables of functions."""
        own = self._own or frozenset()
        return tuple(one for one in super().finish() if one.array not in own)

    def statement(self, stmt: ast.stmt, *, maybe: bool = False) -> None:
        """A statement of the source, with what runs in place of its calls."""
        if self._own is not None:
            super().statement(stmt, maybe=maybe)
            return
        scope = self.context.kinds.scope
        work = Expansion(scope.callees, dict(_functions(stmt, scope)))
        try:
            lines = work.block([stmt])
        except TooLarge:
            hint = "the loops run as Python; call less"
            what = "what its calls compute is too much to be written in their place"
            raise self.context.unsupported(stmt, what, hint, "LX504") from None
        self._own = frozenset(work.names)
        self.context = self.context.within(self.context.private | self._own)
        written = {*walked(stmt)}
        for node in (x for line in lines for x in ast.walk(line)):
            if node not in written:
                ast.copy_location(node, stmt)
        for call in (x for x in walked(stmt) if isinstance(x, ast.Call)):
            callee = scope.callee(call)
            rows = callee.rows(call) if callee is not None else []
            self.passed |= {one.name for one, _ in rows}
            for one, _ in rows:
                self._known_array(one.array, call)
        self.block(lines, maybe=maybe)

    def _no_view(self, target: ast.expr, value: ast.expr) -> None:
        if dotted(target) not in (self._own or ()):
            super()._no_view(target, value)


def _functions(stmt: ast.stmt, scope: Scope) -> Iterator[tuple[str, str]]:
    """The full names of what a statement calls."""
    for node in walked(stmt):
        if isinstance(node, ast.Call):
            yield dotted(node.func), scope.resolve(node.func)
