"""Expressions that need fewer tests, or none, where it is known what they may be."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from looptx.lower.kinds import BOOL, INT, RANGES, Kind, of
from looptx.lower.known.spans import Spans, Values, truncated, within
from looptx.lower.limits import EXACT, WORD
from looptx.lower.tree import Expr, Intrinsic, constant, dangers, infix, number
from looptx.lower.types import c_name
from looptx.lower.values.literals import HOLDS, converted, widened
from looptx.lower.vectors.masks.conditions import COMPARISONS
from looptx.model.intervals.constant import Interval
from looptx.model.records import replace
from looptx.model.types import ScalarType

_HELD = Interval(-EXACT, EXACT)
_SHORT = Interval(*RANGES["int32"])
_NATURAL = Interval(0, WORD)
_SINGLE = Interval(0, RANGES["uint32"][1])
_INSIDE = Interval(-WORD, WORD)
"""What an operation may give whose result is looked at."""

_AGAIN = {"add_again": "+", "sub_again": "-", "mul_again": "*"}
_SHIFTS = {"lshift": "<<", "rshift": ">>", "lshift_again": "<<"}


class Simpler:
    """Makes expressions simpler.

    Args:
        spans: tells what expressions may be.
    """

    def __init__(self, spans: Spans) -> None:
        self.spans = spans

    def __call__(self, expr: Expr, known: Values) -> Expr:
        """The same value, where variables are what is known of them."""
        if expr.lanes > 1:
            return expr
        if expr.op == "choice":
            return self._choice(expr, known)
        if expr.op in ("and", "or"):
            return self._logical(expr, known)
        parts = tuple(self(part, known) for part in expr.parts)
        if parts != expr.parts:
            expr = replace(expr, parts=parts)
        return self._simpler(expr, known)

    def _choice(self, expr: Expr, known: Values) -> Expr:
        cond, *values = expr.parts
        cond = self(cond, known)
        heres = [self.spans.where(cond, known, holds) for holds in (True, False)]
        one, two = (
            value if here is None else self(value, here)
            for value, here in zip(values, heres, strict=True)
        )
        if not dangers([cond]):
            truth = self.spans.of(cond, known).number
            first = heres[1] is None or truth == 1 or one == two
            if first or heres[0] is None or truth == 0:
                taken = one if first else two
                if taken.kind.dtype == expr.kind.dtype:
                    return replace(taken, kind=expr.kind)
        return replace(expr, parts=(cond, one, two))

    def _logical(self, expr: Expr, known: Values) -> Expr:
        """Conditions of which each knows how those before it came out."""
        parts, here = [], known
        for part in expr.parts:
            parts.append(self(part, here))
            more = self.spans.where(parts[-1], here, expr.op == "and")
            if more is None:
                break
            here = more
        passed = expr.op == "and"
        left = [part for part in parts if self._counts(part, known, passed)]
        if not left:
            return constant(int(passed), expr.kind)
        if len(left) == 1:
            return _truth(left[0], expr.kind)
        return replace(expr, parts=(*left,))

    def _counts(self, cond: Expr, known: Values, passed: bool) -> bool:
        """Whether a condition may come out otherwise than it has to, or raise.

        Args:
            cond: it. known: what is known there. passed: how it has to.
        """
        truth = self.spans.of(cond, known).number
        return truth is None or bool(truth) != passed or bool(dangers([cond]))

    def _simpler(self, expr: Expr, known: Values) -> Expr:
        """An expression whose parts are simple already."""
        if expr.op in COMPARISONS:
            decided = None if dangers([expr]) else self.spans.of(expr, known).number
            return expr if decided is None else constant(decided, expr.kind)
        if expr.op == "&":
            return self._masked(expr, known)
        called = expr.intrinsic
        if called is None:
            return expr
        make = _RULES.get(called.operation)
        made = make(self, expr, known) if make is not None else None
        return expr if made is None else made

    def _masked(self, expr: Expr, known: Values) -> Expr:
        """Bits of a shifted integer that are no copies of its sign: moved without it.

        Few processors have the other shift for vectors of 64 bits.
        """
        for moved, mask in (expr.parts, expr.parts[::-1]):
            if not _is_moved(moved) or not isinstance(mask.number, int):
                continue
            value, by = moved.parts
            most = Interval(0, 64 - mask.number.bit_length())
            far = mask.number < 0 or not within(self.spans.of(by, known), most)
            if far or within(self.spans.of(value, known), _NATURAL):
                continue
            plain = Expr(">>", _BITS, (converted(value, _BITS.c, _BITS), by))
            taken = converted(plain, moved.kind.c, moved.kind)
            order = (taken, mask) if moved is expr.parts[0] else (mask, taken)
            return replace(expr, parts=order)
        return expr

    def _again(self, expr: Expr, known: Values) -> Expr | None:
        """An operation whose result is within 64 bits."""
        assert expr.intrinsic is not None
        one, two = expr.parts
        plain = Expr(_AGAIN[expr.intrinsic.operation], expr.kind, (one, two))
        loose = replace(plain, kind=_LOOSE)
        if not within(self.spans._found(loose, known), _INSIDE):
            return None
        return (
            plain
            if one.wide or two.wide
            else infix(plain.op, widened(one), two, expr.kind)
        )

    def _shift(self, expr: Expr, known: Values) -> Expr | None:
        """A shift that is one of C's."""
        called = expr.intrinsic
        assert called is not None
        one, two, *bits = expr.parts
        most = bits[0].number if bits else 63
        assert isinstance(most, int)
        if called.dtype or not within(self.spans.of(two, known), Interval(0, most - 1)):
            return None
        op = _SHIFTS[called.operation]
        if called.operation == "lshift_again":
            loose = Expr(op, _LOOSE, (one, two))
            if not within(self.spans._found(loose, known), _INSIDE):
                return None
        return Expr(op, expr.kind, (widened(one), two))

    def _fit(self, expr: Expr, known: Values) -> Expr | None:
        """An integer that is one of a smaller type."""
        dtype = expr.kind.dtype
        (value,) = expr.parts
        if dtype not in RANGES:
            return None
        found = self.spans.of(value, known)
        if not within(found, Interval(*RANGES[dtype])):
            return None
        real = value.op == "cast" and value.parts[0].kind.dtype == "float64"
        if real and within(found, _SHORT):
            value = converted(value.parts[0], "int", of(INT))
        return converted(value, c_name(dtype), expr.kind)

    def _trunc(self, expr: Expr, known: Values) -> Expr | None:
        """A float that is a small integer without what is behind the point."""
        found = truncated(self.spans.real(expr.parts[0], known))
        if not within(found, _HELD):
            return None
        return converted(expr.parts[0], "int64_t", expr.kind)

    def _held(self, expr: Expr, known: Values) -> Expr | None:
        """An integer that a float holds."""
        (value,) = expr.parts
        return value if within(self.spans.of(value, known), _HELD) else None

    def _divided(self, expr: Expr, known: Values) -> Expr | None:
        """A quotient or a rest that is C's own, or needs no look at the divisor."""
        called = expr.intrinsic
        assert called is not None
        if called.dtype:
            return None
        one, two = (self.spans.of(part, known) for part in expr.parts)
        if not two.at_least(1):
            return None
        found = replace(called, rules="")
        if within(one, _NATURAL) and within(two, _NATURAL):
            single = within(one, _SINGLE) and within(two, _SINGLE)
            word = "quotient" if called.operation == "floordiv" else "rest"
            found = Intrinsic(word, "uint32" if single else "uint64")
        return replace(expr, intrinsic=found, raises="")

    def _quotient(self, expr: Expr, known: Values) -> Expr | None:
        """A quotient of what doubles hold, by what is not zero."""
        called = expr.intrinsic
        assert called is not None
        left, right = expr.parts
        if not self.spans.is_nonzero(right, known):
            return None
        spans = (self.spans.of(part, known) for part in expr.parts)
        held = called.dtype == "int64" and all(within(x, _HELD) for x in spans)
        if not held and (called.dtype, called.rules) != ("float64", "python"):
            return None
        return Expr("/", expr.kind, (converted(left, "double", expr.kind), right))


_LOOSE = Kind("int64", frozenset())
"""The kind of what may be beyond 64 bits."""

_BITS = of(ScalarType("uint64"))

_RULES: Mapping[str, Callable[[Simpler, Expr, Values], Expr | None]] = {
    **dict.fromkeys(_AGAIN, Simpler._again),
    **dict.fromkeys(_SHIFTS, Simpler._shift),
    "fit": Simpler._fit,
    "trunc_again": Simpler._trunc,
    HOLDS: Simpler._held,
    "floordiv": Simpler._divided,
    "mod": Simpler._divided,
    "div": Simpler._quotient,
}


def _is_moved(expr: Expr) -> bool:
    """Whether an integer of 64 bits with a sign is shifted to the right."""
    return expr.op == ">>" and expr.kind.dtype == "int64"


def has_rule(expr: Expr) -> bool:
    """Whether an expression may become simpler by what is known of its parts."""
    called = expr.intrinsic
    if expr.op == "&" and expr.lanes == 1:
        return any(map(_is_moved, expr.parts))
    if called is None or called.operation not in _RULES:
        return False
    if called.operation == "div":
        return called.dtype in ("int64", "float64")
    return called.operation in ("fit", "trunc_again", HOLDS) or not called.dtype


def _truth(value: Expr, kind: Kind) -> Expr:
    """A value as a condition."""
    if value.kind.dtype == "bool":
        return replace(value, kind=kind)
    return Expr("!=", of(BOOL), (value, number(0)))
