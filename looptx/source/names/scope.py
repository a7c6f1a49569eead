"""The names of one function: how each is bound, and what is visible from elsewhere."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from looptx.source.ast_tools import walked
from looptx.source.names.calls import is_known
from looptx.source.names.captures import captured
from looptx.source.names.imports import (
    FUNCTIONS,
    SCOPES,
    arguments,
    dotted,
    own_nodes,
    resolve,
    scope_imports,
)

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

WILD = frozenset(
    f"builtins.{name}" for name in ("locals", "exec", "eval", "vars", "dir")
)


@dataclass(frozen=True, slots=True)
class Binding:
    """One way a name gets a value.

    ``kind`` is ``arg``, ``value`` (``value`` is what is assigned), ``range`` (a loop
    over ``range``), ``swap`` (``A, B = B, A``: the same arrays under exchanged names),
    or ``other`` (``value`` is what the value was taken from, when there is one).
    """

    kind: str
    value: ast.expr | None = None
    annotation: str = ""


class Scope:
    """What is known of a function's names, independent of control flow.

    Attributes:
        imports: meanings of names inside the function.
        bindings: by name; dotted names (``self.h``) that are assigned included.
        shared: names other code can see or change: global, nonlocal, captured.
        foreign: those that other code can bind, too.
        wild: whether the function looks at its variables by name (``locals()``).
        identifiers: every identifier that occurs.
    """

    def __init__(self, function: Function, imports: Mapping[str, str]) -> None:
        self.function = function
        self.imports = scope_imports(function, imports)
        self.bindings: dict[str, list[Binding]] = {}
        self.annotations: dict[str, str] = {}
        self._parts: dict[ast.AST, Mapping[str, Sequence[Binding]]] = {}
        for argument in arguments(function):
            text = annotation_text(argument.annotation)
            self._bind(argument.arg, Binding("arg", annotation=text))
        own = [node for node in own_nodes(function) if node is not function]
        for node in own:
            self._collect(node)
        for name in _nonlocal(own) & self.bindings.keys():
            self._bind(name, Binding("other"))
        self.shared = frozenset(_shared(own))
        self.foreign = frozenset(_foreign(function))
        self.wild = any(
            isinstance(node, ast.Call) and self.resolve(node.func) in WILD
            for node in own
        )
        self.identifiers = frozenset(_identifiers(function))

    def resolve(self, node: ast.AST) -> str:
        """The full name an expression stands for, empty when unknown."""
        return resolve(node, self.imports)

    def hides(self, builtin: str) -> bool:
        """Whether the name of a builtin means something else here, or may do so."""
        full = f"builtins.{builtin}"
        return self.imports.get(builtin, full) != full

    def is_range(self, node: ast.AST) -> bool:
        """Whether an expression is a call of the builtin ``range``."""
        return (
            isinstance(node, ast.Call) and self.resolve(node.func) == "builtins.range"
        )

    def is_range_loop(self, node: ast.AST) -> bool:
        """Whether a statement is ``for NAME in range(...)``."""
        if not isinstance(node, ast.For) or not isinstance(node.target, ast.Name):
            return False
        return self.is_range(node.iter)

    def runs_other_code(self, node: ast.AST) -> bool:
        """Whether a node is a call of something unknown: it may change attributes."""
        if not isinstance(node, ast.Call):
            return isinstance(node, ast.Await | ast.Yield | ast.YieldFrom)
        name = self.resolve(node.func)
        known = name.startswith("numpy.") or is_known(name)
        return not known and not self.is_range(node)

    def bound_in(self, root: ast.AST) -> Mapping[str, Sequence[Binding]]:
        """How a statement of the function, or a part of one, binds names."""
        if root not in self._parts:
            part = copy.copy(self)
            part.bindings = {}
            for node in own_nodes(root, enter=False):
                part._collect(node)
            self._parts[root] = part.bindings
        return self._parts[root]

    def _bind(self, name: str, binding: Binding) -> None:
        self.bindings.setdefault(name, []).append(binding)

    def _collect(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    self._assign(target, value)
            case ast.AnnAssign(target=target, value=value):
                text = annotation_text(node.annotation)
                if isinstance(target, ast.Name) and text:
                    self.annotations[target.id] = text
                if value is not None:
                    kind = "value"
                    self._target(target, Binding(kind, value, text))
            case ast.AugAssign(target, op, value):
                whole = ast.copy_location(ast.BinOp(_load(target), op, value), value)
                self._target(target, Binding("value", whole))
            case ast.NamedExpr(target, value):
                self._target(target, Binding("value", value))
            case (
                ast.For(target=target, iter=source)
                | ast.AsyncFor(target=target, iter=source)
            ):
                kind = "range" if self.is_range_loop(node) else "other"
                self._target(target, Binding(kind, source))
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    if item.optional_vars is not None:
                        self._target(
                            item.optional_vars, Binding("other", item.context_expr)
                        )
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                self._bind(name, Binding("other"))
            case ast.ClassDef(name=name) | ast.ExceptHandler(name=str(name)):
                self._bind(name, Binding("other"))
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                self._bind(name, Binding("other"))
            case ast.MatchMapping(rest=str(name)):
                self._bind(name, Binding("other"))
            case ast.Delete(targets):
                for target in targets:
                    self._target(target, Binding("other"))
            case _:
                pass

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if not isinstance(target, ast.Tuple | ast.List):
            self._target(target, Binding("value", value))
            return
        for element, part in unpacked(target, value):
            if part is not None:
                kind = "swap" if is_swap(target, value) else "value"
                self._target(element, Binding(kind, part))
            else:
                self._target(element, Binding("other", value))

    def _target(self, target: ast.expr, binding: Binding) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for element in target.elts:
                self._target(element, Binding("other", binding.value))
        elif isinstance(target, ast.Starred):
            self._target(target.value, Binding("other", binding.value))
        elif dotted(target):
            self._bind(dotted(target), binding)


def annotation_text(node: ast.expr | None) -> str:
    """An annotation as text; one written as a string without its quotes."""
    if node is None:
        return ""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ast.unparse(node)


def is_continued(name: str, bindings: Sequence[Binding]) -> bool:
    """Whether each value of an attribute is of the last: the first is elsewhere."""
    return "." in name and all(
        one.value is not None and any(dotted(n) == name for n in walked(one.value))
        for one in bindings
    )


def unpacked(
    target: ast.Tuple | ast.List, value: ast.expr
) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """The elements of a tuple target, each with the expression it gets, if known.

    ``n, m = A.shape`` gives ``A.shape[0]`` and ``A.shape[1]``.
    """
    given = value.elts if isinstance(value, ast.Tuple | ast.List) else []
    starred = any(isinstance(each, ast.Starred) for each in (*target.elts, *given))
    for number, element in enumerate(target.elts):
        part: ast.expr | None = None
        if given and not starred:
            if len(given) == len(target.elts):
                part = given[number]
        elif isinstance(value, ast.Attribute) and value.attr == "shape" and not starred:
            part = ast.copy_location(
                ast.Subscript(value, ast.Constant(number), ast.Load()), value
            )
            ast.fix_missing_locations(part)
        yield element, part


def is_swap(target: ast.expr, value: ast.expr) -> bool:
    """Whether ``target = value`` only permutes names."""
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return False
    ours = sorted(dotted(element) for element in target.elts)
    return "" not in ours and ours == sorted(dotted(part) for part in value.elts)


def _load(target: ast.expr) -> ast.expr:
    """The target of an assignment as the expression that reads it."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target


def _shared(own: list[ast.AST]) -> Iterator[str]:
    """Names declared global or nonlocal, and those that scopes inside take."""
    for node in own:
        if isinstance(node, ast.Global | ast.Nonlocal):
            yield from node.names
        elif isinstance(node, SCOPES | ast.GeneratorExp):
            yield from captured(node)


def _foreign(function: Function) -> Iterator[str]:
    """Names that are declared global or nonlocal here, or in a scope inside."""
    for node in walked(function):
        if isinstance(node, ast.Global | ast.Nonlocal):
            yield from node.names


def _nonlocal(own: list[ast.AST]) -> frozenset[str]:
    """Names that functions inside may give other values."""
    return frozenset(
        name
        for node in own
        if isinstance(node, SCOPES)
        for inner in walked(node)
        if isinstance(inner, ast.Nonlocal)
        for name in inner.names
    )


def _identifiers(function: Function) -> Iterator[str]:
    for node in walked(function):
        match node:
            case ast.Name(name) | ast.arg(name):
                yield name
            case ast.alias(name, other):
                yield other or name.partition(".")[0]
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name
            case ast.Global(names) | ast.Nonlocal(names):
                yield from names
            case _:
                if isinstance(node, FUNCTIONS | ast.ClassDef):
                    yield node.name
