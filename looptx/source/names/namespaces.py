"""The namespaces of a module: whose variable a name is.

Comprehensions are taken for a part of the namespace they stand in.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from looptx.source.names.imports import (
    FUNCTIONS,
    SCOPES,
    arguments,
    bound_names,
    own_nodes,
    resolve,
    scope_imports,
)


class Namespace:
    """A module, or a function, lambda or class in it.

    Attributes:
        node: its syntax tree.
        outer: the namespace around it; None for the module.
        nodes: what is evaluated in it; a function or class inside stands for itself.
        imports: what names mean in it.
        label: begins the names of its arguments' memory; no other namespace has it.
        arguments: the names of a function's arguments, in order.
        decorators: of a function or class. bases: of a class.
    """

    def __init__(
        self, node: ast.AST, outer: Namespace | None, imports: Mapping[str, str]
    ) -> None:
        self.node = node
        self.outer = outer
        self.imports = imports
        body = [node.body] if isinstance(node, ast.Lambda) else node.body  # type: ignore[attr-defined]
        self.nodes = [part for one in body for part in own_nodes(one, enter=False)]
        self.label = f"{node.lineno}:{node.col_offset}:" if outer else ""  # type: ignore[attr-defined]
        self.arguments: list[str] = []
        if isinstance(node, FUNCTIONS | ast.Lambda):
            self.arguments = [one.arg for one in arguments(node)]
        self.decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        self.bases: list[ast.expr] = getattr(node, "bases", [])
        self._declared = {
            name: isinstance(part, ast.Global)
            for part in self.nodes
            if isinstance(part, ast.Global | ast.Nonlocal)
            for name in part.names
        }
        self._bound = {*self.arguments, *bound_names(self.nodes)}

    @property
    def is_call(self) -> bool:
        """Whether it is that of a function or lambda: one for each call."""
        return isinstance(self.node, FUNCTIONS | ast.Lambda)

    @property
    def receiver(self) -> str:
        """The name of the object that a method is called on, or empty."""
        if self.outer is None or not isinstance(self.outer.node, ast.ClassDef):
            return ""
        static = any(
            self.outer.resolve(one) == "builtins.staticmethod"
            for one in self.decorators
        )
        return self.arguments[0] if self.arguments and not static else ""

    def resolve(self, node: ast.AST) -> str:
        """The full name an expression stands for, empty when unknown."""
        return resolve(node, self.imports)

    def home(self, name: str) -> Namespace:
        """The namespace that has a variable of this name, seen from here."""
        around: Namespace | None = self
        while around is not None and around.outer is not None:
            visible = around is self or around.is_call
            if visible and around._declared.get(name):
                break
            if visible and name in around._bound and name not in around._declared:
                return around
            around = around.outer
        return self.module

    @property
    def module(self) -> Namespace:
        """The outermost one."""
        return self.outer.module if self.outer else self

    def around(self) -> Iterator[Namespace]:
        """It, and those it stands in, from the inside."""
        yield self
        if self.outer:
            yield from self.outer.around()


def namespaces(tree: ast.Module, imports: Mapping[str, str]) -> list[Namespace]:
    """All namespaces of a module, outer ones first; ``imports`` are the module's."""
    found = [Namespace(tree, None, imports)]
    for space in found:
        known = space.imports
        if space.outer and isinstance(space.node, ast.ClassDef):
            known = space.outer.imports
        for node in space.nodes:
            if isinstance(node, SCOPES):
                found.append(Namespace(node, space, scope_imports(node, known)))
    return found
