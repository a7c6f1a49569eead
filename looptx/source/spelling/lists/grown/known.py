"""Comprehensions that loops can stand for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looptx.model.records import dataclass
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.scope import Scope
from looptx.source.spelling.lists.fresh import fresh
from looptx.source.spelling.lists.generated import is_target
from looptx.source.spelling.lists.operations import Parents

_BLOCKS = (
    *(ast.For, ast.While, ast.AsyncFor, ast.With, ast.AsyncWith, ast.Match),
    *(ast.Try, ast.TryStar),
)
"""What may run what is inside again, or not to its end."""

_OTHER = (
    *(ast.NamedExpr, ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom, ast.Starred),
    *(ast.Dict, ast.Set, ast.DictComp, ast.SetComp, ast.JoinedStr, ast.Slice),
)
"""What no comprehension has inside that is native."""

FOLDS = ("sum", "min", "max", "any", "all")
"""What generators are given to where loops stand for them."""

_CALLED = frozenset(
    f"builtins.{name}"
    for name in (
        *("abs", "bool", "complex", "divmod", "enumerate", "float", "int", "len"),
        *("pow", "range", "reversed", "round", "zip", *FOLDS),
    )
)
"""The builtins that loops call natively."""


@dataclass(frozen=True)
class Comprehensions:
    """Tells which comprehensions of a function loops can stand for.

    Attributes:
        scope: the function. around: what its nodes stand in.
    """

    scope: Scope
    around: Parents

    @property
    def are_read(self) -> bool:
        """Whether the builtins that loops are made with mean what they say."""
        hidden = any(map(self.scope.hides, ("len", "range", *FOLDS)))
        return not (self.scope.wild or hidden)

    def blocks(self, stmt: ast.stmt) -> Iterator[ast.AST]:
        """The loops, and other statements with a say in what runs, around one."""
        node = self.around.get(stmt)
        while node is not None:
            if isinstance(node, _BLOCKS):
                yield node
            node = self.around.get(node)

    def is_known(self, node: ast.ListComp) -> bool:
        """Whether loops can make what a comprehension makes, and others do not yet."""
        parts = [x for x in walked(node) if x is not node]
        row = node.elt
        rows = {x for x in walked(row) if is_row(row) and _is_row_part(x, row)}
        return (
            fresh(node, self.scope, lambda _: False) is None
            and not any(isinstance(x, _OTHER) for x in parts)
            and all(x in rows for x in parts if isinstance(x, ast.List | ast.ListComp))
            and all(self._is_plain(x) for x in parts)
        )

    def _is_plain(self, node: ast.AST) -> bool:
        """Whether a part of a comprehension keeps nothing from being loops."""
        match node:
            case ast.GeneratorExp():
                call = self.around[node]
                return isinstance(call, ast.Call) and dotted(call.func) in FOLDS
            case ast.comprehension(target, is_async=later):
                return is_target(target) and not later
            case ast.Constant(value):
                return not isinstance(value, str | bytes)
            case ast.Call(function):
                full = self.scope.resolve(function)
                return not full.startswith("builtins.") or full in _CALLED
        return True


def is_row(node: ast.expr) -> bool:
    """Whether an element is a list that loops can make."""
    match node:
        case ast.ListComp() | ast.List():
            return True
        case ast.BinOp(ast.List([_]), ast.Mult(), _):
            return True
        case ast.BinOp(left, ast.Add(), right):
            return is_row(left) and is_row(right)
    return False


def _is_row_part(node: ast.AST, row: ast.expr) -> bool:
    """Whether a node is one of the lists that a row is made of.

    Args:
        node: in the row. row: it.
    """
    match row:
        case ast.BinOp(left, ast.Add(), right):
            return _is_row_part(node, left) or _is_row_part(node, right)
        case ast.BinOp(left, _, _):
            return node is left
    return node is row
