"""Which names hold integers where a nest starts, as far as the function says it.

A name holds what one of the assignments gave it that may be the last before the nest
(reaching definitions: Allen, Cocke, *A program data flow analysis procedure*, 1976).
Whatever is not seen to be an integer may be anything.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import reduce

from looptx.source.ast_tools import walked
from looptx.source.names.calls import INTEGER_TYPES
from looptx.source.names.imports import dotted
from looptx.source.names.integers import Kinds
from looptx.source.names.scope import Binding
from looptx.source.names.subscripts import elements, subscripts
from looptx.source.names.way import way

Start = frozenset[str] | None
"""The arrays whose elements have to be integers for a value to be one; None: it may be
something else all the same."""

Starts = dict[str, Start]

INTEGER: Start = frozenset()
"""That of an integer, whatever the arrays hold."""


def starts(
    kinds: Kinds, root: ast.For | ast.If, names: Iterable[str]
) -> dict[str, frozenset[str]]:
    """What makes names integers where a nest starts.

    Args:
        kinds: what names of the function are.
        root: the nest.
        names: those that are asked about.

    Returns:
        For each name that is an integer the arrays whose elements must be integers for
        that. What is left out may be anything.
    """
    found = _Way(kinds, root).starts(names)
    return {name: start for name, start in found.items() if start is not None}


class _Way:
    """The way through a function to one of its nests."""

    def __init__(self, kinds: Kinds, root: ast.For | ast.If) -> None:
        self.scope = kinds.scope
        self.kinds = kinds
        self.root = root
        self.known = self._seen(kinds.always(root))

    def _seen(self, names: frozenset[str]) -> frozenset[str]:
        """Those of some integers whose values are seen to be, where they have any.

        The annotation of a local variable says nothing of what it gets.
        """
        while True:
            kept = frozenset(
                name
                for name in names
                if all(
                    one.value is None
                    or one.kind != "value"
                    or self.kinds.is_integer(one.value, names)
                    for one in self.scope.bindings.get(name, [])
                )
            )
            if kept == names:
                return names
            names = kept

    def _given(self, name: str) -> Start:
        """What a name holds when the function is called."""
        bindings = self.scope.bindings.get(name, [])
        first = [one for one in bindings if one.kind == "arg"]
        if name in self.known:
            return INTEGER
        if not bindings or name in self.scope.foreign:
            return None
        return INTEGER if all(map(self.kinds.is_declared, first)) else None

    def starts(self, names: Iterable[str]) -> Starts:
        """What names hold where the nest starts."""
        found = {name: self._given(name) for name in names}
        for step in way(self.scope.function, self.root):
            around = step.around
            if around is not self.scope.function:
                # The nest may come after any statement of a loop around it, and after
                # a part of any other block.
                before = around.test if isinstance(around, ast.If) else around
                found |= self._maybe(before, found)
            for stmt in step.before:
                found |= self._after(stmt, found)
        return found

    def _after(self, stmt: ast.stmt, starts: Mapping[str, Start]) -> Starts:
        """What the names that a statement binds hold after it."""
        found = self._maybe(stmt, starts)
        if isinstance(stmt, ast.Assign | ast.AnnAssign | ast.AugAssign):
            for name in found:
                binding, *more = self.scope.bound_in(stmt)[name]
                if not more:
                    found[name] = self._bound(binding, name, starts[name])
        return found

    def _maybe(self, node: ast.AST, starts: Mapping[str, Start]) -> Starts:
        """What names hold after some of what binds them, once or again and again.

        An integer stays one where every binding makes one of it.
        """
        bound = self.scope.bound_in(node)
        found: Starts = {}
        for name in bound.keys() & starts.keys() - self.known - self.scope.foreign:
            given = (self._bound(one, name, INTEGER) for one in bound[name])
            found[name] = reduce(_both, given, starts[name])
        return found

    def _bound(self, binding: Binding, name: str, own: Start) -> Start:
        """What a binding gives a name that held ``own``."""
        value = binding.value
        declared = value is None and self.kinds.is_declared(binding)
        if binding.kind == "range" or declared:
            return INTEGER
        if binding.kind == "other" or value is None:
            return None
        if own is None or all(dotted(node) != name for node in walked(value)):
            return self._of(value, self.known)
        return _both(own, self._of(value, self.known | {name}))

    def _of(self, value: ast.expr, known: frozenset[str]) -> Start:
        """What makes an expression an integer, given the names that are."""
        made = value.func if isinstance(value, ast.Call) else value
        if made is not value and self.scope.resolve(made) in INTEGER_TYPES:
            return INTEGER
        arrays = frozenset(
            dotted(subscripts(node)[0])
            for node in walked(value)
            if isinstance(node, ast.Subscript)
        )
        for read in (frozenset[str](), arrays):
            held = frozenset(map(elements, filter(self._stays, read)))
            if self.kinds.is_integer(value, known | held):
                return read
        return None

    def _stays(self, array: str) -> bool:
        """Whether a name means the same array from its first binding on."""
        bindings = self.scope.bindings.get(array, [])
        return len(bindings) <= 1 and array not in self.scope.foreign


def _both(one: Start, other: Start) -> Start:
    return None if one is None or other is None else one | other
