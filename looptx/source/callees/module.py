"""The functions of a module that its own functions call.

Only those count that the module binds once: another binding would mean another
function at some time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TypeGuard

from looptx.errors import Place
from looptx.model.callees.callee import Callee
from looptx.source.ast_tools import walked
from looptx.source.callees.expressions import RECURSIVE
from looptx.source.callees.reading import HINT, Text, callee_of, is_number
from looptx.source.names.imports import (
    FUNCTIONS,
    bound_names,
    own_nodes,
    resolve,
    stored,
)
from looptx.source.names.scope import Function

OWN = "."
"""Begins the full name of what a module defines itself."""


class Functions:
    """The functions on the level of a module.

    Args:
        tree: the module. file: what places call it.
        imports: what its names mean.
        given: functions outside of the module, by their full names.

    Attributes:
        imports: full names of the functions, by name. outer: what other names mean.
    """

    def __init__(
        self,
        tree: ast.Module,
        file: str,
        imports: Mapping[str, str],
        given: Mapping[str, Callee] | None = None,
    ) -> None:
        self._file = file
        self._given = given or {}
        self.outer = dict(imports)
        nodes = [node for node in own_nodes(tree) if node is not tree]
        names = [*bound_names(nodes), *_global(tree), *stored(tree)]
        last = max((x.lineno for x in nodes if _is_star(x)), default=0)
        self._bound = frozenset(names)
        self._nodes: dict[str, Function] = {
            node.name: node
            for node in tree.body
            if isinstance(node, FUNCTIONS)
            and names.count(node.name) == 1
            and node.lineno > last
        }
        self._constants = [
            (stmt.targets[0].id, stmt.value, stmt.lineno)
            for stmt in tree.body
            if isinstance(stmt, ast.Assign)
            and isinstance(stmt.targets[0], ast.Name)
            and is_number(stmt.value)
            and names.count(stmt.targets[0].id) == 1
        ]
        self._read: dict[str, Callee] = {}
        self._reading: list[str] = []
        self.imports = {name: f"{OWN}{name}" for name in self._nodes}

    def get(self, full: str) -> Callee | None:
        """A function by its full name."""
        name = full.removeprefix(OWN)
        return self.callee(name) if full.startswith(OWN) else None

    def seen(
        self, given: Mapping[str, Callee], caller: str, full: str
    ) -> Callee | None:
        """A function that another one calls.

        Args:
            given: functions outside of the module, by their full names; behind the name
                of the caller where these are its own.
            caller: the qualified name of the one that calls.
            full: the full name of what it calls.
        """
        for name in (full, f"{caller}{full}"):
            if name in given:
                return given[name]
        callee = self.get(full)
        if callee is not None and "<locals>" in caller:
            # A function around may have other variables of these names.
            return callee.seen_from(callee.reads)
        return callee

    def callee(self, name: str) -> Callee | None:
        """A function by its (dotted) name."""
        node = self._nodes.get(name)
        if node is None:
            head, dot, rest = name.partition(".")
            return self._given.get(self.outer.get(head, head) + dot + rest)
        if name in self._reading:
            place = Place(self._file, node.lineno, node.col_offset + 1)
            return Callee(name, place, refused=RECURSIVE, hint=HINT)
        if name not in self._read:
            self._reading.append(name)
            self._read[name] = callee_of(self._text(name, node))
            self._reading.pop()
        return self._read[name]

    def number(self, name: str) -> ast.expr | None:
        """A number of the module is what the name holds while a kernel runs."""
        return ast.Name(name, ast.Load()) if name in self._bound else None

    def _text(self, name: str, node: Function) -> Text:
        others = (
            one
            for one in node.decorator_list
            if not _is_kernel(
                one.func if isinstance(one, ast.Call) else one, self.outer
            )
        )
        decorated = next(others, None) is not None
        # A default is what the name is where the function is defined.
        constants = {
            constant: value
            for constant, value, line in self._constants
            if line < node.lineno
        }
        return Text(
            node,
            self._file,
            name,
            self.outer,
            self,
            decorated=decorated,
            constants=constants,
        )


def _is_kernel(decorator: ast.expr, imports: Mapping[str, str]) -> bool:
    full = resolve(decorator, imports)
    return full.partition(".")[0] == "looptx" and full.rpartition(".")[2] == "kernel"


def _is_star(node: ast.AST) -> TypeGuard[ast.ImportFrom]:
    """Whether an import binds names that it does not say."""
    return isinstance(node, ast.ImportFrom) and node.names[0].name == "*"


def _global(tree: ast.Module) -> Iterator[str]:
    """The names that functions declare to be those of the module."""
    for node in walked(tree):
        if isinstance(node, ast.Global):
            yield from node.names
