"""The functions of the user while symbols run: each call is one unknown function.

Which one does not matter: both versions of a kernel call it by one name. For numbers it
is computed, as the model has it.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import combinations
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

from looptx.model.callees.callee import Callee
from looptx.model.functions import lookup
from looptx.model.records import dataclass
from looptx.parsers import unwarned
from looptx.validation.symbols.cells import Cells, TooMuch, Unrunnable
from looptx.validation.symbols.functions import MODULES, Functions
from looptx.validation.symbols.table import Symbol

_TICK = " tick"
_MOST_ROUNDS = 500_000
"""Iterations of the loops in a function while a kernel runs once."""

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
    if callee.objects.keys() & callee.defaults.keys():
        raise Unrunnable(f"`{name}`, a method")
    plain = compiled(callee)
    words = {own: word for word, own in callee.keywords.items()}

    def call(*values: Any, **options: Any) -> Any:
        given = dict(zip(callee.parameters, values, strict=False))
        given |= {callee.keywords[word]: value for word, value in options.items()}
        for own, members in callee.objects.items():
            base = given.pop(own)
            given |= {x: attrgetter(member)(base) for x, member in members.items()}
        arrays = {own: value for own, value in given.items() if type(value) is Cells}
        if not arrays.keys() <= callee.arrays.keys():
            raise Unrunnable(f"`{name}` of an array")
        several = {id(one): one for one in arrays.values()}.values()
        if callee.writes and any(x.meets(y) for x, y in combinations(several, 2)):
            raise Unrunnable(
                f"`{name}` of parts of one array, of which it changes some"
            )
        # The same call again is the same symbol, however its arguments are told.
        label = f"{name}({', '.join(words.get(own, own) for own in given)})"
        single = {own: value for own, value in given.items() if own not in arrays}
        whole = partial(_of, plain, tuple(single), arrays)
        operands = [*single.values()]
        written: list[_Cell] = []
        if arrays:
            used, written = _used(whole, operands)
            operands += used
        plainly = not any(type(value) is Symbol for value in operands)
        apply = functions.table.apply

        def part(text: str, at: Callable[[_Run], Any]) -> Any:
            one = partial(_part, whole, at)
            return one(*operands) if plainly else apply(label + text, one, *operands)

        result = _result(callee, part)
        found = [
            (cell, part(f" {own}{key}", partial(_left, own=own, key=key)))
            for cell in written
            for own, key in [(cell.array, cell.key)]
        ]
        for cell, value in found:
            arrays[cell.array][cell.key] = value
        return result

    return call


def _result(callee: Callee, part: Callable[[str, Callable[[_Run], Any]], Any]) -> Any:
    """What a function returns, as symbols.

    Args:
        callee: the function. part: makes a symbol of a part of what it does.
    """
    if callee.nothing:
        return None
    if not callee.results:
        return part("", lambda run: run.result)
    return tuple(part(f"[{at}]", partial(_one, at=at)) for at in range(callee.results))


@dataclass(frozen=True)
class _Cell:
    """An element: the parameter that has it, and its subscripts."""

    array: str
    key: Any


@dataclass(frozen=True)
class _Run:
    """What a function does with numbers.

    Attributes:
        result: what it returns. arrays: what it used, and left, of arrays.
    """

    result: Any
    arrays: Mapping[str, _Array]


class _Array:
    """An array of which numbers are read and written, which stay in here.

    Args:
        cells: the array.

    Attributes:
        found: what has been read of the array. left: what has been written, by place.
    """

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.found: list[Any] = []
        self.left: dict[Any, Any] = {}

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents."""
        return self.cells.shape

    def __getitem__(self, key: Any) -> Any:
        place = self._place(key)
        if place in self.left:
            return self.left[place]
        value = self.cells[key]
        if type(value) is Cells:
            raise Unrunnable("a function that reads a row of an array")
        self.found.append(value)
        return _number(value)

    def __setitem__(self, key: Any, value: Any) -> None:
        if type(self.cells[key]) is Cells:
            raise Unrunnable("a function that writes a row of an array")
        self.left[self._place(key)] = value

    def _place(self, key: Any) -> tuple[int, ...]:
        """The subscripts, none of which counts from the end."""
        keys = key if isinstance(key, tuple) else (key,)
        pairs = zip(keys, self.shape, strict=False)
        return tuple(int(at) % max(extent, 1) for at, extent in pairs)


def _used(whole: partial[_Run], values: Sequence[Any]) -> tuple[list[Any], list[_Cell]]:
    """What a function reads of the arrays that it is given, and where it writes."""
    arrays = _apart(whole.args[2])
    with suppress(ArithmeticError, ValueError):
        whole.func(*whole.args[:2], arrays, *map(_number, values))
    read = [value for array in arrays.values() for value in array.found]
    return read, [_Cell(own, key) for own, one in arrays.items() for key in one.left]


def _number(value: Any) -> Any:
    """The number that a symbol stands for."""
    return value.number if type(value) is Symbol else value


def _of(
    plain: Callable[..., Any],
    names: tuple[str, ...],
    arrays: Mapping[str, Cells | _Array],
    *values: Any,
) -> _Run:
    """A function of its arguments in another order.

    Args:
        plain: the function. names: of the arguments. arrays: those that are arrays.
        values: the others, and what it reads.
    """
    own = _apart(arrays)
    return _Run(plain(**dict(zip(names, values, strict=False)), **own), own)


def _apart(arrays: Mapping[str, Cells | _Array]) -> dict[str, _Array]:
    """Arrays of which nothing is changed for others; one that is given twice is one."""
    made: dict[int, _Array] = {}
    for one in arrays.values():
        known = one if isinstance(one, _Array) else _Array(one)
        made.setdefault(id(one), known)
    return {name: made[id(one)] for name, one in arrays.items()}


def _part(whole: partial[_Run], at: Callable[[_Run], Any], *values: Any) -> Any:
    """A part of what a function does."""
    return at(whole(*values))


def _one(run: _Run, at: int) -> Any:
    """One of several results."""
    return run.result[at]


def _left(run: _Run, own: str, key: Any) -> Any:
    """What a function left in an element.

    Args:
        run: what it did. own: the parameter. key: the subscripts.
    """
    array = run.arrays[own]
    return array.left[key] if key in array.left else _number(array.cells[key])


def compiled(callee: Callee) -> Callable[..., Any]:
    """The function of numbers that the model has."""
    names: dict[str, Any] = {"__builtins__": {}, "range": range}
    names |= dict.fromkeys(callee.reads, _ANY)
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
    node = ast.FunctionDef(
        callee.name, arguments, copy.deepcopy([*callee.body]), [], None, None
    )
    _Ticking().visit(node)
    names[_TICK] = _Rounds().tick
    tree = ast.fix_missing_locations(ast.Module([node], []))
    exec(unwarned.compiled(tree, "<symbols>"), names)
    found: Callable[..., Any] = names[callee.name]
    return found


class _Rounds:
    """Counts the iterations of the loops of a function."""

    def __init__(self) -> None:
        self._left = _MOST_ROUNDS

    def tick(self) -> None:
        """An iteration begins.

        Raises:
            TooMuch: it is more than there may be.
        """
        self._left -= 1
        if self._left < 0:
            raise TooMuch


class _Ticking(ast.NodeTransformer):
    """Counts in all loops."""

    def visit_For(self, node: ast.For | ast.While) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(ast.Call(ast.Name(_TICK, ast.Load()), [], [])))
        return node

    visit_While = visit_For


def _by_name(callee: Callee) -> Callable[..., Any]:
    """A function that is called with the names that its text has for arguments."""
    plain, words = compiled(callee), callee.keywords

    def call(*values: Any, **options: Any) -> Any:
        return plain(*values, **{words.get(x, x): y for x, y in options.items()})

    return call
