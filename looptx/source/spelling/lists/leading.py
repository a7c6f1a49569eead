"""The folds that statements evaluate before all that may have an effect."""

from __future__ import annotations

import ast
from collections.abc import Collection

from looptx.model.records import dataclass
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.scope import Scope
from looptx.source.spelling.lists.implied import Implied, implied, may_be

_PLAIN = (
    *(ast.Name, ast.Constant, ast.Subscript, ast.BinOp, ast.UnaryOp, ast.Compare),
    *(ast.Add, ast.Sub, ast.Mult, ast.unaryop, ast.cmpop, ast.expr_context),
    *(ast.GeneratorExp, ast.ListComp, ast.comprehension, ast.Tuple, ast.Slice),
)
"""What raises nothing but an IndexError."""

_QUIET = (
    *(ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.USub),
    *(ast.Add, ast.Sub, ast.Mult, ast.expr_context),
)

ENDING = ("any", "all")
_FOLDS = ("sum", "min", "max", *ENDING)


def is_any(node: ast.AST) -> bool:
    """Whether a node may be a fold."""
    return _written(node) is not None or may_be(node)


def _written(node: ast.AST) -> Implied | None:
    """A node as a fold, if it is one of the functions by their own names."""
    match node:
        case ast.Call(ast.Name(name), [ast.GeneratorExp()], []) if name in _FOLDS:
            return Implied(node)
        case ast.Call(ast.Name(name), [ast.ListComp()], []) if name in _FOLDS:
            # All of a list is computed before it is asked for anything.
            return None if name in ENDING else Implied(node)
    return None


@dataclass(frozen=True)
class Leading:
    """Finds folds.

    Args:
        scope: of the function. lists: whether those of lists are some, too.
        grown: the lists that are more than native code takes for arrays.
    """

    scope: Scope
    lists: bool
    grown: Collection[str]

    def of(self, node: ast.AST) -> Implied | None:
        """A node as a fold, if it is one."""
        found = _written(node)
        if found is None and self.lists:
            found = implied(node, self.scope, self.grown)
        return found

    def first(self, stmt: ast.stmt) -> ast.expr | None:
        """The fold that a statement evaluates before all that may have an effect."""
        match stmt:
            case ast.Assign(value=value) | ast.Return(ast.expr() as value):
                return self._leading(value)
            case ast.If(test):
                return self._leading(test)
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "append"), [value])):
                return self._leading(value) if name in self.grown else None
            case ast.AugAssign(ast.Name(), _, value):
                return self._leading(value)
            case ast.AugAssign(ast.Subscript(), _, ast.Call() as value):
                found = self.of(value)
                if found is not None:
                    parts = walked(found.call.args[0])
                    names = (isinstance(x, _PLAIN) for x in parts if not _is_range(x))
                    return value if all(names) else None
        return None

    def _leading(self, node: ast.expr) -> ast.expr | None:
        """The fold that an expression evaluates first, but for names and numbers."""
        if self.of(node) is not None:
            return node
        match node:
            case ast.BinOp(left, _, right) if _is_quiet(left):
                return self._leading(right)
            case ast.Compare(left, _, [right, *_]) if _is_quiet(left):
                return self._leading(right)
            case ast.BinOp(left) | ast.Compare(left) | ast.UnaryOp(_, left):
                return self._leading(left)
            case ast.Call(function, [left, *_]) if dotted(function):
                return self._leading(left)
            case ast.BoolOp(_, [left, *_]) | ast.IfExp(left):
                return self._leading(left)
        return None


def _is_quiet(node: ast.expr) -> bool:
    """Whether an expression is made of names and numbers, and raises nothing then."""
    return all(isinstance(x, _QUIET) for x in walked(node))


def _is_range(node: ast.AST) -> bool:
    """Whether a node is a call of ``range``."""
    return isinstance(node, ast.Call) and dotted(node.func) == "range"
