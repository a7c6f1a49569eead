"""The text of an expression that stands where the source reads what it computes."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Collection, Mapping

from looptx.model.expr import IntExpr, substitute
from looptx.model.program import Statement

_ATOMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)


class Expressions(ast.NodeTransformer):
    """Writes expressions of a statement in one call.

    Args:
        statement: the statement.
        index: the values of its loops, and of other names that looptx gave. vars: its
            loops, by the names of their variables.
        cells: the text of what stands for other names.
        plain: the buffers that a variable holds.
        written: the text of a value.
    """

    def __init__(
        self,
        statement: Statement,
        index: Mapping[str, IntExpr],
        vars: Mapping[str, str],
        cells: Mapping[str, str],
        plain: Collection[str],
        written: Callable[[IntExpr], str],
    ) -> None:
        self.index = index
        self.vars = vars
        self.cells = cells
        self.plain = plain
        self.written = written
        self.elements = {id(x.node): x for x in statement.elements if not x.written}

    def text(self, expression: ast.expr) -> str:
        """An expression, in parentheses where it does not bind tightly."""
        new = self.visit(copy.deepcopy(expression, self._kept(expression)))
        text = ast.unparse(ast.fix_missing_locations(new))
        return text if isinstance(new, _ATOMS) else f"({text})"

    def _kept(self, expression: ast.expr) -> dict[int, object]:
        """Elements keep their identity until their subscripts are written."""
        memo: dict[int, object] = {}
        for node in reversed([*ast.walk(expression)]):
            element = self.elements.get(id(node))
            if element is None or element.places is not None:
                continue
            axes = self._axes(element.node)
            if len(axes) != len(element.subscripts):
                continue
            for axis, value in zip(axes, element.subscripts, strict=True):
                if value is not None:
                    text = self.written(substitute(value, self.index))
                    memo[id(axis)] = _Written(text)
        return memo

    @staticmethod
    def _axes(node: ast.Subscript) -> list[ast.expr]:
        if not isinstance(node.value, ast.Name | ast.Attribute):
            return []
        return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name: what stands for it."""
        if node.id in self.cells:
            return _parsed(self.cells[node.id])
        loop = self.vars.get(node.id, node.id)
        return _parsed(self.written(self.index[loop])) if loop in self.index else node

    def visit__Written(self, node: _Written) -> ast.expr:
        """Text that is written already."""
        return _parsed(node.id)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """An element; a buffer of one cell may be a variable."""
        if isinstance(node.value, ast.Name) and node.value.id in self.plain:
            return node.value
        self.generic_visit(node)
        return node


class _Written(ast.Name):
    """Text in which nothing is to be replaced any more."""

    def __init__(self, text: str) -> None:
        super().__init__(text, ast.Load())


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
