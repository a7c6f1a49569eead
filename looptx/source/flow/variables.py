"""The variables of a module: their scopes, and everything they are bound to."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping

from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.flow.places import GLOBALS
from looptx.source.names.assignments import Assignment, assignments
from looptx.source.names.imports import FUNCTIONS
from looptx.source.names.namespaces import Namespace, namespaces

_ARITHMETIC = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)
_TRANSPARENT = ("looptx.", "numba.", "builtins.staticmethod", "builtins.classmethod")


class Variables:
    """The variables of all namespaces of a module.

    Attributes:
        spaces: the namespaces, outer ones first.
        bindings: by the namespace that they are evaluated in.
        exchanged: by ``key``, the names of all that are exchanged with one, itself
            included, with the namespaces they are seen from.
        methods: the functions that classes of the module define, by name.
    """

    def __init__(self, tree: ast.Module, imports: Mapping[str, str]) -> None:
        self.spaces = namespaces(tree, imports)
        self.bindings: dict[Namespace, list[Assignment]] = {}
        self.exchanged: dict[str, dict[str, tuple[str, Namespace]]] = {}
        self.methods: dict[str, list[Namespace]] = defaultdict(list)
        self._by_node = {space.node: space for space in self.spaces}
        self._families: dict[Namespace, Namespace] = {}
        self._sources: dict[tuple[Namespace, str], list[tuple[Namespace, Assignment]]]
        self._sources = defaultdict(list)
        found = {
            space: [one for node in space.nodes for one in assignments(node)]
            for space in self.spaces
        }
        for space in self.spaces:
            self.bindings[space] = [one for one in found[space] if not one.swap]
            for binding in self.bindings[space]:
                if isinstance(binding.target, str):
                    at = space.home(binding.target), binding.target
                    self._sources[at].append((space, binding))
            around = space.outer.node if space.outer else None
            if isinstance(around, ast.ClassDef) and isinstance(space.node, FUNCTIONS):
                self.methods[space.node.name].append(space)
        for space in self.spaces:
            if isinstance(space.node, ast.ClassDef):
                self._join(space)
            for swap in found[space]:
                if swap.swap:
                    self._exchange(swap, space)

    def inside(self, node: ast.AST) -> Namespace:
        """The namespace of a function, lambda or class."""
        return self._by_node[node]

    def own(self, home: Namespace, name: str) -> str:
        """The place of what a variable gets from outside, or empty.

        Other modules may give a variable of the module a value, and a function inside
        another one of its own.
        """
        sources = self._sources.get((home, name), [])
        if name in home.arguments:
            return self.parameter(home, name)
        if home.imports.get(name, "").partition(".")[0] == "__main__":
            return GLOBALS
        if home.outer is None:
            plain = sources and all(_is_plain(binding) for _, binding in sources)
            return "" if plain else name
        return home.label + name if any(s is not home for s, _ in sources) else ""

    def key(self, name: str, space: Namespace) -> str:
        """A key that identifies a variable or an attribute within the module."""
        first, *attributes = name.split(".")
        home = space.home(first)
        start = self.own(home, first) or home.label + first
        return ".".join((start, *attributes))

    def _exchange(self, swap: Assignment, space: Namespace) -> None:
        assert isinstance(swap.value, ast.AST)
        names = swap.name, dotted(swap.value)
        group = {self.key(name, space): (name, space) for name in names}
        for key in list(group):
            group.update(self.exchanged.get(key, {}))
        self.exchanged.update(dict.fromkeys(group, group))

    def definitions(
        self, function: ast.expr, space: Namespace
    ) -> tuple[list[Namespace], bool]:
        """The functions and classes of the module that an expression may stand for.

        The flag tells whether it surely is one of these, and called directly.
        """
        if isinstance(function, ast.Lambda):
            return [self.inside(function)], True
        if not isinstance(function, ast.Name):
            return [], False
        home = space.home(function.id)
        sources = self._sources.get((home, function.id), [])
        values = [binding.value for _, binding in sources]
        nodes = [value for value in values if value in self._by_node]
        known = len(nodes) == len(values) and function.id not in home.arguments
        direct = all(is_direct(node, home) for node in nodes)
        return [self._by_node[node] for node in nodes], bool(nodes and known and direct)

    def parameter(self, function: Namespace, name: str) -> str:
        """The place of an argument; all methods of a class are called on one object."""
        if name == function.receiver and function.outer:
            return self.itself(function.outer)
        return function.label + name

    def itself(self, class_: Namespace) -> str:
        """The place of the object that methods of a class, or of its bases, see."""
        return f"{self._families[class_].label}self"

    @property
    def selves(self) -> frozenset[str]:
        """The places of the objects that methods see."""
        return frozenset(map(self.itself, self._families))

    def relatives(self, class_: Namespace) -> list[Namespace]:
        """A class of the module, those it inherits from, and all of these."""
        first = self._families[class_]
        return [one for one, other in self._families.items() if other is first]

    def _join(self, class_: Namespace) -> None:
        """Join a class with its bases in the module."""
        self._families[class_] = class_
        for base in class_.bases:
            for other in self.definitions(base, class_.outer or class_)[0]:
                if other in self._families:
                    family = self.relatives(other)
                    for one in self.relatives(class_):
                        self._families[one] = self._families[family[0]]

    def members(self, space: Namespace) -> Iterator[str]:
        """The names that a class binds to anything but functions and classes."""
        for binding in self.bindings[space]:
            if isinstance(binding.target, str) and binding.value not in self._by_node:
                yield binding.target


def is_direct(node: ast.AST | str, home: Namespace) -> bool:
    """Whether a function or class is no other than it is written: by decorators."""
    return all(
        home.resolve(one.func if isinstance(one, ast.Call) else one).startswith(
            _TRANSPARENT
        )
        for one in getattr(node, "decorator_list", ())
    )


def _is_plain(binding: Assignment) -> bool:
    """Whether a variable of a module is a function, a class, an import, or a number."""
    value = binding.value
    if isinstance(value, ast.Constant):
        return value.value is not None
    if isinstance(value, ast.BinOp | ast.UnaryOp):
        return all(isinstance(node, _ARITHMETIC) for node in walked(value))
    return not isinstance(value, ast.expr) or isinstance(value, ast.Lambda)
