"""The types of elements of what expressions make, by the types of what these name.

NumPy says them, of arrays without elements and of numbers of the same types.
"""

from __future__ import annotations

import ast
import types as python
from collections.abc import Mapping
from typing import Any

import numpy as np

from looptx.model.trees import dotted
from looptx.model.types import ArrayType, Type
from looptx.parsers.unwarned import ignored

_WEAK = {"bool": True, "int64": 1, "float64": 1.0, "complex128": 1j}
"""Numbers of Python, by the types that they have in C."""


_REFUSED = (
    *(ArithmeticError, AttributeError, LookupError),
    *(NameError, TypeError, ValueError),
)
"""What NumPy raises of types that it makes no array of."""


def element(text: str, types: Mapping[str, Type], imports: Mapping[str, str]) -> str:
    """The type of the elements of what an expression makes; empty for none.

    Args:
        text: the expression. types: of what it names. imports: what names mean.
    """
    tree = ast.parse(text, mode="eval")
    named: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            full = imports.get(node.id, node.id)
            if full.partition(".")[0] == "numpy":
                named[node.id] = _of_numpy(full)
    for name in sorted({dotted(x) for x in ast.walk(tree)} & types.keys()):
        # An array has its shape, and all else, by itself.
        if not isinstance(types.get(name.rpartition(".")[0]), ArrayType):
            _put(named, name.split("."), _like(types[name]))
    code = compile(tree, "<element>", "eval")
    with np.errstate(all="ignore"), ignored():
        try:
            found = np.dtype(eval(code, {}, named).dtype)
            return found.name if found.isnative else ""
        except _REFUSED:
            return ""


def _of_numpy(full: str) -> Any:
    """NumPy, or something in it."""
    found: Any = np
    for part in full.split(".")[1:]:
        found = getattr(found, part, None)
    return found


def _put(named: dict[str, Any], path: list[str], value: object) -> None:
    """Give a (dotted) name a value."""
    head, *tail = path
    if not tail:
        named[head] = value
        return
    inner = named.setdefault(head, python.SimpleNamespace())
    _put(vars(inner), tail, value)


def _like(kind: Type) -> object:
    """A number of a type, or an array without elements."""
    if isinstance(kind, ArrayType):
        return np.empty((0,) * kind.ndim, kind.dtype)
    if kind.weak:
        return _WEAK[kind.dtype]
    return np.dtype(kind.dtype).type(1)
