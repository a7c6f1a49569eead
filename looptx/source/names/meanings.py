"""What the names in a nest mean."""

from __future__ import annotations

import ast

from looptx.model.callees.callee import Callee
from looptx.model.naming import WRITTEN
from looptx.model.nests.names import Names
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.scope import Scope


def meanings(root: ast.stmt, scope: Scope) -> Names:
    """What the names in the nest of a loop mean."""
    return Names(
        functions=_functions(root, scope),
        callees=_callees(root, scope),
        hidden=frozenset(filter(scope.hides, WRITTEN)),
        numpy=next((x for x, y in scope.imports.items() if y == "numpy"), ""),
    )


def _functions(root: ast.stmt, scope: Scope) -> dict[str, str]:
    """The full names of the functions that a nest calls, and of what else has one."""
    nodes = walked(root)
    calls = (node.func for node in nodes if isinstance(node, ast.Call))
    found = {dotted(function): scope.resolve(function) for function in calls}
    names = (node for node in nodes if isinstance(node, ast.Name | ast.Attribute))
    full = {dotted(node): scope.resolve(node) for node in names}
    return found | {name: text for name, text in full.items() if name and text}


def _callees(root: ast.stmt, scope: Scope) -> dict[str, Callee]:
    """The functions of the user that a nest calls, by what calls name."""
    calls = (dotted(x.func) for x in walked(root) if isinstance(x, ast.Call))
    return {name: scope.callees[name] for name in calls if name in scope.callees}
