"""The functions that a function defines itself, as ``def`` or by ``lambda``.

What they take from the function around them is what it is when they are called. Numbers
of it keep their names; an array, and what an object holds, is an argument that is not
written, whose default is what the call sees (Johnsson, "Lambda lifting", 1985).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence

from looptx.errors import Place
from looptx.model.callees.callee import Callee
from looptx.model.records import dataclass, field, replace
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.callees.expressions import RECURSIVE
from looptx.source.callees.reading import (
    HINT,
    Text,
    callee_of,
    is_number,
    written_defaults,
)
from looptx.source.names.captures import captured
from looptx.source.names.imports import arguments, bound_names, own_nodes
from looptx.source.names.scope import Function, Known, Scope


def defined_in(scope: Scope, known: Known) -> Callable[[str, ast.AST], Callee | None]:
    """Finds the functions that a function defines before a part of it runs.

    Args:
        scope: the function. known: finds others by their full names.
    """
    return _Inside(scope, known).get


@dataclass
class _Inside:
    """The functions on the level of a function's own statements.

    Attributes:
        scope: the function. known: finds functions outside of it by their full names.
    """

    scope: Scope
    known: Known
    _read: dict[str, Callee] = field(default_factory=dict)
    _reading: list[str] = field(default_factory=list)

    def get(self, name: str, before: ast.AST) -> Callee | None:
        """A function that is defined by name before a part of the function runs."""
        node = self._nodes().get(name)
        end = getattr(node, "end_lineno", None) or 0
        if node is None or end >= getattr(before, "lineno", 0):
            return None
        return self._callee(name, node)

    def callee(self, name: str) -> Callee | None:
        """What one of them calls: another one above it, or one from outside."""
        nodes = self._nodes()
        if name not in nodes:
            node = ast.parse(name, mode="eval").body
            found = self.known(self.scope.resolve(node))
            return found and found.seen_from(self.scope.bindings)
        if name in self._reading:
            place = Place("", nodes[name].lineno)
            return Callee(name, place, refused=RECURSIVE, hint=HINT)
        found = self.get(name, nodes[self._reading[-1]])
        if found is None or all(map(is_number, found.defaults.values())):
            return found
        return replace(found, refused="takes arrays or objects from around it")

    def number(self, name: str) -> ast.expr | None:
        """A number of the function around, or of its module."""
        return None if "." in name else ast.Name(name, ast.Load())

    def _nodes(self) -> dict[str, ast.FunctionDef]:
        many = self.scope.bindings.items()
        single = frozenset(name for name, all in many if len(all) == 1)
        single -= self.scope.foreign
        return dict(_defined(self.scope.function.body, single))

    def _callee(self, name: str, node: ast.FunctionDef) -> Callee:
        if name not in self._read:
            self._reading.append(name)
            self._read[name] = self._lifted(node)
            self._reading.pop()
        return self._read[name]

    def _lifted(self, node: ast.FunctionDef) -> Callee:
        """A function with what it takes from around it as arguments."""
        imports = self.scope.imports
        free = captured(node) - imports.keys()
        taken = {dotted(one): one for one in _taken(node, free)}
        lifted = _Lifted(taken).visit(copy.deepcopy(node))
        lifted.args.kwonlyargs += map(ast.arg, taken)
        lifted.args.kw_defaults += [None] * len(taken)
        defaults = {**dict(written_defaults(node)), **taken}
        own = f"{node.name} 0"
        callee = callee_of(Text(lifted, "", own, imports, self, defaults))
        used = callee.reads | {name.partition(".")[0] for name in taken}
        for name in sorted(used & _moving(self.scope.function)):
            reason = f"takes `{name}` from around it, which a loop changes"
            hint = f"give `{name}` to it as an argument"
            return replace(callee, refused=reason, hint=hint)
        written = {one.arg for one in arguments(node)}
        keywords = {x: y for x, y in callee.keywords.items() if x in written}
        return replace(callee, keywords=keywords)


def _moving(function: Function) -> frozenset[str]:
    """The names that loops of a function bind: others may stand for them later."""
    loops = [one for one in own_nodes(function) if isinstance(one, ast.For | ast.While)]
    return frozenset(bound_names([part for one in loops for part in own_nodes(one)]))


def _defined(
    body: Sequence[ast.stmt], single: frozenset[str]
) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions that statements define, by name.

    Args:
        body: the statements. single: the names that may be of one.
    """
    for node in body:
        match node:
            case ast.FunctionDef(name, decorator_list=[]) if name in single:
                yield name, node
            case ast.Assign([ast.Name(name)], ast.Lambda(given, value)):
                if name in single:
                    result = ast.copy_location(ast.Return(value), value)
                    made = ast.FunctionDef(name, given, [result], [], None, None)
                    yield name, ast.copy_location(made, node)


def _taken(node: ast.FunctionDef, free: frozenset[str]) -> Iterator[ast.expr]:
    """The arrays that a function takes from around it, and members of objects."""
    called = {part.func for part in walked(node) if isinstance(part, ast.Call)}
    inner = {part.value for part in walked(node) if isinstance(part, ast.Attribute)}
    for part in walked(node):
        match part:
            case ast.Subscript(value) | ast.Attribute(value, "shape"):
                found: ast.AST = value
            case ast.Call(ast.Name("len"), [value]):
                found = value
            case ast.Attribute(attr=name) if name != "shape" and part not in inner:
                found = part
            case _:
                continue
        while isinstance(found, ast.Subscript | ast.Attribute):
            if isinstance(found, ast.Attribute) and found.attr != "shape":
                break
            found = found.value
        head = dotted(found).partition(".")[0]
        if head in free and found not in called and isinstance(found, ast.expr):
            yield found


class _Lifted(ast.NodeTransformer):
    """Names what is taken from around as the arguments that it is given for."""

    def __init__(self, taken: Mapping[str, ast.expr]) -> None:
        self.taken = taken

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        text = dotted(node)
        if text in self.taken:
            return ast.copy_location(ast.Name(text, node.ctx), node)
        return self.generic_visit(node)
