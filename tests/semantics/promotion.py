"""Every operator on pairs of element types, at their edges: one nest for each.

A statement stores into an array of the type that NumPy's result has. Pairs of different
types go by turns through the operators; ``make test N=10`` has all of them.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np
from kit.printing import Case
from kit.samples import thinned

from looptx.model.dtypes import DTYPES, FLOATS, INTEGERS

TYPES = ("bool", *INTEGERS, *FLOATS)
STEP = 3
"""One operator of so many has a pair of types."""

ELSEWHERE = {"bool", "uint8", "int32", "int64", "float32", "float64"}
"""Types whose pairs have rows in other tables (``numbers/operators``), too."""

OF_TWO = {
    "added": "{a} + {b}",
    "less": "{a} - {b}",
    "times": "{a} * {b}",
    "over": "{a} / {b}",
    "whole": "{a} // {b}",
    "rest": "{a} % {b}",
    "power": "{a} ** {b}",
    "both": "{a} & {b}",
    "either": "{a} | {b}",
    "one": "{a} ^ {b}",
    "up": "{a} << {b}",
    "down": "{a} >> {b}",
    "same": "{a} == {b}",
    "other": "{a} != {b}",
    "lower": "{a} < {b}",
    "most": "{a} <= {b}",
    "higher": "{a} > {b}",
    "least": "{a} >= {b}",
    "minimum": "np.minimum({a}, {b})",
    "maximum": "np.maximum({a}, {b})",
    "where": "np.where({a} < {b}, {a}, {b})",
    "angle": "np.arctan2({a}, {b})",
    "long": "np.hypot({a}, {b})",
    "signed": "np.copysign({a}, {b})",
    "left": "np.fmod({a}, {b})",
}
"""Expressions of two elements, by the names of their nests."""

OF_ONE = {
    "signs": "-{a}; +{a}; ~{a}; abs({a}); not {a}; np.abs({a})",
    "powers": "{a} ** 2; {a} ** 3; {a} ** 0; pow({a}, 5); {a} ** 0.5",
    "shifts": "{a} << 3; {a} >> 1; {a} << 0; 1 << {a}; {a} >> 40; {a} << 40",
    "literals": "{a} + 1; 3 - {a}; {a} * 7; {a} / 3; 7 // {a}; {a} % 5; {a} & 7;"
    "{a} + 0.1; 1.5 * {a}; {a} / 0.3; {a} + True; {a} * 2.0; {a} - 70; 100 | {a}",
    "python": "{a} + p; p - {a}; {a} * p; {a} / p; {a} // p; p % {a}; {a} & p;"
    "{a} + q; q * {a}; {a} - b; np.minimum({a}, p); {a} // q; {a} ** q",
    "compared": "{a} < 3; -1 < {a}; {a} == 0.1; 300 >= {a}; {a} != p; {a} < q;"
    "0 <= {a} < 100; {a} > -70000; {a} == b; p <= {a}; {a} < m; m == {a}",
    "chosen": "min({a}, {a}); max({a}, {a}, {a}); {a} and {a}; {a} or {a};"
    "{a} if {a} else {a}; np.where({a} > p, {a}, p)",
    "python numbers": "float({a}); bool({a}); int({a} < 3) + 2; float({a}) + 1",
    "rounded": "np.sqrt({a}); np.fabs({a}); np.square({a}); np.exp({a}); np.sin({a});"
    "np.log1p({a}); np.cbrt({a}); math.fabs({a}); math.atan2({a}, 3);"
    "math.copysign({a}, -1); np.arctan2({a}, 2); np.hypot(0.5, {a})",
    "halves": "np.floor({a}); np.ceil({a}); np.trunc({a}); np.rint({a});"
    "np.isnan({a}); np.isinf({a}); np.isfinite({a}); math.isnan({a}); np.sign({a})",
    "directions": "np.sign({a}); np.sign({a} - 3); np.sign(-{a}); np.sign({a} - p);"
    "np.sign({a} * q); np.sign({a}) * q",
    "made": "; ".join(f"np.{'bool_' if t == 'bool' else t}({{a}})" for t in TYPES),
}
"""Expressions of one, beside numbers of Python: an int, a float and a bool."""

BESIDE = {"p": 5, "q": 0.3, "b": True, "m": -7}

IN_PLACE = ("+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>")


@cache
def edges(dtype: str) -> tuple[Any, ...]:
    """Numbers at the edges of a type."""
    kind = np.dtype(dtype).type
    if dtype == "bool":
        return kind(0), kind(1)
    if dtype in INTEGERS:
        low, high = DTYPES[dtype].range
        near = [
            0,
            1,
            3,
            7,
            8,
            high,
            high - 1,
            low,
            high // 2 + 2,
            *([-1, -2] if low else []),
        ]
        return tuple(kind(value) for value in dict.fromkeys(near))
    info = np.finfo(dtype)
    near = [0.0, -0.0, 1.0, -2.5, 0.1, 7.0, 1000.7, float(info.max), np.inf]
    near += [-float(info.smallest_subnormal), float(info.tiny), 0.3]
    return tuple(kind(value) for value in near)


def result(expression: str, **dtypes: str) -> str:
    """The type of an expression of ones; nothing where NumPy has none."""
    ones = {name: np.dtype(dtype).type(1) for name, dtype in dtypes.items()}
    text = expression.format(a="one", b="two")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.asarray(
                eval(text, {"np": np, "math": np, **BESIDE, **ones})
            ).dtype.name
    except TypeError:
        return ""


def _pairs() -> Iterator[dict[str, tuple[Any, Any]]]:
    """A value on each side; a NaN never meets another, for C chooses one of the two."""
    sizes = max(len(edges(t)) for t in TYPES)
    for one, two in itertools.product(range(sizes), repeat=2):
        every = {t: edges(t) for t in TYPES}
        yield {t: (v[one % len(v)], v[two % len(v)]) for t, v in every.items()}
    for pair in ((np.nan, 1.0), (1.0, np.nan)):
        yield {t: pair if t in FLOATS else (1, 1) for t in TYPES}


@cache
def _sides() -> dict[str, Any]:
    pairs = list(_pairs())
    return {
        f"{side}_{t}": np.array([pair[t][at] for pair in pairs], t)
        for at, side in enumerate("xy")
        for t in TYPES
    }


def case(name: str, lines: Iterable[tuple[str, str]]) -> Case:
    """A nest that stores expressions, each in the row of an array of its type.

    What stands behind a semicolon happens to the cell then.
    """
    rows: dict[str, int] = {}
    body = []
    for expression, dtype in lines:
        at = rows[dtype] = rows.get(dtype, -1) + 1
        value, *then = expression.split("; ")
        for text in (f"= {value}", *then):
            body.append(f"    to_{dtype}[{at}, k] {text}")
    text = "\n".join(["for k in range(n):", *body])
    sides = {name: value for name, value in _sides().items() if f"{name}[" in text}
    beside = {name: value for name, value in BESIDE.items() if f" {name}" in text}
    count = len(next(iter(sides.values())))

    def env() -> dict[str, Any]:
        to = {f"to_{t}": np.zeros((most + 1, count), t) for t, most in rows.items()}
        return {**sides, **to, **beside, "n": count}

    return Case(name, text, env)


def ordered(name: str) -> Iterator[tuple[str, str]]:
    """Two types for an operator, if they are: one first for it, the other for the next.

    Each type meets itself.
    """
    number = list(OF_TWO).index(name)
    pairs = [*itertools.combinations(TYPES, 2)]
    yield from ((one, one) for one in TYPES)
    for first, second in thinned(pairs, STEP, number):
        yield (second, first) if number // STEP % 2 else (first, second)


def of_two(name: str) -> Case:
    """The nest of an operator."""
    expression = OF_TWO[name]
    lines = []
    for one, two in ordered(name):
        dtype = result(expression, one=one, two=two)
        exact = name == "power" and dtype not in FLOATS
        exact |= name == "left" and {one, two}.isdisjoint(FLOATS)
        if dtype and not exact and not {one, two} <= ELSEWHERE:
            lines.append((expression.format(a=f"x_{one}[k]", b=f"y_{two}[k]"), dtype))
    return case(name, lines)


def of_one(name: str) -> Case:
    """The nest of some expressions of one element."""
    lines = []
    for dtype, expression in itertools.product(
        TYPES, map(str.strip, OF_ONE[name].split(";"))
    ):
        found = result(expression, one=dtype)
        if found:
            lines.append((expression.format(a=f"x_{dtype}[k]"), found))
    return case(name, lines)


def kept() -> Case:
    """What an array keeps of an element of another type, where it keeps all."""
    pairs = itertools.product(TYPES, ("complex128", *TYPES))
    lines = []
    for one, two in pairs:
        own = DTYPES[two]
        if own.kind != "i" or own.holds(DTYPES[one]):
            lines.append((f"x_{one}[k]", two))
    return case("kept", lines)


def in_place() -> Case:
    """Operators that change a cell."""
    lines = []
    for number, (dtype, op) in enumerate(itertools.product(TYPES, IN_PLACE)):
        for other in (f"y_{dtype}[k]", *thinned(("3", "True"), 2, number)):
            known = "True" if other == "True" else "{a}"
            if result(f"{{a}} {op} {known}", one=dtype) == dtype:
                lines.append((f"x_{dtype}[k]; {op}= {other}", dtype))
    return case("in place", lines)


CASES = [*map(of_two, OF_TWO), *map(of_one, OF_ONE), kept(), in_place()]
