"""Global bindings: the modules and functions that the names of a function resolve to.

Native code has them built in (``min`` is Python's, ``np.sqrt`` NumPy's), so they are
part of its key, and ``bound`` tells what to look at for a name that was rebound.
Names of data are no part of it: their values are arguments of each call.
"""

from __future__ import annotations

import ast
import builtins
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

from looptx.model.functions import CONSTANTS, UNKNOWN, lookup
from looptx.model.naming import COUNTED, PRANGES, RANGE, WRITTEN
from looptx.model.trees import walk
from looptx.native.diagnostics.notices import FILENAME
from looptx.parsers.unwarned import parsed

_BUILT_IN = ("math", "numpy")
"""The modules whose functions and numbers (``math.pi``) native code has built in."""


def resolved_globals(function: types.FunctionType, text: str) -> dict[str, str]:
    """The modules and functions that a function's names resolve to.

    ``{"np": "numpy", "sqrt": "math.sqrt"}``. A name that is not the builtin or the
    module's function it looks like resolves to ``?.name``, which nothing knows.

    Args:
        function: its globals and closure are asked.
        text: its source.
    """
    found: dict[str, str] = {}
    for name, value in (*_written(function), *visible(function), *_made(function)):
        dotted = full_name(value)
        if not hasattr(builtins, name):
            if dotted:
                found[name] = dotted
        elif dotted != f"builtins.{name}":
            found[name] = dotted or f"?.{name}"
    for chain, value in members(function, text):
        name = chain.partition(".")[0]
        home = found.get(name, "").partition(".")[0]
        built_in = home in _BUILT_IN and not _genuine(chain, value, home)
        full = found.get(name, "") + chain.removeprefix(name)
        if built_in or (full in PRANGES and full_name(value) not in (RANGE, *PRANGES)):
            found[name] = f"?.{name}"
    for name, value in function.__globals__.items():
        # The names of decorators are no part of the function's code, nor is that of
        # NumPy where it only computes of arrays.
        plain = isinstance(value, (types.ModuleType, types.FunctionType))
        dotted = full_name(value) if plain else ""
        if dotted.partition(".")[0] == "looptx" or dotted == "numpy":
            # A module of which a part was replaced stays unknown.
            found.setdefault(name, dotted)
    return dict(sorted(found.items()))


def _genuine(chain: str, value: object, home: str) -> bool:
    """Whether a member of a module still is what its name says."""
    full, dotted = f"{home}.{chain.partition('.')[2]}", full_name(value)
    if dotted:
        # What is known of a function by its name has to be known of this one.
        row, own = lookup(full), dotted.rpartition(".")[2]
        free = row is UNKNOWN or row.is_type
        same = free or own in (full.rpartition(".")[2], row.alias)
        return same and dotted.partition(".")[0] == home
    known = CONSTANTS.get(full)
    return known is None or (type(value) is float and repr(value) == repr(known))


def bound(function: types.FunctionType, text: str) -> dict[str, object]:
    """What the names mean now that native code has built in, as Python writes them.

    Args:
        function: as for ``resolved_globals``.
        text: its source.
    """
    named = (*visible(function), *_made(function))
    found = {name: value for name, value in named if full_name(value)}
    found.update(members(function, text))
    return found


def in_scope(
    text: str, function: types.FunctionType, more: Mapping[str, types.CellType]
) -> types.FunctionType:
    """A function that sees what another one does: its globals and its closure.

    Args:
        text: the source of the function.
        function: the other.
        more: what else it sees, by names that are in neither.
    """
    free = function.__code__.co_freevars
    cells = dict(zip(free, function.__closure__ or (), strict=True))
    cells |= more
    lines = "".join(f" {line}\n" for line in text.splitlines())
    whole = compile(f"def _({', '.join(cells)}):\n{lines}", FILENAME, "exec")
    ((code,),) = map(_functions, _functions(whole))
    closure = tuple(cells[name] for name in code.co_freevars)
    return types.FunctionType(code, function.__globals__, None, None, closure)


def _written(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The globals that hide builtins which only the rewritten function calls."""
    for name in sorted((WRITTEN | COUNTED) & function.__globals__.keys()):
        yield name, function.__globals__[name]


def _made(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """NumPy, as the module names it: the rewritten function makes arrays with it."""
    own = _variables(function.__code__)
    for name, value in function.__globals__.items():
        module = isinstance(value, types.ModuleType) and value.__name__ == "numpy"
        if module and name not in own:
            yield name, value
            return


def visible(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The globals, builtins and closure cells that the code of a function names."""
    space, builtin = function.__globals__, vars(builtins)
    for name in sorted(_names(function.__code__)):
        if name in space or name in builtin:
            yield name, space[name] if name in space else builtin[name]
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:
            continue


def members(function: types.FunctionType, text: str) -> Iterator[tuple[str, Any]]:
    """The functions (and numbers) of modules that a text names: ``math.sqrt``."""
    for chain, home, value in _chains(function, text):
        if full_name(value) or home in _BUILT_IN:
            yield chain, value


def settings(function: types.FunctionType, text: str) -> Iterator[tuple[str, Any]]:
    """The values of other modules that a text names: ``config.LIMIT``."""
    for chain, home, value in _chains(function, text):
        if not (full_name(value) or home in _BUILT_IN):
            yield chain, value


def _chains(
    function: types.FunctionType, text: str
) -> Iterator[tuple[str, str, object]]:
    """What modules hold, by the text that names it, with the names of the modules."""
    seen = dict(visible(function))
    for node in walk(parsed(text)):
        parts: list[str] = []
        chain: ast.AST = node
        while isinstance(chain, ast.Attribute):
            parts.insert(0, chain.attr)
            chain = chain.value
        if not parts or not isinstance(chain, ast.Name):
            continue
        name, value = chain.id, seen.get(chain.id)
        for part in parts:
            if not isinstance(value, types.ModuleType) or not hasattr(value, part):
                break
            home = value.__name__
            name, value = f"{name}.{part}", getattr(value, part)
            yield name, home, value


def _names(code: types.CodeType) -> frozenset[str]:
    return frozenset(code.co_names).union(*map(_names, _functions(code)))


def _variables(code: types.CodeType) -> frozenset[str]:
    own = frozenset((*code.co_varnames, *code.co_cellvars, *code.co_freevars))
    return own.union(*map(_variables, _functions(code)))


def _functions(code: types.CodeType) -> list[types.CodeType]:
    return [const for const in code.co_consts if isinstance(const, types.CodeType)]


def full_name(value: object) -> str:
    """The dotted name of a module, function or class; ``""`` for anything else."""
    if isinstance(value, types.ModuleType):
        return value.__name__
    if not callable(value):
        return ""
    try:
        if drawn := _drawing(value):
            return f"numpy.random.{drawn}"
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


def _drawing(value: object) -> str:
    """The name of a function of ``numpy.random``: a method of its own generator."""
    owner = getattr(value, "__self__", None)
    numpy = sys.modules.get("numpy.random.mtrand")
    name: str = getattr(value, "__name__", "")
    mine = numpy is not None and owner is not None and owner is numpy._rand
    return name if mine and getattr(numpy, name, None) is value else ""
