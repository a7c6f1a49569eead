"""Names that a module gives to types: annotations by them become those types.

``Indices = npt.NDArray[np.int64]`` lets ``p: Indices`` say what the type itself says.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Mapping

from looptx.model.trees import walk
from looptx.source.names.imports import (
    FUNCTIONS,
    arguments,
    bound_names,
    own_nodes,
    type_parameters,
)


def spell_out(tree: ast.Module) -> None:
    """Replace names of types by the types, in the annotations of a new tree."""
    found = _aliases(tree)
    if found:
        _scope(tree, found)


def _aliases(tree: ast.Module) -> dict[str, ast.expr]:
    """What names stand for that a module binds once, to what may be a type."""
    found: dict[str, ast.expr] = {}
    times = Counter(bound_names(own_nodes(tree)))
    for node in walk(tree):
        if isinstance(node, ast.Global):
            times.update({name: 2 for name in node.names})
    for stmt in tree.body:
        match stmt:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(
                ast.Name(name), _, ast.expr() as value
            ) if times[name] == 1 and _may_be_type(value):
                found[name] = _spelled(value, found)
    return found


def _may_be_type(value: ast.expr) -> bool:
    """Whether an expression is a name, part of a module, generic, or such as text."""
    text = isinstance(value, ast.Constant) and isinstance(value.value, str)
    return text or isinstance(value, ast.Name | ast.Attribute | ast.Subscript)


def _scope(root: ast.AST, aliases: Mapping[str, ast.expr]) -> None:
    """Replace them in a scope and those inside of it, where no other name hides one."""
    nodes = own_nodes(root)
    if not isinstance(root, ast.Module):
        hidden = {*bound_names(node for node in nodes if node is not root)}
        hidden |= type_parameters(root)
        if isinstance(root, FUNCTIONS):
            hidden |= {argument.arg for argument in arguments(root)}
        aliases = {name: one for name, one in aliases.items() if name not in hidden}
    if isinstance(root, FUNCTIONS):
        for argument in arguments(root):
            if argument.annotation is not None:
                argument.annotation = _spelled(argument.annotation, aliases)
    for node in nodes:
        if isinstance(node, ast.AnnAssign):
            node.annotation = _spelled(node.annotation, aliases)
        elif node is not root and isinstance(node, FUNCTIONS | ast.ClassDef):
            _scope(node, aliases)


def _spelled(value: ast.expr, aliases: Mapping[str, ast.expr]) -> ast.expr:
    """An annotation, or the value of an alias, without names in ``aliases``."""
    match value:
        case ast.Constant(str(text)) if text.strip() in aliases:
            value = ast.copy_location(ast.Name(text.strip(), ast.Load()), value)
    spelled = _Speller(aliases).visit(value)
    assert isinstance(spelled, ast.expr)
    return spelled


class _Speller(ast.NodeTransformer):
    """Puts copies of what names stand for into their places."""

    def __init__(self, aliases: Mapping[str, ast.expr]) -> None:
        self.aliases = aliases

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A copy of what it stands for, or the name."""
        meant = self.aliases.get(node.id)
        return node if meant is None else ast.copy_location(copy.deepcopy(meant), node)
