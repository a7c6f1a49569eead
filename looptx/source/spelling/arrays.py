"""What a function says of its names: that they are arrays, or surely none."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from looptx.model.trees import dotted
from looptx.source.names.scope import Binding, Scope

_OTHERS = (
    ast.List,
    ast.Tuple,
    ast.Dict,
    ast.Set,
    ast.Constant,
    ast.JoinedStr,
    ast.ListComp,
    ast.DictComp,
    ast.SetComp,
    ast.GeneratorExp,
)
"""What surely is no array."""

_LISTS = r"(?i)^(\w+\.)*((mutable)?sequence|list|tuple)\b"
"""What annotations begin with that say of a name that it is a list, or a tuple."""


def is_array(array: str, scope: Scope, nodes: Iterable[ast.AST]) -> bool | None:
    """Whether a name is known to be an array, or not to be one; None if neither.

    Args:
        array: the name. scope: of the function. nodes: all of it.
    """
    known = [_binding(one, scope) for one in scope.bindings.get(array, [])]
    if False in known:
        return False
    return True if True in known or _used_as_array(array, nodes) else None


def _binding(one: Binding, scope: Scope) -> bool | None:
    """Whether a value is an array, or surely none."""
    if one.annotation:
        array = "rray" in one.annotation or "[:" in one.annotation
        # Lists are arrays in nests where these do not tell the difference.
        return array or (None if re.search(_LISTS, one.annotation) else False)
    match one.value:
        case ast.Call(function):
            name = scope.resolve(function)
            known = {"numpy": True, "builtins": None if one.kind == "other" else False}
            return known.get(name.partition(".")[0])
    return False if isinstance(one.value, _OTHERS) else None


def _used_as_array(array: str, nodes: Iterable[ast.AST]) -> bool:
    """Whether a function uses a name as nothing but an array can be used."""
    for node in nodes:
        match node:
            case ast.Attribute(value, "shape" | "ndim" | "dtype" | "strides"):
                if dotted(value) == array:
                    return True
            case ast.Subscript(value, ast.Tuple()) if dotted(value) == array:
                return True
    return False
