"""The types that a function's own text makes plain, as annotation texts."""

from __future__ import annotations

import ast

from looptx.model.dtypes import DTYPES
from looptx.model.functions import FILLED, lookup
from looptx.model.trees import dotted
from looptx.source.kinds.integers import Kinds
from looptx.source.names.scope import Scope


def local_types(kinds: Kinds) -> dict[str, str]:
    """``{local name: annotation text}`` for names that are assigned exactly once.

    Arrays that NumPy makes have the type their constructor says (``like:A`` for
    ``np.zeros_like(A)``); variables may be annotated.
    """
    scope = kinds.scope
    found = {name: text for name, text in scope.annotations.items()}
    for name, bindings in scope.bindings.items():
        if len(bindings) != 1 or bindings[0].kind != "value" or name in found:
            continue
        value = bindings[0].value
        text = _array(value, kinds) if isinstance(value, ast.Call) else ""
        if text:
            found[name] = text
    return found


def vague(kinds: Kinds) -> frozenset[str]:
    """The names that may hold something else than their annotation says.

    They are bound again, or to a number of another kind.
    """
    return frozenset(
        name
        for name, bindings in kinds.scope.bindings.items()
        if any(one.annotation for one in bindings)
        and (len(bindings) > 1 or kinds.is_contradicted(bindings[0]))
    )


def _array(call: ast.Call, kinds: Kinds) -> str:
    scope = kinds.scope
    row = lookup(scope.resolve(call.func))
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if row.like:
        plain = set(keywords) <= {FILLED} and len(call.args) <= row.dtype
        source = dotted(call.args[0]) if call.args else ""
        return f"like:{source}" if source and plain else ""
    known = row.is_shaped and row.fill != FILLED
    if not known or not call.args or set(keywords) - {"dtype"}:
        return ""
    shape = call.args[0]
    if len(call.args) > 2 or (len(call.args) == 2 and keywords):
        return ""
    dtype = call.args[1] if len(call.args) == 2 else keywords.get("dtype")
    element = "float64" if dtype is None else dtype_name(dtype, scope)
    if isinstance(shape, ast.Tuple | ast.List):
        axes = len(shape.elts)
        if any(isinstance(part, ast.Starred) for part in shape.elts):
            return ""
    else:
        axes = 1 if kinds.is_integer(shape) else 0
    return f"{element}[{', '.join([':'] * axes)}]" if element and axes else ""


def dtype_name(node: ast.expr, scope: Scope) -> str:
    """The name of the dtype an expression stands for; empty when that is not plain."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value if node.value in DTYPES else ""
    return lookup(scope.resolve(node)).converts
