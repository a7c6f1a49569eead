"""What calls in front of a nest give: numbers, arrays and lists."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from looptx.model.dtypes import ANNOTATIONS, DTYPES, PYTHON, spelled
from looptx.model.functions import (
    FILLED,
    Function,
    Kind,
    When,
    lookup,
    lookup_method,
)
from looptx.model.trees import dotted
from looptx.model.types import ScalarType
from looptx.source.nests.statements import quiet
from looptx.source.nests.statements.held import (
    ODD,
    UNTOLD,
    Held,
    array,
    joined,
    one_of,
    plain,
    strong,
    weak,
    wide,
)
from looptx.source.nests.statements.quiet import Number, Numbers
from looptx.source.nests.statements.quiet_functions import call

ENDLESS: Numbers = frozenset((quiet.integer(quiet.HUGE),))
"""Any of Python's integers."""

_ANY: Numbers = frozenset((*map(Number, DTYPES), *ENDLESS, *quiet.PYTHON_FLOAT))
_PLACES: Numbers = frozenset((Number("int64"),))
_LISTS = ("list", "tuple", "sorted", "reversed", "zip", "enumerate", "iter")
"""Builtins that give what holds what they are given."""

_ARRAYS = ("asarray", "ascontiguousarray", "asfortranarray", "asanyarray", "require")
"""Functions that are like ``np.array``, but for the memory of what they give."""

_INDICES = [
    "argsort",
    "argmin",
    "argmax",
    "argwhere",
    "argpartition",
    "lexsort",
    "nonzero",
    "flatnonzero",
    "searchsorted",
    "digitize",
    "bincount",
    "count_nonzero",
    "indices",
    "random.randint",
    "random.permutation",
]
"""Functions that count, or tell places."""

_ODD = ("str_", "bytes_", "object_", "void", "datetime64", "timedelta64", "dtype")
_SILENT = ("sort", "partition", "tobytes", "tofile", "reverse", "clear", "seed")
"""Methods that give nothing, or bytes."""

_FLOATING = ("linspace", "logspace", "eye", "identity", "tri")


@dataclass(frozen=True, slots=True)
class Reading:
    """How the value of a definition is read.

    Attributes:
        names: the full names of what it reads. value: what an expression in it gives.
        named: the values of a name in it, and how these are read.
    """

    names: Mapping[str, str]
    value: Callable[[ast.expr], Held]
    named: Callable[[str], Sequence[tuple[ast.expr, Reading]]]


def _argument(node: ast.Call, place: int, name: str) -> ast.expr | None:
    """An argument of a call, by its place or its name.

    Args:
        node: the call. place: where it stands without a name. name: its name.
    """
    named = [one.value for one in node.keywords if one.arg == name]
    return next(iter((*named, *node.args[place : place + 1])), None)


def called(node: ast.Call, by: Reading) -> Held:
    """What a call gives."""
    full = by.names.get(dotted(node.func), "")
    row, given = lookup(full), [by.value(one) for one in node.args]
    module, _, own = full.partition(".")
    if module == "numpy" and own in _ARRAYS:
        row = lookup("numpy.array")
    if module == "numpy" and own in _INDICES:
        return plain(_PLACES)
    if row.is_type:
        return plain(frozenset((Number(row.converts),)) if row.converts else _ANY)
    if row.kind is Kind.ARRAY:
        return array(_cells(row, node, by))
    if module == "builtins":
        return _builtin(row, own, given)
    if row.name:
        return _function(row, given)
    if module == "numpy":
        return _other(own, given)
    if isinstance(node.func, ast.Attribute) and not full:
        return _method(node, by.value(node.func.value), by)
    return UNTOLD


def _builtin(row: Function, name: str, args: Sequence[Held]) -> Held:
    """What a builtin gives.

    Args:
        row: what is known of it. name: its own. args: what it is given.
    """
    if name in _LISTS:
        counts = [plain(quiet.COUNT)] if name == "enumerate" else []
        return array(joined((*args, *counts)).cells)
    if name == "range":
        return Held(None, quiet.COUNT, 1)
    number = row.name and (row.number or row.kind is Kind.REDUCTION)
    return _function(row, args) if number else ODD


def _function(row: Function, args: Sequence[Held]) -> Held:
    """What a function gives for numbers, or for the cells of arrays."""
    cells = _numbers(row, [one.cells for one in args])
    if row.kind is Kind.REDUCTION:
        return plain(wide(cells))
    return Held(_numbers(row, [one.number for one in args]), cells)


def _numbers(row: Function, args: Sequence[Numbers | None]) -> Numbers | None:
    """What a function gives for numbers, where it raises nothing."""
    found = call(row, args)
    if found is not None:
        return found
    if row.integer is When.ALWAYS:
        return quiet.COUNT if row.own == "len" else ENDLESS
    if row.module != "numpy" and (row.converts or row.module == "math"):
        name = row.converts or "float64"
        return frozenset((quiet.typed(ScalarType(name, weak=True)),))
    known = one_of(args)
    return known and wide(known | ENDLESS if row.own == "round" else known)


def _other(own: str, args: Sequence[Held]) -> Held:
    """What a function of NumPy gives that is not in the table."""
    if own in (*_ODD, "errstate", "random.seed"):
        return ODD
    known = (x.cells for x in args if x.cells is not None)
    return plain(one_of((quiet.NUMBER, *map(strong, known))))


def _method(node: ast.Call, held: Held, by: Reading) -> Held:
    """What a method gives: told by its name alone.

    Args:
        node: the call. held: what it is a method of. by: reads its arguments.
    """
    assert isinstance(node.func, ast.Attribute)
    name, row = node.func.attr, lookup_method(node.func.attr)
    if held.cells is None:
        return ODD
    if name in ("astype", "view") and (node.args or node.keywords):
        return plain(_elements(_argument(node, 0, "dtype"), by))
    if name in _INDICES:
        return plain(_PLACES)
    if name == "item":
        return plain(weak(held.cells))
    if name == "tolist":
        return array(weak(held.cells))
    if name in _SILENT or (row.keeps and name != "setdefault"):
        return ODD
    if row.kind is Kind.ARRAY:
        return held
    return plain(wide(held.cells)) if row.kind is Kind.REDUCTION else UNTOLD


def _cells(row: Function, node: ast.Call, by: Reading) -> Numbers | None:
    """What is in the array that a function makes.

    Args:
        row: what is known of it. node: the call. by: reads its arguments.
    """
    wanted = _argument(node, row.dtype, "dtype") if row.dtype else None
    if wanted is not None:
        return _elements(wanted, by)
    filled = row.fill == FILLED and not row.like
    if row.own in _FLOATING or (row.fill is not None and not (row.like or filled)):
        return quiet.FLOAT
    value = _argument(node, 1, FILLED) if filled else None
    args = node.args[:1] if row.like else [value] if value is not None else node.args
    return strong(joined(map(by.value, args)).cells) if args else quiet.FLOAT


def _elements(node: ast.expr | None, by: Reading) -> Numbers | None:
    """The numbers of a type that is said; None for one of no numbers."""
    match node:
        case None | ast.Constant(None):
            return quiet.FLOAT
        case ast.Constant(str(text)):
            return _typed(spelled(text))
        case ast.Attribute(value, "dtype"):
            return strong(by.value(value).cells)
        case ast.Call(function, [inner]) if (
            by.names.get(dotted(function)) == "numpy.dtype"
        ):
            return _elements(inner, by)
        case ast.Name() | ast.Attribute() if full := by.names.get(dotted(node)):
            own = full.rpartition(".")[2]
            names = (lookup(full).converts, PYTHON.get(own), ANNOTATIONS.get(own))
            return _typed(next(filter(None, names), ""))
        case ast.Name(name):
            values = by.named(name)
            return one_of(_elements(*x) for x in values) if values else quiet.NUMBER
        case ast.List() | ast.Dict() | ast.Tuple():
            return None
    return quiet.NUMBER


def _typed(dtype: str) -> Numbers | None:
    return frozenset((Number(dtype),)) if dtype else None
