"""The functions of a module, and what names mean where they are defined."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple, get_args

from looptx.model.trees import children
from looptx.source.ast_tools import below, walked
from looptx.source.names.imports import (
    FUNCTIONS,
    hiding,
    resolve,
    scope_imports,
    type_parameters,
)
from looptx.source.names.scope import Function
from looptx.source.text.directives import Placed

_DEFINING = *get_args(FUNCTIONS), ast.ClassDef
"""The nodes that functions are, or are in."""


class Found(NamedTuple):
    """A function.

    ``outer`` is what the names outside of it mean in it, ``around`` what they mean
    where it is defined: in a class that is more.
    """

    node: Function
    qualname: str
    outer: Mapping[str, str]
    around: Mapping[str, str]

    def decorators(self) -> tuple[int, ...]:
        """Which of its decorators are ``looptx.kernel``."""
        given = enumerate(self.node.decorator_list)
        return tuple(at for at, node in given if is_kernel(node, self.around))


def is_wanted(found: Found, placed: Placed) -> bool:
    """Whether a function has directives or the decorator."""
    inside = (node for node in walked(found.node) if isinstance(node, ast.stmt))
    return bool(found.decorators()) or any(map(placed.of, inside))


def functions(
    root: ast.AST, prefix: str, outer: Mapping[str, str], around: Mapping[str, str]
) -> Iterator[Found]:
    """All functions, those inside others and of classes included.

    Args:
        root: the module, or a block of it. prefix: of their qualified names.
        outer: what names mean to functions nested in ``root``.
        around: what names mean in the block itself, for decorators.

    Yields:
        The functions, outer before inner.
    """
    for node in children(root):
        if isinstance(node, ast.expr):
            continue
        if isinstance(node, FUNCTIONS):
            yield Found(node, prefix + node.name, outer, around)
            if below(node, *_DEFINING):
                inner, name = scope_imports(node, outer), f"{prefix}{node.name}"
                yield from functions(node, f"{name}.<locals>.", inner, inner)
        elif isinstance(node, ast.ClassDef):
            inner = hiding(outer, type_parameters(node))
            own = scope_imports(node, inner)
            yield from functions(node, f"{prefix}{node.name}.", inner, own)
        else:
            yield from functions(node, prefix, outer, around)


def is_kernel(node: ast.expr, imports: Mapping[str, str]) -> bool:
    """Whether a decorator is ``looptx.kernel``, with or without arguments."""
    function = node.func if isinstance(node, ast.Call) else node
    name = resolve(function, imports)
    return name.partition(".")[0] == "looptx" and name.rpartition(".")[2] == "kernel"
