"""Where the arrays of a function stand: what of them is seen there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from looptx.model.functions import Kind, lookup, lookup_method
from looptx.model.noted.exchanges import exchanged
from looptx.model.trees import children
from looptx.source.ast_tools import LOOPS, walked
from looptx.source.names.arrays import SIZES
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import reads

_NUMBERS = (ast.BinOp, ast.UnaryOp, ast.Compare)


class Uses:
    """The uses of the names of one function.

    Args:
        function: it. scope: its names.

    Attributes:
        nodes: all of it. outside: what each of them stands in.
    """

    def __init__(self, function: Function, scope: Scope) -> None:
        self.function = function
        self.scope = scope
        self.nodes = walked(function)
        self.outside = {x: node for node in self.nodes for x in children(node)}

    @cached_property
    def _named(self) -> dict[str, list[ast.Name]]:
        found: dict[str, list[ast.Name]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Name):
                found.setdefault(node.id, []).append(node)
        return found

    def named(self, name: str) -> list[ast.Name]:
        """Where a name stands."""
        return self._named.get(name, [])

    def outermost(self) -> Iterator[ast.stmt]:
        """The loops of the function that are in no other one."""
        inside: set[ast.AST] = set()
        for node in own_nodes(self.function):
            if isinstance(node, LOOPS) and node not in inside:
                inside.update(walked(node))
                yield node

    def is_of_elements(self, use: ast.Name) -> bool:
        """Whether a name stands where the order of the elements does not matter."""
        node: ast.AST = self.outside[use]
        if isinstance(node, ast.Subscript):
            return node.value is use
        while isinstance(node, _NUMBERS) or self._is_elementwise(node):
            node = self.outside[node]
        return isinstance(node, ast.Assign | ast.AugAssign)

    def _is_elementwise(self, node: ast.AST) -> bool:
        """Whether it is a call of a function of NumPy that takes arrays apart."""
        if not isinstance(node, ast.Call) or node.keywords:
            return False
        row = lookup(self.scope.resolve(node.func))
        return row.kind is Kind.ELEMENTWISE and row.fresh

    def is_size(self, use: ast.Name) -> bool:
        """Whether an array is asked, by a name, for what others are made like."""
        outer = self.outside[use]
        match outer:
            case ast.Attribute(attr=attr, ctx=ast.Load()):
                called = self.outside[outer]
                own = isinstance(called, ast.Call) and called.func is outer
                return attr in SIZES - {"strides"} and not own
            case ast.Call(function) if function is not use:
                full = self.scope.resolve(function)
                return full == "builtins.len" or lookup(full).like
        return False

    def is_seen(self, use: ast.Name) -> bool:
        """Whether a name stands where nothing but elements of an array is seen."""
        outer = self.outside[use]
        match outer:
            case ast.Subscript(value) if value is use:
                return True
            case ast.Subscript(_, places, ast.Load()) if places is use:
                return True
            case ast.Attribute(attr=attr, ctx=ast.Load()):
                called = self.outside[outer]
                if isinstance(called, ast.Call) and called.func is outer:
                    return lookup_method(attr).kind is Kind.REDUCTION
                return attr in SIZES - {"strides"}
            case ast.Call(function) if function is not use:
                full = self.scope.resolve(function)
                known = (Kind.REDUCTION, Kind.ELEMENTWISE)
                number = lookup(full).kind in known and lookup(full).fresh
                number |= lookup(full).looks or reads(outer)
                return full == "builtins.len" or number or not full
            case ast.Assign([ast.Subscript()]) | ast.AugAssign(ast.Subscript()):
                return bool(outer.value is use)
            case ast.Tuple():
                return bool(exchanged(self.outside[outer]))
        return isinstance(outer, _NUMBERS)
