"""Which parts of a function are about integers: sizes, loop variables and subscripts.

On hashes these are computed as they are, and all else becomes a hash.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Mapping

from looptx.model.functions import FILLED, FUNCTIONS, When, lookup
from looptx.model.trees import dotted
from looptx.source.names.scope import Function, Scope
from looptx.source.names.subscripts import subscripts

SHAPE = "_looptx_shape_"
"""Stands before the name of an array in that of its shape."""

MADE = {
    row.name: row.fill or "unset"
    for row in FUNCTIONS.values()
    if row.is_shaped and row.fill != FILLED
}
"""The functions that make arrays, with what these hold."""


class Unfit(Exception):
    """Something that code on hashes does not do."""


class Integral:
    """What the names of a function hold.

    Args:
        scope: its names. given: the ranks of the arrays it is given; indices: those of
            them that hold subscripts. values: the names it is given that are no
            integers.

    Attributes:
        ranks: of all arrays. values: all names that hold no integers.
        scalars: those that have a number for each iteration, in a dictionary.
    """

    def __init__(
        self,
        scope: Scope,
        given: Mapping[str, int],
        indices: Collection[str],
        values: Collection[str],
    ) -> None:
        self.scope = scope
        self.given = frozenset(given)
        self.indices = frozenset(indices)
        self.ranks = {**given, **self._local_arrays(scope.function)}
        self.scalars = _dictionaries(scope.function) - self.ranks.keys()
        self.values = {*values, *self.scalars}
        self._spread(scope.function)

    def holds(self, node: ast.expr) -> bool:
        """Whether an expression consists of sizes, indices and whole numbers."""
        match node:
            case ast.Constant(value):
                return type(value) in (int, bool)
            case ast.Name(name):
                known = name in self.values or name in self.ranks
                return not known and not self.scope.resolve(node)
            case ast.Attribute(ast.Name(name), "shape"):
                return name in self.given
            case ast.Attribute(ast.Call() as call, "start" | "stop" | "step"):
                return self.scope.is_range(call) and self.holds(call)
            case ast.Subscript():
                base, within = subscripts(node)
                shape = isinstance(base, ast.Attribute) and self.holds(base)
                held = dotted(base) in self.indices
                return (shape or held) and all(map(self.holds, within))
            case ast.BinOp(left, op, right):
                plain = not isinstance(op, (ast.Div, ast.MatMult))
                return plain and self.holds(left) and self.holds(right)
            case ast.Call(ast.Name(name), [ast.Name(array)], []) if name == "len":
                return array in self.given
            case ast.Call(function, arguments, []):
                row = lookup(self.scope.resolve(function))
                known = row.module == "builtins" and row.integer is not When.NEVER
                known = known or row.name == "builtins.range"
                return known and all(map(self.holds, arguments))
            case ast.UnaryOp() | ast.BoolOp() | ast.Compare() | ast.IfExp():
                parts = (n for n in ast.iter_child_nodes(node))
                return all(self.holds(n) for n in parts if isinstance(n, ast.expr))
            case ast.Tuple(elements):
                return all(map(self.holds, elements))
        return False

    def cell(self, node: ast.expr) -> ast.Subscript:
        """``A[i, j]`` as ``A[i][j]``.

        Raises:
            Unfit: it is no cell of an array at integers.
        """
        if not isinstance(node, ast.Subscript):
            raise Unfit
        base, within = subscripts(node)
        if isinstance(base, ast.Name) and base.id in self.scalars:
            if not all(map(self.holds, within)):
                raise Unfit
            key = ast.Tuple([self.plain(one) for one in within], ast.Load())
            return ast.Subscript(base, key, ast.Load())
        whole = isinstance(base, ast.Name) and self.ranks.get(base.id) == len(within)
        if not whole or not all(map(self.holds, within)):
            raise Unfit
        # An array without axes is a list of one.
        made: ast.expr = base
        for one in within or [ast.Constant(0)]:
            made = ast.Subscript(made, self.plain(one), ast.Load())
        assert isinstance(made, ast.Subscript)
        return made

    def plain(self, node: ast.expr) -> ast.expr:
        """An expression of integers, computed as it is."""
        made = _Plain(self).visit(copy.deepcopy(node))
        assert isinstance(made, ast.expr)
        return made

    def _local_arrays(self, definition: Function) -> dict[str, int]:
        """The ranks of the arrays that the function makes."""
        found = {}
        for node in ast.walk(definition):
            match node:
                case ast.Assign([ast.Name(name)], ast.Call(function, [shape, *_])):
                    if self.scope.resolve(function) in MADE:
                        listed = shape.elts if isinstance(shape, ast.Tuple) else [shape]
                        found[name] = len(listed)
        return found

    def _spread(self, definition: Function) -> None:
        """Find the names that hold values: what they are assigned is no integer."""
        before = -1
        while before != len(self.values):
            before = len(self.values)
            for node in ast.walk(definition):
                if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
                    targets = getattr(node, "targets", None) or [node.target]  # type: ignore[union-attr]
                    if node.value is not None and not self.holds(node.value):
                        names = (part for t in targets for part in ast.walk(t))
                        self.values.update(
                            part.id
                            for part in names
                            if isinstance(part, ast.Name)
                            and isinstance(part.ctx, ast.Store)
                            and part.id not in self.ranks
                        )


def _dictionaries(definition: Function) -> set[str]:
    """The names that are assigned an empty dictionary."""
    return {
        target.id
        for node in ast.walk(definition)
        if isinstance(node, ast.Assign) and ast.unparse(node.value) == "{}"
        for target in node.targets
        if isinstance(target, ast.Name)
    }


class _Plain(ast.NodeTransformer):
    """Shapes and cells of index arrays within expressions of integers."""

    def __init__(self, known: Integral) -> None:
        self.known = known

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if isinstance(subscripts(node)[0], ast.Name):
            return self.known.cell(node)
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Call):
            return self.generic_visit(node)
        return ast.Name(SHAPE + dotted(node.value), ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(ast.Name("len"), [ast.Name(array)]):
                shape = ast.Name(SHAPE + array, ast.Load())
                return ast.Subscript(shape, ast.Constant(0), ast.Load())
        return self.generic_visit(node)
