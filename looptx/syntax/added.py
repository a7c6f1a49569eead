"""Statements that are none of the source's, as a person would write them."""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Mapping


class Written(ast.NodeTransformer):
    """Takes texts in the place of names that are no identifiers.

    Args:
        texts: what stands for names.
        plain: the arrays that are variables in Python.
        numpy: what the function calls NumPy; empty where it does not know it.
    """

    def __init__(
        self, texts: Mapping[str, str], plain: Collection[str], numpy: str
    ) -> None:
        self.texts = texts
        self.plain = plain
        self.numpy = numpy

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """What stands for a name."""
        text = self.texts.get(node.id)
        return node if text is None else ast.parse(text, mode="eval").body

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """A variable in the place of an element."""
        if isinstance(node.value, ast.Name) and node.value.id in self.plain:
            return node.value
        self.generic_visit(node)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """A name for what has no literal."""
        if not isinstance(node.value, float) or not math.isinf(node.value):
            return node
        text = f"{self.numpy}.inf" if self.numpy else "float('inf')"
        return ast.parse(text if node.value > 0 else f"-{text}", mode="eval").body
