"""What the names of a module mean: imports, and what hides them."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping
from typing import get_args

from looptx.model.naming import PRANGES, RANGE
from looptx.model.trees import children, dotted
from looptx.source.ast_tools import once, walked
from looptx.source.names.stars import starred

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
_BUILTINS = ("builtins", "__builtins__")
SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
_SCOPES = get_args(SCOPES)
"""The same for ``isinstance``, which takes half the time with it."""

_BINDING = (
    *(ast.Name, ast.Import, ast.ImportFrom, *get_args(FUNCTIONS), ast.ClassDef),
    *(ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping),
)
"""The nodes that bind names, as few do of all that are looked at."""


def own_nodes(root: ast.AST, *, enter: bool = True) -> list[ast.AST]:
    """The nodes of a scope without those of the scopes inside it.

    A nested function or class itself is included (it binds its name), and so are the
    expressions evaluated where it stands: decorators, defaults, bases.

    Args:
        root: a scope, or any node in one.
        enter: whether the scope that ``root`` itself is counts as around the nodes.
    """
    inner = isinstance(root, SCOPES) and not enter
    return [root, *(_around(root) if inner else _below(root))]


@once
def _below(root: ast.AST) -> tuple[ast.AST, ...]:
    """The nodes in a node without those of the scopes inside."""
    return tuple(_reached(children(root)))


@once
def _around(root: ast.AST) -> tuple[ast.AST, ...]:
    """The nodes in a scope that are evaluated where it stands."""
    return tuple(_reached([*_outside(root)]))


def _reached(nodes: list[ast.AST]) -> Iterator[ast.AST]:
    left = nodes[::-1]
    while left:
        node = left.pop()
        yield node
        if node._fields:
            inside = isinstance(node, _SCOPES)
            left += reversed([*_outside(node)] if inside else children(node))


def _outside(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, FUNCTIONS | ast.Lambda):
        yield from node.args.defaults
        yield from (value for value in node.args.kw_defaults if value is not None)
    if isinstance(node, FUNCTIONS | ast.ClassDef):
        yield from node.decorator_list
    if isinstance(node, ast.ClassDef):
        yield from node.bases
        yield from (keyword.value for keyword in node.keywords)


def imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """(name, what it means) for each name an import statement spells out."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            if alias.asname:
                yield alias.asname, alias.name
            else:
                top = alias.name.partition(".")[0]
                yield top, top
        elif alias.name != "*":
            module = "." * node.level + (node.module or "")
            yield alias.asname or alias.name, f"{module}.{alias.name}"


def bound_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that nodes of one scope bind."""
    for node in nodes:
        if isinstance(node, _BINDING):
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield from (name for name, _ in imported(node))
            elif name := _assigned_name(node):
                yield name


def assigned_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that nodes of one scope bind, or delete, other than by importing."""
    for node in nodes:
        if isinstance(node, _BINDING) and (name := _assigned_name(node)):
            yield name


def _assigned_name(node: ast.AST) -> str | None:
    """The name that a node binds or deletes, if it does and is no import."""
    if isinstance(node, ast.Name):
        return None if isinstance(node.ctx, ast.Load) else node.id
    if isinstance(node, ast.MatchMapping):
        return node.rest
    name: str | None = getattr(node, "name", None)
    return name


def scope_imports(root: ast.AST, known: Mapping[str, str]) -> dict[str, str]:
    """The meanings of names inside a scope.

    Args:
        root: a module or a function.
        known: meanings of names outside of it.

    A name that is also bound in another way means nothing here. A name that hides a
    builtin, or may hide one, is listed with a meaning of its own, so that it is not
    taken for it.
    """
    nodes = [node for node in own_nodes(root) if node is not root]
    found = dict(known)
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.update(imported(node))
            if node.names[0].name == "*":
                assert isinstance(node, ast.ImportFrom)
                found.update(starred(node))
    hidden = {*assigned_names(nodes), *_bound_from_inside(root, found)}
    if isinstance(root, FUNCTIONS | ast.Lambda):
        hidden |= {argument.arg for argument in arguments(root)}
        hidden |= type_parameters(root)
    if isinstance(root, ast.Module):
        hidden.update(stored(root))
    return hiding(found, hidden)


def hiding(known: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """The meanings of names, of which some mean something else that is not known."""
    found = dict(known)
    for name in sorted(names):
        if hasattr(builtins, name):
            found[name] = f"?.{name}"
        else:
            found.pop(name, None)
    return found


def _bound_from_inside(root: ast.AST, found: Mapping[str, str]) -> Iterator[str]:
    """The names of a scope to which scopes inside of it give another meaning."""
    wanted = ast.Global if isinstance(root, ast.Module) else ast.Nonlocal
    if not any(isinstance(node, wanted) for node in walked(root)):
        return
    for inner in walked(root):
        if inner is root or not isinstance(inner, FUNCTIONS | ast.ClassDef):
            continue
        nodes = [node for node in own_nodes(inner) if node is not inner]
        bound = set(assigned_names(nodes))
        for node in nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                bound.update(n for n, full in imported(node) if found.get(n) != full)
        for node in nodes:
            if isinstance(node, ast.Global | ast.Nonlocal) and type(node) is wanted:
                yield from bound.intersection(node.names)


def stored(module: ast.Module) -> Iterator[str]:
    """The names of a module, or builtins, that get a meaning as items or attributes."""
    for node in walked(module):
        match node:
            case ast.Attribute(value, name, ast.Store()) if dotted(value) in _BUILTINS:
                yield name
            case ast.Subscript(
                ast.Call(ast.Name("globals" | "vars"), []) | ast.Name("__builtins__"),
                ast.Constant(str(name)),
                ast.Store(),
            ):
                yield name
            case ast.Call(ast.Name("setattr"), [where, ast.Constant(str(name)), _]):
                if dotted(where) in _BUILTINS:
                    yield name
            case ast.Call(ast.Attribute(ast.Call(ast.Name("globals"), []), "update")):
                yield from (keyword.arg for keyword in node.keywords if keyword.arg)


def type_parameters(node: ast.AST) -> frozenset[str]:
    """The names in ``def f[T](x)`` and ``class C[T]``, which all inside can see."""
    return frozenset(parameter.name for parameter in getattr(node, "type_params", ()))


def arguments(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
) -> list[ast.arg]:
    """Every argument of a function, in order."""
    args = node.args
    extra = [args.vararg] if args.vararg else []
    last = [args.kwarg] if args.kwarg else []
    return [*args.posonlyargs, *args.args, *extra, *args.kwonlyargs, *last]


def resolve(node: ast.AST, imports: Mapping[str, str]) -> str:
    """The full dotted name an expression stands for: ``numpy.sqrt``, ``builtins.max``.

    Empty when it is not known to be a module, a member of one, or a builtin.
    """
    text = dotted(node)
    if not text:
        return ""
    first, dot, rest = text.partition(".")
    if first in imports:
        full = imports[first] + dot + rest
        return RANGE if full in PRANGES else full
    return f"builtins.{text}" if hasattr(builtins, first) else ""
