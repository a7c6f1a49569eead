"""Names that loops give several values in turn, each with a variable of its own.

``d = s[i]`` may be an integer, and ``d = d * J`` behind it a float. Where no use of a
name has both of two values, nothing but the name makes them one variable; in C that has
one type. (Webs of definitions and their uses: Chaitin, SIGPLAN '82.)
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import get_args

from looptx.model.naming import Taken
from looptx.source.ast_tools import is_loop, walked
from looptx.source.names.captures import COMPREHENSIONS
from looptx.source.names.imports import arguments, own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Changes, spelling
from looptx.source.spelling.whole.reading.axes import Unlike
from looptx.source.spelling.whole.reading.extents import Extents
from looptx.source.spelling.whole.reading.ranks import known_ranks
from looptx.source.spelling.whole.turns.definitions import Webs, is_name
from looptx.source.spelling.whole.turns.webs import named_apart, renamed
from looptx.source.spelling.whole.uses import Uses

_OTHERS = (ast.Try, ast.With, ast.AsyncWith, ast.AsyncFor, ast.Match, ast.Delete)
"""Statements whose ways are not followed."""

_INNER = (ast.Lambda, ast.ClassDef, *get_args(COMPREHENSIONS))
"""What has names of its own."""


def restored(function: ast.AST, left: Sequence[str]) -> Iterator[str]:
    """What gives names back the values that a nest leaves in other ones.

    Args:
        function: it. left: the names that the nest leaves.
    """
    found: Mapping[str, str] = vars(function).get("values", {})
    yield from (f"{name} = {own}" for own, name in found.items() if own in left)


@spelling(is_loop)
def with_values(function: Function, scope: Scope, axes: Mapping[str, int]) -> Changes:
    """The numbers that loops name in turn have names of their own.

    Args:
        function: it. scope: its names.
        axes: how many arguments have, where no text says so.
    """
    if scope.wild:
        return
    extents = Extents(scope, known_ranks(function, scope, axes), "")
    taken = Taken(scope.identifiers)
    new: dict[str, str] = {}
    for loop in Uses(function, scope).outermost():
        names = _candidates(function, scope, loop)
        names -= {name for name in names if _has_arrays(name, scope, extents)}
        if not names or any(isinstance(x, _OTHERS) for x in own_nodes(loop)):
            continue
        webs = Webs(names)
        webs.leave(webs.of(loop), _loads(*{*walked(function)} - {*walked(loop)}))
        for name in sorted(names):
            for uses in webs.apart(name):
                own = taken.again(name)
                new[own] = name
                yield from ((use, renamed(own)) for use in uses)
    if new:
        yield function, lambda node: _noted(named_apart(node, new), new)


def _noted(function: ast.AST, names: Mapping[str, str]) -> ast.AST:
    """Note the names of values in a function, with what the source calls them."""
    vars(function)["values"] = names
    return function


def _candidates(function: Function, scope: Scope, loop: ast.stmt) -> frozenset[str]:
    """The names that statements of a loop assign more than once, and nothing else does.

    Args:
        function: that has the loop. scope: its names. loop: an outermost one.
    """
    given = {one.arg for one in arguments(function)}
    stored = Counter[str]()
    for node in own_nodes(loop):
        if isinstance(node, ast.Assign):
            stored.update(x for target in node.targets for x in _stored(target))
        elif isinstance(node, ast.AugAssign):
            stored.update(_stored(node.target))
    several = {name for name, count in stored.items() if count > 1}
    other = {x for node in walked(function) for x in _used_otherwise(node)}
    return frozenset(several - other - given - scope.shared)


def _has_arrays(name: str, scope: Scope, extents: Extents) -> bool:
    """Whether a name is known to be given an array, which ``webs`` looks at."""
    values = (binding.value for binding in scope.bindings.get(name, ()))
    for value in (x for x in values if x is not None):
        with suppress(Unlike):
            if extents.of(value):
                return True
    return False


def _used_otherwise(node: ast.AST) -> Iterator[str]:
    """The names that a node binds by no assignment, or uses as those of arrays."""
    match node:
        case (
            ast.For(target)
            | ast.comprehension(target)
            | ast.NamedExpr(target)
            | ast.AnnAssign(target)
        ):
            yield from _stored(target)
        case ast.Subscript(ast.Name(name)) | ast.Attribute(ast.Name(name)):
            yield name
        case ast.Call(ast.Name("len"), [ast.Name(name)]) | ast.Starred(ast.Name(name)):
            yield name
        case ast.Assign(targets):
            # Of ``x = A[x] = i`` the second target has the new value.
            names = {x for target in targets for x in _stored(target)}
            yield from (
                x for x in names if any(x in _loads(*walked(one)) for one in targets)
            )
        case _ if isinstance(node, _INNER):
            yield from _loads(*walked(node))


def _stored(target: ast.AST) -> list[str]:
    """The names that a target is, or has."""
    return [x.id for x in walked(target) if is_name(x, ast.Store)]


def _loads(*nodes: ast.AST) -> frozenset[str]:
    """The names that some nodes are, which are read."""
    return frozenset(x.id for x in nodes if is_name(x, ast.Load))
