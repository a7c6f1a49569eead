"""What the global names of a function mean, seen from the function itself."""

from __future__ import annotations

import builtins
import types
from collections.abc import Iterator
from typing import Any


def meanings(function: types.FunctionType) -> dict[str, str]:
    """The modules and functions a function's names stand for.

    ``{"np": "numpy", "sqrt": "math.sqrt"}``; a global that hides a builtin is listed
    with its own dotted name, so that it is not mistaken for the builtin. Names of data
    are left out.
    """
    found: dict[str, str] = {}
    for name, value in sorted(_visible(function), key=lambda pair: pair[0]):
        dotted = _dotted(value)
        if dotted and not (
            hasattr(builtins, name) and value is getattr(builtins, name)
        ):
            found[name] = dotted
        elif hasattr(builtins, name) and value is not getattr(builtins, name):
            found[name] = f"{function.__module__}.{name}"
    for name, value in function.__globals__.items():
        # The names of decorators are no part of the function's code.
        plain = isinstance(value, (types.ModuleType, types.FunctionType))
        dotted = _dotted(value) if plain else ""
        if dotted.partition(".")[0] == "looptx":
            found[name] = dotted
    return dict(sorted(found.items()))


def _visible(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The globals and closure cells that the code of a function names."""
    space = function.__globals__
    for name in _names(function.__code__):
        if name in space:
            yield name, space[name]
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:
            continue


def _names(code: types.CodeType) -> frozenset[str]:
    inner = (const for const in code.co_consts if isinstance(const, types.CodeType))
    return frozenset(code.co_names).union(*map(_names, inner))


def _dotted(value: object) -> str:
    """The dotted name of a module, function or class; ``""`` for anything else."""
    if isinstance(value, types.ModuleType):
        return value.__name__
    if not callable(value):
        return ""
    try:
        name = getattr(value, "__qualname__", "") or getattr(value, "__name__", "")
        module = getattr(value, "__module__", None) or _ufunc_module(value)
    except Exception:  # a proxy that is not ready to be asked
        return ""
    return f"{module}.{name}" if name and isinstance(module, str) else ""


def _ufunc_module(value: object) -> str:
    import numpy as np

    if isinstance(value, np.ufunc) and getattr(np, value.__name__, None) is value:
        return "numpy"
    return ""
