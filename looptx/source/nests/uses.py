"""How a function uses its arrays around a nest, and who sees what one holds there."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from looptx.model.functions import lookup
from looptx.model.trees import children
from looptx.source.ast_tools import once, walked
from looptx.source.names.arrays import SIZES
from looptx.source.names.enclosing import enclosing
from looptx.source.names.scope import Scope
from looptx.source.names.subscripts import may_be_number, subscripts

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
LEAVING = (ast.Yield, ast.YieldFrom, ast.Await)
"""What lets other code run."""


def seen(scope: Scope, root: ast.stmt, arrays: Iterable[str]) -> dict[str, str]:
    """Why what arrays hold after a nest matters, or may, in words that follow "it".

    It does not where an array is an argument that nothing uses behind the nest.

    Args:
        scope: of the function. root: the nest. arrays: those that it subscripts.
    """
    found = ((array, _seen(scope, root, array)) for array in arrays)
    return {array: why for array, why in found if why}


def _seen(scope: Scope, root: ast.stmt, array: str) -> str:
    """The same for one array; empty where only a caller may see it."""
    bindings = scope.bindings.get(array, [])
    if "." in array:
        return "is an attribute"
    if [one.kind for one in bindings] != ["arg"]:
        argument = any(one.kind == "arg" for one in bindings)
        return "is assigned in the function" if argument else "is no argument"
    if scope.wild:
        return "is seen by a call such as `locals()`"
    if array in scope.shared:
        return "is used by a function inside"
    return next(_read(scope, root, array), "")


def _read(scope: Scope, root: ast.stmt, array: str) -> Iterator[str]:
    """The uses of an argument by which others see what a nest leaves in it."""
    function, inside = scope.function, {*walked(root)}
    again = any(isinstance(x.around, _LOOPS) for x in enclosing(function, root))
    sizes, axes = _plain(function)
    known = named(function).get(array, ())
    rank = max(axes.get(node, 0) for node in known if node in inside)
    for node in known:
        before = not again and node.lineno < root.lineno
        element = node in axes and (node in inside or axes[node] == rank)
        if node in sizes or (element and (node in inside or before)):
            continue
        if node in inside:
            yield f"is used as a whole in line {node.lineno}"
        else:
            yield f"is {how(function, node)} in line {node.lineno}"


@once
def _plain(
    function: ast.AST,
) -> tuple[frozenset[ast.AST], Mapping[ast.AST, int]]:
    """The names used for a size or a type; those of elements, with their subscripts.

    A slice is no element, but a view that may live on.
    """
    sizes: set[ast.AST] = set()
    axes: dict[ast.AST, int] = {}
    for node in walked(function):
        match node:
            case ast.Attribute(ast.Name() as name, attr=attr) if attr in SIZES:
                sizes.add(name)
            case ast.Call(ast.Name("len"), [ast.Name() as name]):
                sizes.add(name)
            case ast.Subscript():
                base, found = subscripts(node)
                if all(map(may_be_number, found)):
                    axes[base] = max(len(found), axes.get(base, 0))
    return frozenset(sizes), axes


@once
def named(function: ast.AST) -> Mapping[str, Sequence[ast.Name]]:
    """Where a function uses each name."""
    found: dict[str, list[ast.Name]] = {}
    for node in walked(function):
        if isinstance(node, ast.Name):
            found.setdefault(node.id, []).append(node)
    return found


@once
def _outside(function: ast.AST) -> Mapping[ast.AST, ast.AST]:
    """The parent of each node in a function."""
    return {
        child: node
        for node in walked(function)
        if node is not function
        for child in children(node)
    }


_CONTAINERS = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Starred, ast.keyword)


def how(function: ast.AST, name: ast.Name) -> str:
    """How a name is used outside of the nest: also the array in a container, or a view.

    What is made of an element is another matter.
    """
    outside = _outside(function)
    node: ast.AST = name
    outer = outside.get(node)
    while outer is not None and _holds(outer, node):
        node, outer = outer, outside.get(outer)
    match outer:
        case ast.Return():
            return "returned"
        case ast.Yield() | ast.YieldFrom():
            return "yielded"
        case ast.Call(called) if called is not node:
            return f"passed to `{ast.unparse(called)}`"
        case ast.Assign([ast.Name(other)]):
            return f"shared with `{other}`"
    return "used outside of the nest"


def _holds(outer: ast.AST, inner: ast.AST) -> bool:
    """Whether a node is an array as its child is: it holds it, or is a part of it."""
    match outer:
        case ast.Subscript(value, index):
            views = any(isinstance(node, ast.Slice) for node in walked(index))
            return value is inner and views
        case ast.IfExp(test):
            return test is not inner
    return isinstance(outer, _CONTAINERS)


def looked_at(array: str, between: Iterable[ast.stmt]) -> bool:
    """Whether statements do more with an array than to set elements.

    Args:
        array: the name.
        between: what stands between its allocation and a nest; whether that leaves the
            block counts, too.
    """
    nodes = [node for stmt in between for node in walked(stmt)]
    targets = (
        x for node in nodes if isinstance(node, ast.Assign) for x in node.targets
    )
    stored = {
        node.value
        for target in targets
        for node in walked(target)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
    }
    return any(
        isinstance(node, ast.Break | ast.Continue)
        or (isinstance(node, ast.Name) and node.id == array and node not in stored)
        for node in nodes
    )


def may_change(names: Iterable[str], between: Iterable[ast.AST], scope: Scope) -> bool:
    """Whether other code that runs may give names other values.

    Args:
        names: these. between: what runs. scope: of the function.
    """
    seen = any(
        (name not in scope.bindings or name in scope.shared)
        and not scope.resolve(ast.Name(name))
        for name in names
    )
    return seen and any(
        isinstance(node, LEAVING)
        or (isinstance(node, ast.Call) and not lookup(scope.resolve(node.func)).pure)
        for node in between
    )
