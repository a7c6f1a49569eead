"""The names that a nest binds, and which of them somebody reads behind it."""

from __future__ import annotations

import ast

from looptx.model.trees import without_number
from looptx.source.ast_tools import walked
from looptx.source.liveness import (
    bound_before,
    is_caught,
    live_after,
    live_after_exception,
)
from looptx.source.names.imports import arguments
from looptx.source.names.scope import Scope


def bound_in_order(root: ast.stmt) -> list[str]:
    """The names, in the order of the source."""
    stores = [
        node
        for node in walked(root)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    ]
    stores.sort(key=lambda node: (node.lineno, node.col_offset))
    return list(dict.fromkeys(node.id for node in stores))


def left(root: ast.stmt, scope: Scope) -> tuple[str, ...]:
    """Those that may be read behind it."""
    bound = bound_in_order(root)
    if scope.wild:
        return tuple(bound)
    live = live_after(scope.function, root) | scope.shared
    return tuple(name for name in bound if name in live)


def outlives(root: ast.stmt, scope: Scope) -> bool:
    """Whether what a nest bound can be observed after an exception in it."""
    if scope.wild or scope.shared & set(bound_in_order(root)):
        return True
    return is_caught(scope.function, root)


def rescued(root: ast.stmt, scope: Scope) -> tuple[str, ...]:
    """The names a nest binds that its function may read after an exception in it."""
    bound = bound_in_order(root)
    if not is_caught(scope.function, root):
        return ()
    seen = live_after_exception(scope.function, root) | scope.shared
    return tuple(name for name in bound if scope.wild or name in seen)


def surely_bound(root: ast.stmt, scope: Scope) -> frozenset[str]:
    """The names that surely have a value where it begins."""
    given = {argument.arg for argument in arguments(scope.function)}
    return (bound_before(scope.function, root) | given) - without_number(root)
