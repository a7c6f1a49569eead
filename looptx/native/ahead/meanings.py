"""The names on whose meanings the native code of a built file depends."""

from __future__ import annotations

import ast

from looptx.model.program import Kernel
from looptx.model.trees import dotted
from looptx.parsers.unwarned import parsed
from looptx.source import Module
from looptx.source.ast_tools import walked
from looptx.source.names.imports import FUNCTIONS
from looptx.source.names.locality import functions


def meant(module: Module, kernel: Kernel) -> tuple[str, ...]:
    """The (dotted) names that a function uses, and those that it may call, sorted.

    Which of them are functions or modules their values say: what has its own value at
    each call is no matter.

    Args:
        module: the file. kernel: the function.
    """
    tree = parsed(module.text)
    own = {node.name: node for node in tree.body if isinstance(node, FUNCTIONS)}
    found: set[str] = set()
    queue: list[ast.AST] = [
        node
        for node in functions(tree)
        if module.parsed.first_line(node) == kernel.first_line
    ]
    while queue:
        nodes = walked(queue.pop())
        names = {dotted(x) for x in nodes if isinstance(x, ast.Name | ast.Attribute)}
        names -= {*found, ""}
        found |= names
        queue += [own[name] for name in names if name in own]
    return tuple(sorted(found))
