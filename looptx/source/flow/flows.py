"""How values go through a module: what is bound, stored and called, until no more."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator, Mapping

from looptx.model.functions import lookup_method
from looptx.model.trees import dotted
from looptx.source.flow.fresh import is_fresh
from looptx.source.flow.heap import RETURNED, VARIABLE, Heap
from looptx.source.flow.passing import defaults
from looptx.source.flow.places import (
    ANYTHING,
    GLOBALS,
    Places,
    bound,
    is_list,
    is_object,
)
from looptx.source.flow.points import MODULES, Points
from looptx.source.flow.variables import Variables
from looptx.source.kinds.integers import Kinds
from looptx.source.names.arrays import TELLING
from looptx.source.names.assignments import Assignment
from looptx.source.names.imports import FUNCTIONS
from looptx.source.names.namespaces import Namespace
from looptx.source.names.scope import surveyed

_NUMERIC = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant, ast.JoinedStr)


class Flows:
    """The values of a module's variables, and of what its memory holds.

    Args:
        tree: the module.
        imports: what names mean in it.
    """

    def __init__(self, tree: ast.Module, imports: Mapping[str, str]) -> None:
        self.variables = variables = Variables(tree, imports)
        self.heap = Heap()
        self.kinds = functools.cache(_kinds)
        self.points = Points(variables, self.heap, self.kinds)
        self._arrays = {space: frozenset(_arrays(space)) for space in variables.spaces}
        self.heap.wait(variables.spaces)
        while (space := self.heap.next_waiting()) is not None:
            self.points.known.clear()
            with self.heap.reading(space):
                self._round(space)

    def _round(self, space: Namespace) -> None:
        for binding in self.variables.bindings[space]:
            self._bind(binding, space)
        for name, value in defaults(space).items():
            assert space.outer
            found = self._value(value, space.outer)
            self.heap.add(VARIABLE, (space, name), found)
        for node in space.nodes:
            match node:
                case ast.Call():
                    try:
                        self._call(node, space)
                    except RecursionError:
                        self.heap.put(GLOBALS, (ANYTHING,))
                case (
                    ast.Return(ast.expr() as value)
                    | ast.Yield(ast.expr() as value)
                    | ast.YieldFrom(value)
                ):
                    found = self._value(value, space)
                    self.heap.add(RETURNED, space, found)
        if isinstance(space.node, ast.Lambda):
            found = self._value(space.node.body, space)
            self.heap.add(RETURNED, space, found)

    def _value(self, value: ast.AST | str | None, space: Namespace) -> Places:
        """What an expression may be; anything where it is nested too deeply."""
        if value is None or isinstance(value, str):
            return frozenset((value or ANYTHING,))
        try:
            return self.points.of(value, space)
        except RecursionError:
            return frozenset((ANYTHING,))

    def _bind(self, binding: Assignment, space: Namespace) -> None:
        target = binding.target
        value = self._value(binding.value, space)
        if binding.part and isinstance(binding.value, ast.expr):
            name = target if isinstance(target, str) else ""
            value = self.points.part(binding.value, value, name)
        match target:
            case str(name):
                self.heap.add(VARIABLE, (space.home(name), name), value)
            case ast.Attribute(base, attribute):
                for place in self.heap.actual(self._value(base, space)):
                    self.heap.give(place, attribute, value)
            case ast.Subscript(base):
                if self._is_list(target, space) and self._is_whole(
                    binding.value, value, space
                ):
                    slices = isinstance(target.slice, ast.Slice)
                    held = self.heap.held(value) if slices else value
                    self._store(base, held, space)

    def _store(self, base: ast.expr, value: Places, space: Namespace) -> None:
        """Put something into what may be a list; what comes from outside is an array.

        An array keeps no other: it copies what is stored.
        """
        for place in self.heap.actual(self._value(base, space)):
            if is_object(place) or place in self.variables.selves:
                self.heap.put(place, value)

    def _is_list(self, target: ast.Subscript, space: Namespace) -> bool:
        """Whether the target of an assignment may be an element of a list."""
        kinds = self.kinds(space)
        mask = kinds is not None and dotted(target.slice) in kinds.arrays
        arrays = isinstance(target.slice, ast.Tuple | ast.Compare) or mask
        return not arrays and dotted(target.value) not in self._arrays[space]

    def _is_whole(
        self, value: ast.AST | str | None, places: Places, space: Namespace
    ) -> bool:
        """Whether what is stored may be an array: no number, as far as is known."""
        kinds = self.kinds(space)
        match value:
            case ast.Subscript():
                return kinds is not None and not self._is_element(value, space)
            case ast.Name() | ast.Attribute():
                return kinds is None or dotted(value) not in kinds.integers
            case ast.IfExp(_, first, other):
                return any(self._is_whole(v, places, space) for v in (first, other))
            case ast.BoolOp(_, values):
                return any(self._is_whole(v, places, space) for v in values)
        return not isinstance(value, _NUMERIC) or bool(self.heap.held(places))

    def _is_element(self, value: ast.expr, space: Namespace) -> bool:
        """Whether an expression is known to be one element of an array: a number."""
        kinds = self.kinds(space)
        if not isinstance(value, ast.Subscript) or kinds is None:
            return False
        held = self.heap.held(filter(is_list, self.points.of(value.value, space)))
        return not held and not kinds.may_be_view(value)

    def _call(self, call: ast.Call, space: Namespace) -> None:
        """What a call gives to parameters, and stores in objects that it can reach."""
        functions, classes, definite = self.points.callees(call, space)
        if is_fresh(call, space) and not functions:
            return
        for function in (*functions, *self._starts(classes)):
            for place, values in self.points.given(call, function).items():
                whole = (each for each in values if not self._is_element(each, space))
                self.heap.hand(place, self.points.all(whole, space))
        given = self.points.arguments(call, space)
        for function in self._handed(call, space):
            for name in function.arguments:
                place = self.variables.parameter(function, name)
                self.heap.hand(place, given)
        name = space.resolve(call.func)
        if name in ("builtins.exec", "builtins.setattr"):
            self._by_name(name, call, space)
        elif self._may_keep(call, name, definite):
            self._unknown(call, given, space)

    def _may_keep(self, call: ast.Call, name: str, definite: bool) -> bool:
        """Whether a call may store what it is given in what it is given."""
        known = definite or (name.startswith(MODULES) and name.count(".") == 1)
        handed = (getattr(value, "attr", "") for value in call.args)
        return not known or any(lookup_method(attribute).keeps for attribute in handed)

    def _unknown(self, call: ast.Call, given: Places, space: Namespace) -> None:
        """Another function may keep what it is given in what it is given."""
        method = isinstance(call.func, ast.Attribute)
        called = () if method else bound(self.points.of(call.func, space))
        filled = set(filter(is_object, self.heap.actual(given.union(called))))
        if isinstance(call.func, ast.Attribute):
            on = self.heap.actual(self.points.of(call.func.value, space))
            keeps = lookup_method(call.func.attr).keeps
            filled.update(on if keeps else filter(is_object, on))
        for place in filled:
            self.heap.put(place, given)

    def _by_name(self, name: str, call: ast.Call, space: Namespace) -> None:
        """``exec`` and ``setattr`` say in a text what gets a value."""
        values = [self.points.of(value, space) for value in call.args]
        if name == "builtins.exec":
            for place in frozenset[str]().union(*values[1:]) or (GLOBALS,):
                self.heap.put(place, (ANYTHING,))
        elif len(values) == 3:
            for place in self.heap.actual(values[0]):
                match call.args[1]:
                    case ast.Constant(str(attribute)):
                        self.heap.give(place, attribute, values[2])
                    case _:
                        self.heap.put(place, values[2])

    def _starts(self, classes: Iterable[Namespace]) -> Iterator[Namespace]:
        """The methods that get what a call of a class is given."""
        family = {one for made in classes for one in self.variables.relatives(made)}
        for start in self.variables.methods.get("__init__", ()):
            if start.outer in family:
                yield start

    def _handed(self, call: ast.Call, space: Namespace) -> Iterator[Namespace]:
        """The functions of the module that a call hands over."""
        for value in (*call.args, *(keyword.value for keyword in call.keywords)):
            found, _ = self.variables.definitions(value, space)
            yield from (each for each in found if each.is_call)


def _kinds(space: Namespace) -> Kinds | None:
    """What the names of a function are, if it has loops and so may have nests."""
    loops = any(isinstance(node, ast.For) for node in space.nodes)
    if not loops or not isinstance(space.node, FUNCTIONS) or space.outer is None:
        return None
    return Kinds(surveyed(space.node, space.outer.imports))


def _arrays(space: Namespace) -> Iterator[str]:
    """The names that a namespace uses as no list can be used."""
    for node in space.nodes:
        match node:
            case ast.Subscript(value, ast.Tuple()):
                yield dotted(value)
            case ast.Attribute(value, attribute) if attribute in TELLING:
                yield dotted(value)
