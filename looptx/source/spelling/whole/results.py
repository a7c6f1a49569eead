"""Arrays that statements make, spelled as arrays that loops fill.

``X = A * c + B`` is ``X1 = np.empty(A.shape, ...)`` and loops over ``X1[ax0, ax1]``,
behind which X is that array; the same is done with what a function returns. NumPy makes
an array for each operation, and goes through all of them: a single operation is best
left to it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from looptx.source.ast_tools import blocks, walked
from looptx.source.names.imports import SCOPES, own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import (
    Change,
    Changes,
    Filled,
    Given,
    giving,
    making,
    spelling,
)
from looptx.source.spelling.inserted import Inserted
from looptx.source.spelling.whole.filling import Filling
from looptx.source.spelling.whole.maker import Known
from looptx.source.spelling.whole.making import assigned, unknown
from looptx.source.spelling.whole.reading.along import along
from looptx.source.spelling.whole.reading.axes import Unlike
from looptx.source.spelling.whole.turns.webs import originals

_OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call)

LEAST = 2
"""So many operations on arrays make a statement worth a nest of its own."""


def _value(node: ast.AST) -> ast.expr | None:
    """What a statement computes that gives it a name, or returns it."""
    match node:
        case ast.Assign([ast.Name()], value) | ast.Return(ast.expr() as value):
            return value if isinstance(value, _OPERATIONS) else None
    return None


@spelling(_value)
def with_results(function: Function, scope: Scope, axes: Mapping[str, int]) -> Changes:
    """Loops fill the arrays that statements make.

    Args:
        function: it. scope: its names.
        axes: how many arguments have, where no text says so.
    """
    return _Function(function, scope, axes).changes()


class _Function:
    """Respells the arrays that statements of one function make."""

    def __init__(
        self, function: Function, scope: Scope, axes: Mapping[str, int]
    ) -> None:
        self.function = function
        self.scope = scope
        self.known = Known.of(function, scope, axes)
        self.filling = Filling(scope, self.known)

    def changes(self) -> Iterator[tuple[ast.AST, Change]]:
        """What the blocks with such statements become."""
        if self.scope.wild or self.scope.hides("range"):
            return
        own = own_nodes(self.function)
        owners = (x for x in own if x is self.function or not isinstance(x, SCOPES))
        for owner in owners:
            for block in blocks(owner):
                inserted = Inserted()
                for stmt in block:
                    if self._is_fit(stmt):
                        made = self._made(stmt)
                        if made is not None:
                            first, loop, last = made
                            inserted.before(stmt, first, loop)
                            yield stmt, lambda _, last=last: last  # type: ignore[misc]
                if inserted:
                    yield owner, inserted.into(owner)

    def _is_fit(self, stmt: ast.stmt) -> bool:
        """Whether a statement may make an array by several operations."""
        value = _value(stmt)
        if value is None:
            return False
        match stmt:
            case ast.Assign([ast.Name(name)]) if name in self.scope.shared:
                return False
        parts = walked(value)
        # What a product of matrices takes is computed for itself.
        given = [x for part in parts for x in self._factors(part)]
        apart = sum(bool(self._weight(x)) for x in given)
        return sum(self._weight(x) for x in parts) - apart >= LEAST

    def _factors(self, node: ast.AST) -> Sequence[ast.expr]:
        """The factors of a product of matrices."""
        match node:
            case ast.BinOp(left, ast.MatMult(), right):
                return left, right
            case ast.Call(function, [left, right], []):
                if self.scope.resolve(function) == "numpy.matmul":
                    return left, right
        return ()

    def _weight(self, node: ast.AST) -> int:
        """How often NumPy goes through arrays for a part of an expression."""
        if not isinstance(node, _OPERATIONS) or self._factors(node):
            return 0
        one = along(node, self.scope)
        if one is not None and one.operation in ("std", "var"):
            return LEAST
        try:
            return int(bool(self.filling.extents.of(node)))
        except Unlike:
            return 0

    def _made(self, stmt: ast.stmt) -> Sequence[ast.stmt] | None:
        """What makes an array, what fills it, and what the statement becomes."""
        value = _value(stmt)
        assert value is not None and isinstance(stmt, ast.Assign | ast.Return)
        target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
        named = target.id if isinstance(target, ast.Name) else ""
        try:
            new = self.filling.like(value)
            name = self.known.taken.again(named or "returned")
            place = target or value
            loop, laid = self.filling.statement(name, new, stmt, place, ordered=True)
        except Unlike:
            return None
        inner = loop
        while isinstance(inner, ast.For | ast.If):
            inner = inner.body[-1]
        filled = Filled(name, ast.unparse(new.call), new.shape, new.element, laid)
        making(inner, filled)
        giving(loop, Given(name, originals(self.function).get(named, named)))
        array: ast.expr = ast.copy_location(ast.Name(name, ast.Load()), value)
        last: ast.stmt = ast.Return(array)
        if target is not None:
            # It shares its memory with nothing else that has the name at other times.
            last = ast.Assign([target], unknown(array, self.known.numpy))
        last = ast.fix_missing_locations(ast.copy_location(last, stmt))
        first = assigned(name, new, stmt, value, self.known.numpy)
        return first, loop, last
