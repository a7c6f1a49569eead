"""The table of known functions says what Python and NumPy do; no room forgets one."""

from __future__ import annotations

import builtins
import importlib
import itertools
import math
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from looptx.emit.cython.prelude import prelude
from looptx.emit.intrinsics import c_function
from looptx.errors import LooptxError
from looptx.lower.kinds import FLOAT, INT, of
from looptx.lower.tree import Intrinsic, variable
from looptx.lower.values import calls
from looptx.model.functions import (
    CONSTANTS,
    FILLED,
    FUNCTIONS,
    METHODS,
    Function,
    Kind,
    Native,
    When,
)
from looptx.model.types import ScalarType
from looptx.source.names.calls import is_known
from looptx.validation.symbols.functions import Functions
from looptx.validation.symbols.table import Table

MODULES: dict[str, Any] = {"builtins": builtins, "math": math, "numpy": np}
MODULES["importlib"] = importlib
NUMBERS = (0, 1, -1, 2, -3, 5, 0.0, 0.5, -0.5, 2.5, -3.0, 1e308, -1e308, True)
FAR = (*NUMBERS, math.inf, -math.inf, math.nan, 1e200, 2000, 10**30, 4 * 10**30)
COUNTING = ("comb", "perm", "factorial")
"""Of more than a few, these compute for long."""

LATER = ("cbrt", "exp2", "fma", "sumprod")
"""What some Python that we run with does not have."""


def computed(row: Function) -> Any:
    """The function itself, None where this Python or NumPy has none."""
    found = MODULES[row.module]
    for name in row.own.split("."):
        found = getattr(found, name, None)
    return found


def rows(module: str = "") -> list[Function]:
    """The rows of the functions that are here."""
    return [
        row
        for row in FUNCTIONS.values()
        if computed(row) is not None and row.name.startswith(module)
    ]


def called(row: Function, *args: Any) -> Any:
    """What a function gives, None where it raises."""
    if row.own in COUNTING and any(100 < x < 1e20 for x in args):
        return None
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return computed(row)(*args)
    except (ArithmeticError, TypeError, ValueError):
        return None


def results(row: Function, *kinds: type) -> Iterator[tuple[Sequence[Any], Any]]:
    """What a function gives for numbers of these types, as far as it gives anything."""
    given = [x for x in NUMBERS if type(x) in kinds]
    for count in (1, 2) if row.inputs is None else (row.inputs,):
        for args in itertools.product(given, repeat=max(count, row.least)):
            if (value := called(row, *args)) is not None:
                yield args, value


def known_pure() -> list[Function]:
    return [row for row in rows() if is_known(row.name)]


def test_the_functions_are_there() -> None:
    for name, row in FUNCTIONS.items():
        assert callable(computed(row)) or row.own in LATER, name
        assert name == row.name
    assert all(name == row.name and not row.module for name, row in METHODS.items())


def test_no_function_of_math_is_forgotten() -> None:
    """All of it is pure."""
    own = {name for name in dir(math) if name[0] != "_"}
    assert {f"math.{name}" for name in own} <= FUNCTIONS.keys() | CONSTANTS.keys()


def test_constants_are_those_of_the_modules() -> None:
    for name, value in CONSTANTS.items():
        module, _, constant = name.partition(".")
        assert repr(getattr(MODULES[module], constant)) == repr(value)


def test_numbers_are_given_for_numbers() -> None:
    several = (np.ndarray, tuple, range)
    for row in known_pure():
        if row.kind in (Kind.SCALAR, Kind.ELEMENTWISE):
            for args, value in results(row, int, float, bool):
                assert isinstance(value, several) != row.number, (row.name, args)


def test_numpys_functions_are_of_their_kind() -> None:
    whole = np.ones((2, 3))
    for row in rows("numpy"):
        function = computed(row)
        if row.kind is Kind.ELEMENTWISE and isinstance(function, np.ufunc):
            assert row.inputs == function.nin, row.name
        elif row.kind is Kind.REDUCTION:
            assert np.ndim(function(whole)) == 0, row.name
            assert not isinstance(function(whole), np.ndarray), row.name
        elif row.fill is not None:
            made = function(*(whole if row.like else (2, 3), 7)[: row.dtype])
            assert made.shape == whole.shape, row.name
            if row.fill:
                assert (made == (7 if row.fill == FILLED else int(row.fill))).all()


def test_the_type_of_elements_is_given_there() -> None:
    for row in rows("numpy"):
        if row.dtype:
            given = np.ones(3) if row.like or row.own == "array" else 3
            made = computed(row)(*(given, 7)[: row.dtype], np.int8)
            assert made.dtype == np.int8, row.name


def test_what_is_fresh_shares_no_memory() -> None:
    for row in rows("numpy"):
        if row.kind is not Kind.ELEMENTWISE or not row.number or row.is_type:
            continue
        shared = False
        for dtype in (np.float64, np.int64, np.bool_, np.complex128):
            given = [np.ones(3, dtype) for _ in range(row.inputs or 1)]
            found = called(row, *given)
            if found is not None:
                shared |= any(np.shares_memory(found, each) for each in given)
        assert shared != row.fresh, row.name


def test_numpys_functions_call_themselves_so() -> None:
    """By this a name is told from one that was rebound."""
    for row in rows("numpy"):
        if not row.is_type:
            own = row.own.rpartition(".")[2]
            assert computed(row).__name__ == (row.alias or own)
        if row.alias:
            assert FUNCTIONS[f"numpy.{row.alias}"].native is row.native, row.name


def test_integers_are_given() -> None:
    for row in rows():
        if row.integer is When.NEVER:
            continue
        kinds = (int,) if row.integer is When.ALL else (int, float, bool)
        found = [value for _, value in results(row, *kinds)]
        assert found or row.own == "len", row.name
        assert all(isinstance(value, (int, np.integer)) for value in found), row.name


def test_what_is_not_negative() -> None:
    for row in rows():
        if row.nonnegative is not When.NEVER:
            for args, value in results(row, int, float):
                known = row.nonnegative.holds(x >= 0 for x in args)
                assert not known or value >= 0, (row.name, args)


def test_the_errors_of_math() -> None:
    """ValueError for the domain, OverflowError for the range."""
    for row in rows("math"):
        found = set()
        for count in (1, 2, 3) if row.own == "fma" else (1, 2):
            for args in itertools.product(FAR, repeat=count):
                if row.own in COUNTING and any(100 < x < 1e20 for x in args):
                    continue
                try:
                    computed(row)(*args)
                except ValueError:
                    found.add("domain")
                except OverflowError:
                    found.add("range")
                except (TypeError, ZeroDivisionError):
                    continue
        assert found == set(row.errors) or row.own == "isclose", row.name


def test_native_code_computes_what_it_says() -> None:
    strong = map(ScalarType, ("float64", "complex128"))
    kinds = [of(kind) for kind in (FLOAT, INT, *strong)]
    for row in known_pure():
        name, known = row.name.removeprefix("builtins."), 0
        for kind, count in itertools.product(kinds, (1, 2, 3)):
            try:
                calls.apply(name, [variable("x", kind)] * count)
            except LooptxError:
                continue
            known += 1
        assert bool(known) == (row.native is not Native.NO) or name == "len", name


def test_native_code_has_a_helper() -> None:
    prefixes = {Native.LIBM: ("", "math"), Native.UFUNC: ("float64", "numpy")}
    for row in FUNCTIONS.values():
        if row.native in prefixes:
            one = Intrinsic(row.alias or row.own, *prefixes[row.native])
            assert c_function(one) in prelude({one}), row.name


def test_validation_has_a_meaning_for_each() -> None:
    meanings = Functions(Table())
    for row in rows():
        if row.module == "builtins" and is_known(row.name):
            assert (row.own in Functions.known()) == (row.own not in ("hash", "id"))
        elif is_known(row.name) or row.fill is not None:
            assert callable(meanings.of(row.name)), row.name
