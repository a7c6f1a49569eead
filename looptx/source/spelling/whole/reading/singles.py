"""Numbers that are made of all elements of an array, where expressions have them."""

from __future__ import annotations

import ast
from collections.abc import Callable

from looptx.model.functions import Kind, lookup, lookup_method
from looptx.source.names.scope import Scope
from looptx.source.spelling.whole.reading.along import along

LATER = ast.IfExp | ast.BoolOp | ast.Lambda | ast.NamedExpr | ast.Starred
"""What is not computed in any case, or binds names."""


def single(node: ast.AST | None, scope: Scope) -> tuple[str, ast.expr] | None:
    """The name of a reduction of all of an array, and what it reduces.

    Args:
        node: an expression; no such reduction gives None.
        scope: what its names mean.
    """
    if not isinstance(node, ast.Call) or along(node, scope) is not None:
        return None
    full = scope.resolve(node.func)
    match node:
        case ast.Call(_, [of], []) if full.startswith("numpy."):
            row = lookup(full)
        case ast.Call(ast.Attribute(of, name), [], []) if not full:
            row = lookup_method(name)
        case _:
            return None
    return (row.own, of) if row.kind is Kind.REDUCTION else None


def type_of(operation: str, of: str, numpy: str) -> str:
    """A number of the type of what a reduction gives; empty where that is not known.

    Args:
        operation: its name. of: what makes an array like that which is reduced.
        numpy: the name of NumPy.
    """
    match operation.removeprefix("nan"):
        case "sum":
            return f"{numpy}.add.reduce({of})"
        case "prod":
            return f"{numpy}.multiply.reduce({of})"
        case "mean" | "median":
            return f"(({of}) / 1).dtype.type(0)"
        case "std" | "var":
            return f"(abs({of}) / 1).dtype.type(0)"
        case "min" | "max" | "amin" | "amax":
            return f"({of}).dtype.type(0)"
        case "any" | "all":
            return f"{numpy}.bool_(0)"
        case "argmin" | "argmax":
            return f"{numpy}.intp(0)"
    return ""


class TakenOut(ast.NodeTransformer):
    """Puts names in the place of numbers that are computed on the way.

    Args:
        scope: what names mean. new: makes a name.
        called: tells of a part whether it is a number that functions are called for.

    Attributes:
        lines: what gives the names their values, in the order of the expression.
    """

    def __init__(
        self,
        scope: Scope,
        new: Callable[[str], str],
        called: Callable[[ast.AST], bool] = lambda _: False,
    ) -> None:
        self.scope = scope
        self.new = new
        self.called = called
        self.lines: list[ast.Assign] = []

    def number(self, node: ast.expr) -> ast.expr:
        """A value without them."""
        found = self.visit(node)
        assert isinstance(found, ast.expr)
        return found

    def visit(self, node: ast.AST) -> ast.AST:
        """An expression, without what is computed in any case."""
        if isinstance(node, LATER):
            return node
        if isinstance(node, ast.expr) and (
            single(node, self.scope) is not None or self.called(node)
        ):
            name = self.new("value")
            self.lines.append(ast.Assign([ast.Name(name, ast.Store())], node))
            return ast.copy_location(ast.Name(name, ast.Load()), node)
        if self._makes(node):
            # A size has to be known in front of the loops, and cells get one number.
            called, self.called = self.called, lambda _: False
            found = self.generic_visit(node)
            self.called = called
            return found
        return self.generic_visit(node)

    def _makes(self, node: ast.AST) -> bool:
        """Whether an expression is a call that makes an array of a size."""
        if not isinstance(node, ast.Call):
            return False
        return lookup(self.scope.resolve(node.func)).fill is not None
