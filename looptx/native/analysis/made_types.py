"""The types of the arrays that a nest makes itself, by those of what it is given.

NumPy says them, of arrays without elements and of numbers of the same types.
"""

from __future__ import annotations

import ast
import types as python
from collections.abc import Mapping
from typing import Any

import numpy as np

from looptx.errors import Unsupported
from looptx.model.dtypes import DTYPES
from looptx.model.program import Nest
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


def with_made(
    nest: Nest, types: Mapping[str, Type], imports: Mapping[str, str]
) -> Mapping[str, Type]:
    """Types with those of the arrays that a nest makes.

    Args:
        nest: the nest. types: of what it is given. imports: what names mean.

    Raises:
        Unsupported: LX504 where NumPy makes no array of these, or one of another type.
    """
    known = dict(types)
    for name, made in nest.host.made.items():
        if made.listed:
            # What is stored into it says so, and that is not known yet.
            continue
        dtype = _element(ast.parse(made.element, mode="eval"), known, imports)
        if dtype not in DTYPES:
            what = f"not compiled natively: the array `{name}` of {dtype or 'no type'}"
            hint = "the statement runs as Python"
            raise Unsupported("LX504", what, nest.place, hint=hint)
        known[name] = ArrayType(dtype, len(made.shape))
    return known


def _element(
    tree: ast.Expression, types: Mapping[str, Type], imports: Mapping[str, str]
) -> str:
    """The type of the elements of what an expression makes; empty for none."""
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
    text = compile(tree, "<element>", "eval")
    with np.errstate(all="ignore"), ignored():
        try:
            found = np.dtype(eval(text, {}, named).dtype)
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
