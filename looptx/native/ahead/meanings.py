"""The names on whose meanings the native code of a built file depends."""

from __future__ import annotations

import ast

from looptx.model.program import Kernel
from looptx.source import Module
from looptx.source.ast_tools import walked
from looptx.source.names.imports import FUNCTIONS


def meant(module: Module, kernel: Kernel) -> tuple[str, ...]:
    """The names that a function uses, and those functions that it may call, sorted.

    Which of them are functions or modules their values say: what has its own value at
    each call is no matter.

    Args:
        module: the file. kernel: the function.
    """
    functions = {
        node.name: node
        for node in module.parsed.whole.body
        if isinstance(node, FUNCTIONS)
    }
    found: set[str] = set()
    queue: list[ast.AST] = [module.definition(kernel, whole=True)]
    while queue:
        names = {x.id for x in walked(queue.pop()) if isinstance(x, ast.Name)} - found
        found |= names
        queue += [functions[name] for name in names if name in functions]
    return tuple(sorted(found))
