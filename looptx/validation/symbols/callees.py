"""The functions of the user while symbols run: each call is one unknown function.

Which one does not matter: both versions of a kernel call it by one name. For numbers it
is computed, as the model has it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import SimpleNamespace
from typing import Any

from looptx.model.callees.callee import Callee
from looptx.model.functions import lookup
from looptx.validation.symbols.cells import Cells, Unrunnable
from looptx.validation.symbols.functions import MODULES, Functions
from looptx.validation.symbols.table import Symbol

_ANY = 1
"""The number that a name of the module stands for: both versions see the same."""


def called(callees: Mapping[str, Callee], functions: Functions) -> dict[str, Any]:
    """What the names mean by which functions of the user are called.

    Args:
        callees: the functions, by (dotted) name. functions: those of symbols.
    """
    found: dict[str, Any] = {}
    for name, callee in callees.items():
        head, *rest = name.split(".")
        value = _function(name, callee, functions)
        if not rest:
            found[head] = value
            continue
        space = found.setdefault(head, SimpleNamespace())
        for part in rest[:-1]:
            space = vars(space).setdefault(part, SimpleNamespace())
        setattr(space, rest[-1], value)
    return found


def _function(name: str, callee: Callee, functions: Functions) -> Callable[..., Any]:
    """A function of symbols.

    Args:
        name: it. callee: what it computes. functions: those of symbols.
    """
    plain = compiled(callee)
    words = {own: word for word, own in callee.keywords.items()}

    def call(*values: Any, **options: Any) -> Any:
        given = dict(zip(callee.parameters, values, strict=False))
        given |= {callee.keywords[word]: value for word, value in options.items()}
        arrays = {own: value for own, value in given.items() if type(value) is Cells}
        if not arrays.keys() <= callee.arrays.keys():
            raise Unrunnable(f"`{name}` of an array")
        # The same call again is the same symbol, however its arguments are told.
        label = f"{name}({', '.join(words.get(own, own) for own in given)})"
        single = {own: value for own, value in given.items() if own not in arrays}
        whole = partial(
            _of, plain, tuple(single), {own: _Read(x) for own, x in arrays.items()}
        )
        operands = [*single.values()]
        if arrays:
            operands += _read(whole, operands)
        if not any(type(value) is Symbol for value in operands):
            return whole(*operands)
        apply = functions.table.apply
        if not callee.results:
            return apply(label, whole, *operands)
        return tuple(
            apply(f"{label}[{at}]", partial(_part, whole, at), *operands)
            for at in range(callee.results)
        )

    return call


class _Read:
    """An array of which numbers are read.

    Args:
        cells: the array.

    Attributes:
        found: what has been read.
    """

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.found: list[Any] = []

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents."""
        return self.cells.shape

    def __getitem__(self, key: Any) -> Any:
        value = self.cells[key]
        if type(value) is Cells:
            raise Unrunnable("a function that reads a row of an array")
        self.found.append(value)
        return _number(value)


def _read(whole: partial[Any], values: Sequence[Any]) -> list[Any]:
    """What a function reads of the arrays that it is given."""
    arrays = whole.args[2].values()
    with suppress(ArithmeticError, ValueError):
        whole(*map(_number, values))
    return [value for array in arrays for value in array.found]


def _number(value: Any) -> Any:
    """The number that a symbol stands for."""
    return value.number if type(value) is Symbol else value


def _of(
    plain: Callable[..., Any],
    names: tuple[str, ...],
    arrays: Mapping[str, _Read],
    *values: Any,
) -> Any:
    """A function of its arguments in another order.

    Args:
        plain: the function. names: of the arguments. arrays: those that are arrays.
        values: the others, and what it reads.
    """
    return plain(**dict(zip(names, values, strict=False)), **arrays)


def _part(whole: Callable[..., Any], at: int, *values: Any) -> Any:
    """One of several results."""
    return whole(*values)[at]


def compiled(callee: Callee) -> Callable[..., Any]:
    """The function of numbers that the model has."""
    names: dict[str, Any] = {"__builtins__": {}, **dict.fromkeys(callee.reads, _ANY)}
    for name, full in callee.meanings.items():
        module, _, own = full.rpartition(".")
        names[name] = getattr(MODULES[module], own) if module else lookup(full)
    for name, one in callee.callees.items():
        names[name] = _by_name(one)
    given = [ast.arg(name) for name in callee.parameters]
    defaults = [
        callee.defaults.get(name, ast.Constant(None)) for name in callee.parameters
    ]
    arguments = ast.arguments([], given, None, [], [], None, [*defaults])
    node = ast.FunctionDef(callee.name, arguments, [*callee.body], [], None, None)
    tree = ast.fix_missing_locations(ast.Module([node], []))
    exec(compile(tree, "<symbols>", "exec"), names)
    found: Callable[..., Any] = names[callee.name]
    return found


def _by_name(callee: Callee) -> Callable[..., Any]:
    """A function that is called with the names that its text has for arguments."""
    plain = compiled(callee)

    def call(*values: Any, **options: Any) -> Any:
        return plain(*values, **{callee.keywords[x]: y for x, y in options.items()})

    return call
