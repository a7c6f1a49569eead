"""Calls that return new memory, or a number."""

from __future__ import annotations

import ast
import re
from typing import Protocol

from looptx.model.trees import dotted
from looptx.source.names.arrays import MADE
from looptx.source.names.calls import BUILTINS, DTYPES, NUMPY, REDUCING, inputs

_CONSTRUCTORS = MADE | {f"{name}_like" for name in MADE}
_MADE_TEXT = "ndarray arange linspace logspace eye identity tile"
_MADE = _CONSTRUCTORS.union(_MADE_TEXT.split())
_RANDOM = frozenset(("random", "standard_normal", "uniform", "integers", "normal"))
_FRESH_NUMPY_TEXT = """
array copy repeat concatenate stack vstack hstack
column_stack outer dot matmul cumsum cumprod sort argsort tri tril triu
random.rand random.randn random.random random.standard_normal random.uniform
"""
# ``np.float64(A)`` is A where that is an array of float64.
_FRESH_NUMPY = frozenset(_FRESH_NUMPY_TEXT.split()).union(
    NUMPY - DTYPES - {"real", "imag"}, _MADE, REDUCING
)
_FRESH_METHODS = frozenset(("copy", "dot", "cumsum", "cumprod", "argsort")).union(
    ("tolist", "item"), _RANDOM, REDUCING
)
# Others may return what they are given: dict, getattr, list, max, next, tuple, zip ...
_FRESH_BUILTINS = frozenset(
    f"builtins.{name}" for name in (BUILTINS | {"id", "print"}) - {"max", "min", "sum"}
)
_SHARING = ("out", "copy", "buffer", "overwrite_input", None)
_DTYPES = frozenset(f"numpy.{name}" for name in DTYPES)
_ARRAYS = frozenset(f"builtins.{name}" for name in ("abs", "divmod", "pow", "round"))


_TYPED = _CONSTRUCTORS | {"array", "identity"}
_NUMBERS = re.compile(
    r"[<>=|]?[?bBhHiIlLqQpPefdgFDG]|[<>=|]?[biufc]\d+|bool|u?int\d*|float\d*|complex\d*"
)
"""The names of types of numbers, as strings."""


class Names(Protocol):
    """What the names of some part of a module mean."""

    def resolve(self, node: ast.AST) -> str:
        """The full name an expression stands for, empty when unknown."""


def is_fresh(call: ast.Call, names: Names) -> bool:
    """Whether a call returns what aliases nothing, and writes to no array.

    A shallow copy of a list shares what is in the list.
    """
    plain = not any(k.arg in _SHARING for k in call.keywords)
    given = len(call.args)
    name = names.resolve(call.func)
    module, _, function = name.partition(".")
    if module == "numpy":
        if holds_objects(call, names):
            return False
        if function == "ndarray" and given > 2:
            return False
        most = inputs(function) if function in NUMPY else 2
        return (
            function in _FRESH_NUMPY and plain and (function in _MADE or given <= most)
        )
    if name or not isinstance(call.func, ast.Attribute):
        return module == "math" or name in _FRESH_BUILTINS
    method = call.func.attr
    if method == "astype":
        return given == 1 and not call.keywords
    return method in _FRESH_METHODS and plain and given <= 1


def holds_objects(call: ast.Call, names: Names) -> bool:
    """Whether a call makes an array of references: ``np.empty(2, dtype=object)``."""
    function = names.resolve(call.func).removeprefix("numpy.")
    if function not in _TYPED:
        return False
    at = 2 if function in ("full", "full_like") else 1
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
    name = names.resolve(call.func)
    return name.startswith(("builtins.", "math.")) and name not in _ARRAYS


def is_pure(call: ast.Call, names: Names) -> bool:
    """Whether a call is pure and may be hoisted to the moment before."""
    name = names.resolve(call.func)
    if name in _DTYPES:
        return True
    drawn = name.startswith("numpy.random.") or (
        not name and isinstance(call.func, ast.Attribute) and call.func.attr in _RANDOM
    )
    return is_fresh(call, names) and not drawn and name != "builtins.print"
