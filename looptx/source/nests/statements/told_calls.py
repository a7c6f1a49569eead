"""What calls in front of a nest give: numbers, arrays and lists."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.model.dtypes import ANNOTATIONS, DTYPES, PYTHON, spelled
from looptx.model.functions import (
    FILLED,
    Function,
    Kind,
    When,
    lookup,
    lookup_method,
)
from looptx.model.records import replace
from looptx.model.trees import dotted
from looptx.model.types import ScalarType
from looptx.source.nests.statements import quiet
from looptx.source.nests.statements.held import (
    ODD,
    UNTOLD,
    Held,
    array,
    display,
    each,
    element,
    joined,
    one_of,
    plain,
    single,
    strong,
    weak,
    wide,
)
from looptx.source.nests.statements.quiet import Number, Numbers
from looptx.source.nests.statements.quiet_functions import call
from looptx.source.nests.statements.told_axes import (
    FLAT,
    Reading,
    always,
    argument,
    axes_of,
    places,
    reduced,
    shape_axes,
)

ENDLESS: Numbers = frozenset((quiet.integer(quiet.HUGE),))
"""Any of Python's integers."""

_ANY: Numbers = frozenset((*map(Number, DTYPES), *ENDLESS, *quiet.PYTHON_FLOAT))
_LISTS = ("list", "tuple", "sorted", "reversed", "zip", "enumerate", "iter")
"""Builtins that give what holds what they are given."""

_ARRAYS = ("asarray", "ascontiguousarray", "asfortranarray", "asanyarray", "require")
"""Functions that are like ``np.array``, but for the memory of what they give."""

_ODD = ("str_", "bytes_", "object_", "void", "datetime64", "timedelta64", "dtype")
_SILENT = ("sort", "partition", "tobytes", "tofile", "reverse", "clear", "seed")
"""Methods that give nothing, or bytes."""

_FLOATING = ("linspace", "logspace", "eye", "identity", "tri")


def called(node: ast.Call, by: Reading) -> Held:
    """What a call gives."""
    full = by.names.get(dotted(node.func), "")
    row, given = lookup(full), [by.value(one) for one in node.args]
    module, _, own = full.partition(".")
    if module == "numpy" and own in _ARRAYS:
        row = lookup("numpy.array")
    if row.is_type:
        cells = frozenset((Number(row.converts),)) if row.converts else _ANY
        return each(always(cells), *given[:1]) if given else single(cells)
    if module == "numpy" and (found := places(own, node, 1, by)):
        return found
    if row.kind is Kind.ARRAY:
        return array(_cells(row, node, by), axes_of(row, node, by))
    if module == "builtins":
        return _builtin(row, own, given)
    if row.kind is Kind.REDUCTION and module == "numpy":
        of, behind = next(iter(given), UNTOLD), 2 if own == "linalg.norm" else 1
        return reduced(wide(of.spread), of, node, behind)
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
    parts = [element(one, 1) for one in args]
    if name in ("zip", "enumerate"):
        counts = [single(quiet.COUNT)] if name == "enumerate" else []
        return display((display((*parts, *counts)),))
    if name in _LISTS:
        return display(parts[:1])
    if name == "range":
        return Held(None, quiet.COUNT, 1, True)
    if name in ("sum", "min", "max") and args:
        several = parts if len(args) == 1 else [*args]
        if name == "sum":
            several = [*parts[:1], *args[1:]]
            return single(wide(joined(several).number))
        return _function(row, several) if len(several) > 1 else several[0]
    if row.kind is Kind.REDUCTION:
        return single(ENDLESS | quiet.TRUTH)
    return _function(row, args) if row.name and row.number else ODD


def _function(row: Function, args: Sequence[Held]) -> Held:
    """What a function gives for numbers, or for the cells of arrays."""
    if row.kind is Kind.REDUCTION:
        return single(wide(_numbers(row, [one.spread for one in args])))
    return each(lambda *several: _numbers(row, several), *args)


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
    known = (x.spread for x in args if x.spread is not None)
    return plain(one_of((quiet.NUMBER, *map(strong, known))))


def _method(node: ast.Call, held: Held, by: Reading) -> Held:
    """What a method gives: told by its name alone.

    Args:
        node: the call. held: what it is a method of. by: reads its arguments.
    """
    assert isinstance(node.func, ast.Attribute)
    name, row = node.func.attr, lookup_method(node.func.attr)
    if held.cells is None and held.axes != 0:
        return ODD
    if name in ("astype", "view") and (node.args or node.keywords):
        cells = _elements(argument(node, 0, "dtype"), by)
        return each(always(cells), held)
    if found := places(name, node, 0, by):
        return found
    if name == "item":
        return single(weak(held.spread))
    if name == "tolist":
        return replace(held, number=None, cells=weak(held.cells), python=True)
    if name in _SILENT or (row.keeps and name != "setdefault"):
        return ODD
    if name in FLAT:
        flat = argument(node, 0, "axis") is None
        return array(held.cells, FLAT[name] if flat else held.axes)
    if name == "reshape":
        return array(held.cells, shape_axes(node.args, by))
    if row.kind is Kind.ARRAY:
        return held
    if row.kind is not Kind.REDUCTION:
        return UNTOLD
    return reduced(wide(held.spread), held, node, 0)


def _cells(row: Function, node: ast.Call, by: Reading) -> Numbers | None:
    """What is in the array that a function makes.

    Args:
        row: what is known of it. node: the call. by: reads its arguments.
    """
    wanted = argument(node, row.dtype, "dtype") if row.dtype else None
    if wanted is not None:
        return _elements(wanted, by)
    filled = row.fill == FILLED and not row.like
    if row.own in _FLOATING or (row.fill is not None and not (row.like or filled)):
        return quiet.FLOAT
    value = argument(node, 1, FILLED) if filled else None
    args = node.args[:1] if row.like else [value] if value is not None else node.args
    given = [by.value(one).spread for one in args]
    return strong(one_of(given)) if args else quiet.FLOAT


def _elements(node: ast.expr | None, by: Reading) -> Numbers | None:
    """The numbers of a type that is said; None for one of no numbers."""
    match node:
        case None | ast.Constant(None):
            return quiet.FLOAT
        case ast.Constant(str(text)):
            return _typed(spelled(text))
        case ast.Attribute(value, "dtype"):
            return strong(by.value(value).spread)
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
