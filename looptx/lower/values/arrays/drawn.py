"""What random numbers are drawn from, as functions of C are given it."""

from __future__ import annotations

import ast

from looptx.lower.kinds import of
from looptx.lower.scope import Scope
from looptx.lower.tree import Expr, intrinsic, variable
from looptx.lower.values.views import Value
from looptx.model.functions import DRAWS
from looptx.model.trees import dotted
from looptx.model.types import ScalarType


def drawn(name: str, node: ast.Call, scope: Scope, value: Value) -> Expr:
    """What is drawn from arrays, each of which is given by an element.

    Args:
        name: the full name of what draws. node: the call.
        scope: the nest. value: makes values of the other arguments.
    """
    cells = [one for one in node.args if isinstance(one, ast.Subscript)]
    arrays = dict.fromkeys(dotted(one.value) for one in cells)
    given = [variable(scope.names(one)) for one in arrays]
    given += [value(one) for one in node.args if one not in cells]
    kind = of(ScalarType(scope.array(dotted(cells[-1].value)).dtype))
    return intrinsic(name.removeprefix(DRAWS), kind, *given, rules="draw")
