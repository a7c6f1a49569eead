"""What counts as quiet raises nothing: each entry, on the extremes of all kinds."""

from __future__ import annotations

import ast
import builtins
import itertools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from looptx.model.dtypes import DTYPES
from looptx.model.functions import FUNCTIONS, Kind
from looptx.source.nests.statements import quiet
from looptx.source.nests.statements.quiet import Number, Numbers
from looptx.source.nests.statements.quiet_functions import call

OPERATORS: dict[type[ast.operator], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.MatMult: operator.matmul,
}
COMPARISONS: dict[type[ast.cmpop], Callable[..., Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
SIGNS: dict[type[ast.unaryop], Callable[..., Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
CONSTANTS = (0, 1, -1, 2, 127, 128, 255, 256, -129, 2**31, 2**63 - 1, 2**63, 2**1024)
Row = tuple[Number, list[Any]]


def _numpys() -> Iterator[Row]:
    """Numbers of NumPy of each type, with its extremes."""
    for name, row in DTYPES.items():
        values: list[Any] = [0, 1]
        if row.is_integer:
            values += [row.range[0], row.range[1]]
        elif row.kind == "f":
            limit = float(np.finfo(name).max)
            values += [-0.0, limit, -limit, math.nan, math.inf]
        elif row.is_complex:
            values += [1j, complex(1e308, 1.7e308), complex(math.nan)]
        yield Number(name), [np.dtype(name).type(value) for value in values]


def _pythons() -> Iterator[Row]:
    """Numbers of Python, some of which are known."""
    yield Number("bool", True, 1), [True, False]
    for bits in (7, 30, 63, 64, 1023, 1024):
        most = 2**bits - 1
        yield quiet.integer(bits), [0, 1, -1, most, -most, *[10**400] * (bits > 1023)]
    floats = [0.0, -0.0, 1.7e308, -1.7e308, 5e-324, math.nan, math.inf]
    yield Number("float64", True), floats
    yield Number("complex128", True), [0j, 1j, 1.7e308 + 1.7e308j, complex(math.nan)]
    for value in (*CONSTANTS, 0.0, 2.0, 5e-324, 1e308, 0j, 1j, True, False):
        known = quiet.constant(value)
        assert known is not None
        yield next(iter(known)), [value]


def _boxed() -> Iterator[Row]:
    """Arrays without axes, as ``np.where`` gives."""
    for one, values in _numpys():
        yield replace(one, boxed=True), [np.array(value) for value in values]


ROWS = (*_numpys(), *_pythons(), *_boxed())
FEW = ROWS[::4]


def _agrees(numbers: Numbers, found: Any) -> bool:
    """Whether a value is one of the numbers."""
    weak = not isinstance(found, np.generic | np.ndarray)
    kind = np.asarray(found).dtype.kind if not weak else ""
    for one in numbers:
        if one.weak != weak:
            continue
        if not weak:
            if one.row.kind == kind and isinstance(found, np.generic) >= (
                not one.boxed
            ):
                return True
            continue
        own = {"b": bool, "i": int, "f": float, "c": complex}[one.row.kind]
        if type(found) is own:
            return own is not int or one.bits > 1023 or _bits(found) <= one.bits + 2
    return False


def _bits(value: int) -> int:
    return abs(value).bit_length()


def _judge(
    what: str, known: Numbers | None, run: Callable[..., Any], values: Sequence[Any]
) -> int:
    """See that what is known to be quiet is; how many cases that were."""
    if known is None:
        return 0
    for row in itertools.product(*values):
        try:
            found = run(*row)
        except Exception as error:
            pytest.fail(f"{what} of {row} raises {error!r}")
        assert _agrees(known, found), f"{what} of {row} is {found!r}, not {known}"
    return 1


def _one(found: Number | None) -> Numbers | None:
    return None if found is None else frozenset((found,))


def _is_slow(op: type[ast.operator], left: Number, right: Number) -> bool:
    """Whether Python would compute an integer of millions of bits."""
    most = abs(right.value) if right.value is not None else 0
    return op in (ast.Pow, ast.LShift) and most > 300


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
def test_operators(op: type[ast.operator]) -> None:
    quiet_ones = 0
    with np.errstate(all="ignore"):
        for (left, some), (right, others) in itertools.product(ROWS, repeat=2):
            if not _is_slow(op, left, right):
                found = _one(quiet.operation(op(), left, right))
                values = (some, others)
                quiet_ones += _judge(op.__name__, found, OPERATORS[op], values)
    assert bool(quiet_ones) == (op is not ast.MatMult)


@pytest.mark.parametrize("op", COMPARISONS, ids=lambda op: op.__name__)
def test_comparisons(op: type[ast.cmpop]) -> None:
    quiet_ones = 0
    with np.errstate(all="ignore"):
        for (left, some), (right, others) in itertools.product(ROWS, repeat=2):
            found = _one(quiet.comparison(op(), left, right))
            quiet_ones += _judge(op.__name__, found, COMPARISONS[op], (some, others))
    assert quiet_ones


@pytest.mark.parametrize("op", SIGNS, ids=lambda op: op.__name__)
def test_signs(op: type[ast.unaryop]) -> None:
    quiet_ones = 0
    with np.errstate(all="ignore"):
        for one, values in ROWS:
            found = _one(quiet.negation(op(), one))
            quiet_ones += _judge(op.__name__, found, SIGNS[op], [values])
    assert quiet_ones


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
def test_cells(dtype: str) -> None:
    def stored(value: Any) -> Any:
        cell = np.zeros(1, dtype)
        cell[0] = value
        return cell[0]

    found = [_one(quiet.stored(dtype, one)) for one, _ in ROWS]
    for known, (_, values) in zip(found, ROWS, strict=True):
        _judge(f"a cell of {dtype}", known, stored, [values])
    assert len([one for one in found if one is not None]) > 2


QUIET_NAMES = [
    name
    for name, row in FUNCTIONS.items()
    if row.kind in (Kind.SCALAR, Kind.ELEMENTWISE)
    and name not in ("builtins.pow", "math.factorial", "math.comb", "math.perm")
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", QUIET_NAMES)
def test_functions(name: str) -> None:
    row = FUNCTIONS[name]
    module = {"numpy": np, "math": math, "builtins": builtins}[row.module]
    function = getattr(module, row.own, None)
    if function is None:
        pytest.skip("it is of another version")
    counts = (1, 2) if row.inputs is None else (row.inputs,)
    with np.errstate(all="ignore"):
        for count in counts:
            known = ROWS if count == 1 else FEW[:: count - 1]
            for given in itertools.product(known, repeat=count):
                found = call(row, [frozenset((one,)) for one, _ in given])
                _judge(name, found, function, [values for _, values in given])
