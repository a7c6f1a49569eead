"""The numbers that expressions of C may be: from one number to another.

Types say what cells may be, and the entry how large sizes are; what variables may be is
known where an expression stands. Python's integers fit into 64 bits: where they might
not, the entry tests it, or what computes them does. NumPy's wrap around.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import TypeAlias

from looptx.lower.kinds import RANGES
from looptx.lower.known import bits
from looptx.lower.limits import EXACT, SIZES, WORD
from looptx.lower.tree import Expr
from looptx.lower.values.literals import FITS, HOLDS
from looptx.lower.vectors.masks.conditions import COMPARISONS
from looptx.lower.vectors.masks.masked import CELLS
from looptx.model.dtypes import INTEGERS, ROWS
from looptx.model.expr import Compare, Cond, Start, Var
from looptx.model.expr.measure import interpreted
from looptx.model.intervals.constant import ANY, Interval, exactly
from looptx.model.records import dataclass
from looptx.model.shapes import is_extent

TRUTH = Interval(0, 1)
_BYTE = Interval(0, 255)
_PLACE = Interval(0, SIZES - 1)
_SIZE = Interval(1 - SIZES, SIZES - 1)
_WORD = Interval(-WORD - 1, WORD)

_C_TYPES = {row.c: Interval(*row.range) for row in ROWS if row.is_integer} | {
    "bint": TRUTH,
    "int": Interval(*RANGES["int32"]),
    "Py_ssize_t": _WORD,
}
"""What a variable of C may be."""

_OPERATORS: Mapping[str, Callable[[Interval, Interval], Interval]] = {
    "+": operator.add,
    "-": lambda one, two: one + -two,
    "*": operator.mul,
    "&": bits.both,
    "|": bits.either,
    "^": bits.either,
    "<<": bits.shifted_left,
    ">>": bits.shifted_right,
}

_FUNCTIONS: Mapping[str, Callable[..., Interval]] = {
    "add_again": operator.add,
    "sub_again": lambda one, two: one + -two,
    "mul_again": operator.mul,
    "lshift_again": bits.shifted_left,
    "rshift": lambda one, two, *_: bits.shifted_right(one, two),
    "lshift": lambda one, two, *_: bits.shifted_left(one, two),
    "floordiv": operator.floordiv,
    "mod": lambda one, two: one % two if two.at_least(1) else ANY,
    "min": Interval.minimum,
    "max": Interval.maximum,
    "abs": bits.size,
    "sign": lambda _: Interval(-1, 1),
    "fit": lambda one: one,
    "signed": lambda one: one,
    "signed_again": lambda one: one,
    FITS: lambda one: one,
    HOLDS: lambda one: one.meet(Interval(-EXACT, EXACT)),
}
"""What functions give of integers, where that does not wrap around."""

_PLACES = frozenset(("at", "at_near", "wrap"))
_TRUNCATING = frozenset(("trunc", "trunc_again", "trunc_near"))
_SURE = frozenset((*"+-*~", "<<", "neg", "index"))
"""What computes Python's integers: never more than 64 bits hold."""


@dataclass(frozen=True, slots=True)
class Reals:
    """The floats from ``low`` to ``high``, which are finite; none is a NaN."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Nonzero:
    """The floats but for zero, NaN among them."""


Values: TypeAlias = Mapping[str, Interval | Reals | Nonzero]
"""What is known of variables, by name."""


class Spans:
    """Tells what expressions may be.

    Args:
        types: the C types of the variables.
        sizes: the variables that the entry keeps below ``SIZES``.
    """

    def __init__(self, types: Mapping[str, str], sizes: frozenset[str]) -> None:
        self.types = types
        self.sizes = sizes

    def of(self, expr: Expr, known: Values) -> Interval:
        """The integers that an expression may be; any, if it is none."""
        limits = _limits(expr)
        if limits is ANY:
            return ANY
        found = self._found(expr, known)
        if within(found, limits):
            return found
        if expr.kind.weak and expr.op in _SURE:
            return found.meet(limits)
        return limits

    def _found(self, expr: Expr, known: Values) -> Interval:
        """As ``of``, before it wraps around."""
        match expr:
            case Expr("number", number=int() as number):
                return exactly(int(number))
            case Expr("name", name=name):
                return self.variable(name, known)
            case Expr("index", index=index) if not isinstance(index, Cond | None):
                return interpreted(index, exactly, lambda leaf: self._leaf(leaf, known))
            case Expr("cast", parts=(part,)):
                return self._converted(part, known)
            case Expr("choice", parts=(cond, one, two)):
                found = []
                for holds, part in ((True, one), (False, two)):
                    here = self.where(cond, known, holds)
                    if here is not None:
                        found.append(self.of(part, here))
                return found[0].join(found[-1]) if found else ANY
            case Expr("call"):
                return self._call(expr, known)
            case Expr("neg", parts=(part,)):
                return -self.of(part, known)
            case Expr("~", parts=(part,)):
                return -self.of(part, known) + exactly(-1)
            case Expr(op, parts=(one, two)) if op in _OPERATORS:
                return _OPERATORS[op](self.of(one, known), self.of(two, known))
            case Expr(op, parts=(one, two)) if op in COMPARISONS:
                return compared(op, self.of(one, known), self.of(two, known))
        return ANY

    def variable(self, name: str, known: Values) -> Interval:
        """What an integer variable may be."""
        found = known.get(name)
        if isinstance(found, Interval):
            return found
        if name in self.sizes:
            return _SIZE
        return _C_TYPES.get(self.types.get(name, ""), ANY)

    def _leaf(self, leaf: Var | Start, known: Values) -> Interval:
        if isinstance(leaf, Start):
            return ANY
        return _PLACE if is_extent(leaf.name) else self.variable(leaf.name, known)

    def _converted(self, part: Expr, known: Values) -> Interval:
        """What C's conversion makes of a value."""
        if part.kind.dtype not in ("float64", "float32"):
            return self.of(part, known)
        return truncated(self.real(part, known))

    def _call(self, expr: Expr, known: Values) -> Interval:
        called = expr.intrinsic
        if called is None or called.rules not in ("", "python", "numpy"):
            return ANY
        if called.operation in _PLACES:
            return _PLACE
        if called.operation in _TRUNCATING:
            found = truncated(self.real(expr.parts[0], known))
            if called.operation == "trunc_again":
                found = found.meet(Interval(-EXACT, EXACT))
            return found
        function = _FUNCTIONS.get(called.operation)
        if function is None or called.dtype not in ("", "uint64", *INTEGERS):
            return ANY
        found = function(*(self.of(part, known) for part in expr.parts))
        if called.operation.endswith("_again"):
            found = found.meet(_WORD)
        return found.meet(_limits(expr)) if called.operation in ("fit", FITS) else found

    def real(self, expr: Expr, known: Values) -> Reals | None:
        """The doubles that an expression may be, where none is a NaN, or infinite."""
        if expr.lanes > 1:
            return None
        if expr.kind.dtype in ("bool", *INTEGERS):
            whole = self.of(expr, known)
            return _as_reals(whole)
        if expr.kind.dtype != "float64":
            return None
        match expr:
            case Expr("number", number=int() | float() as number):
                finite = math.isfinite(number)
                return Reals(float(number), float(number)) if finite else None
            case Expr("name", name=name):
                found = known.get(name)
                return found if isinstance(found, Reals) else None
            case Expr("cast", parts=(part,)):
                return self.real(part, known)
            case Expr("neg", parts=(part,)):
                one = self.real(part, known)
                return one and Reals(-one.high, -one.low)
            case Expr("+" | "-" | "*" as op, parts=parts):
                return self._computed(op, parts, known)
            case Expr("call", parts=parts, intrinsic=called) if called is not None:
                sign = {"plus": "+", "minus": "-"}.get(called.operation)
                return self._computed(sign, parts, known) if sign else None
        return None

    def _computed(
        self, op: str, parts: tuple[Expr, ...], known: Values
    ) -> Reals | None:
        one, two = (self.real(part, known) for part in parts)
        if one is None or two is None:
            return None
        if op == "-":
            two, op = Reals(-two.high, -two.low), "+"
        if op == "+":
            return _around(one.low + two.low, one.high + two.high)
        return _around(
            *(x * y for x in (one.low, one.high) for y in (two.low, two.high))
        )

    def is_nonzero(self, expr: Expr, known: Values) -> bool:
        """Whether a number is surely not zero."""
        if expr.kind.dtype in ("bool", *INTEGERS):
            whole = self.of(expr, known)
            return whole.at_least(1) or whole.at_most(-1)
        if expr.op == "cast" and expr.kind.dtype == "float64":
            return self.is_nonzero(expr.parts[0], known)
        if expr.op == "name" and isinstance(known.get(expr.name), Nonzero):
            return True
        found = self.real(expr, known)
        return found is not None and (found.low > 0 or found.high < 0)

    def where(self, cond: Expr, known: Values, holds: bool) -> Values | None:
        """What is known where a condition comes out so; None where it never does.

        Args:
            cond: the condition. known: what is in any case. holds: how it comes out.
        """
        match cond:
            case Expr("not", parts=(part,)):
                return self.where(part, known, not holds)
            case Expr("and" | "or" as op, parts=parts) if (op == "and") == holds:
                here: Values | None = known
                for part in parts:
                    here = here if here is None else self.where(part, here, holds)
                return here
            case Expr(op, parts=(one, two)) if op in COMPARISONS:
                op = op if holds else _OPPOSITE[op]
                if any(x.kind.dtype not in ("bool", *INTEGERS) for x in (one, two)):
                    # A NaN is neither less nor not.
                    sure = holds or op == "!="
                    return _apart(one, two, known) if sure and op in _UNLIKE else known
                here = self._limited(one, op, self.of(two, known), known)
                if here is not None:
                    here = self._limited(two, _MIRRORED[op], self.of(one, here), here)
                return here
            case Expr("test", index=Compare(op, Var(name), right)) if (
                op in _OPPOSITE and not is_extent(name)
            ):
                side = Expr("index", cond.kind, index=right)
                limit = self._found(side, known)
                one = Expr("name", cond.kind, name=name)
                return self._limited(one, op if holds else _OPPOSITE[op], limit, known)
        return known

    def _limited(
        self, expr: Expr, op: str, limit: Interval, known: Values
    ) -> Values | None:
        """What is known where a value compares so with one in ``limit``."""
        if expr.op == "cast" and expr.parts[0].kind.dtype in ("bool", *INTEGERS):
            expr = expr.parts[0]
        if expr.op != "name":
            return known
        found = self.variable(expr.name, known).meet(_side(op, limit))
        if found.low is not None and found.high is not None and found.low > found.high:
            return None
        return {**known, expr.name: found}


_UNLIKE = ("!=", "<", ">")
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def _apart(one: Expr, two: Expr, known: Values) -> Values:
    """What is known of a float that is not the same number as another.

    Args:
        one, two: the floats. known: what is known in any case.
    """
    for value, other in ((one, two), (two, one)):
        plain = value.op == "name" and value.kind.dtype == "float64"
        if plain and other.number == 0 and value.name not in known:
            return {**known, value.name: Nonzero()}
    return known


def _side(op: str, limit: Interval) -> Interval:
    """What compares so with a number in ``limit``."""
    match op:
        case "<":
            return Interval(None, None if limit.high is None else limit.high - 1)
        case "<=":
            return Interval(None, limit.high)
        case ">":
            return Interval(None if limit.low is None else limit.low + 1, None)
        case ">=":
            return Interval(limit.low, None)
        case "==":
            return limit
    return ANY


def compared(op: str, one: Interval, two: Interval) -> Interval:
    """The truth of a comparison, as 0 or 1.

    Args:
        op: how it compares. one, two: what.
    """
    if op in (">", ">="):
        return compared(_MIRRORED[op], two, one)
    if op == "!=":
        equal = compared("==", one, two).number
        return TRUTH if equal is None else exactly(1 - equal)
    if op == "==":
        same = one.number is not None and one == two
        apart = _below(one.high, two.low, 1) or _below(two.high, one.low, 1)
        return exactly(int(same)) if same or apart else TRUTH
    by = 1 if op == "<" else 0
    if _below(one.high, two.low, by):
        return exactly(1)
    return exactly(0) if _below(two.high, one.low, 1 - by) else TRUTH


def _below(one: int | None, two: int | None, by: int) -> bool:
    """Whether a number is less than another by so much, at least; unknown, not."""
    return one is not None and two is not None and one + by <= two


def within(found: Interval, limits: Interval) -> bool:
    """Whether an interval is a part of another, which has two ends."""
    return (
        found.low is not None
        and found.high is not None
        and limits.low is not None
        and limits.high is not None
        and limits.low <= found.low
        and found.high <= limits.high
    )


def _limits(expr: Expr) -> Interval:
    """What an integer may be by its type."""
    dtype = expr.kind.dtype
    if expr.lanes > 1 or dtype not in ("bool", *INTEGERS):
        return ANY
    if dtype == "bool":
        return _BYTE if expr.op in CELLS else TRUTH
    limits = Interval(*RANGES[dtype])
    if expr.op == "cast":
        return limits.meet(_C_TYPES.get(expr.name, limits))
    return limits


def _as_reals(whole: Interval) -> Reals | None:
    """Integers as doubles."""
    if not within(whole, _WORD) or whole.low is None or whole.high is None:
        return None
    return _around(float(whole.low), float(whole.high))


def _around(*ends: float) -> Reals | None:
    """What lies between numbers that are rounded in whatever way, and a little more."""
    low, high = min(ends), max(ends)
    low, high = low - abs(low) * _SLACK, high + abs(high) * _SLACK
    return Reals(low, high) if low > -_LARGE and high < _LARGE else None


_SLACK = 2.0**-40
_LARGE = 1e300


def truncated(found: Reals | None) -> Interval:
    """The integers that floats are without what is behind the point."""
    if found is None:
        return ANY
    return Interval(math.trunc(found.low), math.trunc(found.high))
