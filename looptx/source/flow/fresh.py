"""Calls that return new memory, or a number."""

from __future__ import annotations

import ast
import re

from looptx.model.functions import Kind, lookup
from looptx.model.trees import dotted
from looptx.source.names.calls import Names, called

_PYTHON = ("builtins", "math")
_SHARING = ("out", "copy", "buffer", "overwrite_input", None)
_NUMBERS = re.compile(
    r"[<>=|]?[?bBhHiIlLqQpPefdgFDG]|[<>=|]?[biufc]\d+|bool|u?int\d*|float\d*|complex\d*"
)
"""The names of types of numbers, as strings."""


def is_fresh(call: ast.Call, names: Names) -> bool:
    """Whether a call returns what aliases nothing, and writes to no array.

    A shallow copy of a list shares what is in the list.
    """
    row = called(call, names)
    if row.module in _PYTHON:
        return row.fresh
    plain = not any(k.arg in _SHARING for k in call.keywords)
    known = row.fresh and plain and row.reads(len(call.args))
    return known and not holds_objects(call, names)


def holds_objects(call: ast.Call, names: Names) -> bool:
    """Whether a call makes an array of references: ``np.empty(2, dtype=object)``."""
    at = lookup(names.resolve(call.func)).dtype
    if not at:
        return False
    named = (k.value for k in call.keywords if k.arg == "dtype")
    return any(
        not _NUMBERS.fullmatch(node.value)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        else dotted(node).endswith(("object", "object_"))
        or isinstance(node, ast.Constant | ast.List | ast.Dict)
        for node in (*call.args[at : at + 1], *named)
    )


def is_plain(call: ast.Call, names: Names) -> bool:
    """Whether a fresh call returns no array: a number, a text, a range."""
    row = lookup(names.resolve(call.func))
    return row.module in _PYTHON and row.kind is not Kind.ELEMENTWISE


def is_pure(call: ast.Call, names: Names) -> bool:
    """Whether a call is pure and may be hoisted to the moment before."""
    row = called(call, names)
    return row.is_type or (row.pure and is_fresh(call, names))
