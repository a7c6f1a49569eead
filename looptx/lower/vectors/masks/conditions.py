"""Conditions in the lanes of a vector, and the functions of numbers that have vectors.

A mask has an integer in each lane, of the size of what it chooses from: all its bits
are set, or none is. Both values of a choice are computed in all lanes; what only some
of them may read is read under the mask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from looptx.lower.kinds import BOOL, INT, exact, of
from looptx.lower.tree import Assign, Expr, If, Stmt, infix, inside, number
from looptx.lower.types import RANK
from looptx.lower.vectors.masks.masked import (
    CELLS,
    Masked,
    cast,
    hidden,
    integers,
    inverted,
    under,
    uniform,
    wide,
)
from looptx.lower.vectors.scalar import LOADED, Scalar
from looptx.model.dtypes import DTYPES
from looptx.model.functions import FUNCTIONS as KNOWN
from looptx.model.functions import Native
from looptx.model.functions.powers import OTHERS
from looptx.model.records import replace
from looptx.model.types import ScalarType

COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
"""What comparisons are called as functions of vectors."""

FUNCTIONS = frozenset(
    ("min", "max", "minimum", "maximum", "plus", "minus", "fabs", "sign", "sqrt")
)
"""The functions that have vectors, with each lane as the function has it."""

LOOPS = frozenset(
    row.own
    for row in KNOWN.values()
    if row.native is Native.UFUNC and not row.alias and row.own != "power"
)
"""NumPy's functions, whose inner loops compute several numbers as they compute each. A
single exponent may be treated as none of several is."""


class Lanes(Masked, Protocol):
    """What makes vectors of values."""

    def varies(self, expr: Expr) -> bool:
        """Whether a value is another one in each lane."""

    def vector(self, expr: Expr, dtype: str) -> Expr:
        """A value in all lanes, of a type that holds it."""


def certain(lines: Iterable[Assign]) -> frozenset[Expr]:
    """The cells that statements touch whatever their data."""
    found: set[Expr] = set()
    for line in lines:
        for expr in (line.target, line.value):
            found.update(one for one in _evaluated(expr) if one.op in CELLS)
    return frozenset(found)


def _evaluated(expr: Expr) -> Iterator[Expr]:
    """An expression and those of its parts that are computed in any case."""
    yield expr
    lazy = expr.op in ("choice", "and", "or")
    for part in expr.parts[:1] if lazy else expr.parts:
        yield from _evaluated(part)


def chosen(w: Lanes, expr: Expr, dtype: str) -> Expr:
    """One of two values in each lane.

    Args:
        w: makes vectors. expr: the choice. dtype: of the numbers it gives.
    """
    cond, *values = expr.parts
    found = condition(w, cond, integers(dtype))
    both = []
    for value, bits in zip(values, (found, inverted(found)), strict=True):
        if hidden(w, value):
            with under(w, bits):
                both.append(w.vector(value, dtype))
        else:
            both.append(w.vector(value, dtype))
    return w.call("choose", dtype, found, *both)


def condition(w: Lanes, cond: Expr, dtype: str) -> Expr:
    """A condition in each lane, in integers of a type.

    Args:
        w: makes vectors. cond: it. dtype: the type.

    Raises:
        Scalar: it has no mask.
    """
    if cond.lanes > 1:
        return cast(w, cond, dtype)
    if not w.varies(cond):
        bits = Expr("choice", of(INT), (cond, number(-1), number(0)))
        return uniform(w, bits, dtype)
    if cond.op == "choice":
        return _either(w, cond, dtype)
    if cond.op in COMPARISONS:
        one, two = cond.parts
        known = one.op in COMPARISONS and cond.op == "!=" and two.number == 0
        return condition(w, one, dtype) if known else _compared(w, cond, dtype)
    if cond.op == "test":
        raise Scalar("a condition on positions has no vectors")
    if cond.op not in ("and", "or", "not"):
        return _compared(w, infix("!=", cond, number(0), of(BOOL)), dtype)
    first, *others = cond.parts
    found = condition(w, first, dtype)
    if cond.op == "not":
        return inverted(found)
    for other in others:
        if hidden(w, other):
            found = w.held(found, "mask")
            with under(w, found if cond.op == "and" else inverted(found)):
                more = condition(w, other, dtype)
        else:
            more = condition(w, other, dtype)
        sign = "&" if cond.op == "and" else "|"
        found = Expr(sign, found.kind, (found, more), lanes=w.lanes)
    return found


def branches(
    w: Lanes, node: If, block: Callable[[Sequence[Stmt]], list[Stmt]]
) -> list[Stmt]:
    """Statements that each lane runs where its own condition says so.

    Args:
        w: makes vectors.
        node: the statements.
        block: makes those for all lanes that run.
    """
    if write_alike(node):
        return block(_joined(w, node))
    taken = w.held(condition(w, node.cond, wide(node)), "mask")
    bounds = _is_of_places(node.cond)
    lines: list[Stmt] = []
    for own, bits in ((node.body, taken), (node.orelse, inverted(taken))):
        if own:
            with under(w, bits, bounds=bounds):
                lines += block(own)
    return lines


def _is_of_places(cond: Expr) -> bool:
    return any(part.op == "test" for part in inside(cond))


def write_alike(node: If) -> bool:
    """Whether each lane writes the same, whichever way it goes, but other values."""
    sides = _writes(node.body), _writes(node.orelse)
    return sides[0] == sides[1] != [] and not _is_of_places(node.cond)


def _writes(block: Sequence[Stmt]) -> list[tuple[Expr, str]]:
    """What statements write, and how; nothing where they do more than that."""
    if len(block) == 1 and isinstance(block[0], If):
        return _writes(block[0].body) if write_alike(block[0]) else []
    lines = [one for one in block if isinstance(one, Assign)]
    if len(lines) < len(block) or any(one.value.op == "index" for one in lines):
        return []
    return [(one.target, one.op) for one in lines]


def _joined(w: Lanes, node: If) -> list[Assign]:
    """Statements that write alike on both ways, each as one that writes what is chosen.

    A cell that is written in any case needs no mask.
    """
    taken = w.held(condition(w, node.cond, wide(node)), "mask")
    sides: list[Sequence[Stmt]] = []
    for own, bits in ((node.body, taken), (node.orelse, inverted(taken))):
        if isinstance(own[0], If):
            with under(w, bits):
                own = (*_joined(w, own[0]),)
        sides.append(own)
    found = []
    for one, two in zip(*sides, strict=True):
        assert isinstance(one, Assign) and isinstance(two, Assign)
        kind = of(ScalarType(one.target.kind.dtype))
        value = Expr("choice", kind, (taken, one.value, two.value))
        found.append(replace(one, value=value))
    return found


def _either(w: Lanes, cond: Expr, dtype: str) -> Expr:
    """One of two conditions in each lane.

    Args:
        w: makes vectors. cond: the choice. dtype: as of ``condition``.
    """
    first, *values = cond.parts
    found = w.held(condition(w, first, dtype), "mask")
    both = []
    for value, bits in zip(values, (found, inverted(found)), strict=True):
        if hidden(w, value):
            with under(w, bits):
                both.append(condition(w, value, dtype))
        else:
            both.append(condition(w, value, dtype))
    if both[0] == both[1]:
        return both[0]
    return w.call("choose", dtype, found, *both)


def _compared(w: Lanes, cond: Expr, dtype: str) -> Expr:
    one, two = cond.parts
    common = _common(one, two)
    common = LOADED.get(common, common)
    both = (w.vector(_written(part, common), common) for part in (one, two))
    found = w.call(COMPARISONS[cond.op], common, *both)
    have = integers(common)
    found = replace(found, kind=of(ScalarType(have)))
    if have == dtype:
        return found
    return w.call(f"from_{DTYPES[have].short}", dtype, found)


def _written(value: Expr, dtype: str) -> Expr:
    """A number as the source has it, if that is one of a type."""
    literal = value.literal
    known = value.op == "cast" and literal is not None and exact(literal, dtype)
    return value.parts[0] if known else value


def _common(one: Expr, two: Expr) -> str:
    """The type in which C compares two numbers."""
    for value, other in ((one, two), (two, one)):
        literal, dtype = value.literal, other.kind.dtype
        if literal is not None and dtype != "bool" and exact(literal, dtype):
            return dtype
    return max(one.kind.dtype, two.kind.dtype, key=RANK.__getitem__)


def _is_power(operation: str, parts: Sequence[Expr]) -> bool:
    """Whether an operation is a power that is no simpler one for a single exponent."""
    exponent = parts[-1].literal
    known = isinstance(exponent, float) and exponent not in OTHERS
    return operation == "power" and known


def function(w: Lanes, expr: Expr) -> Expr | None:
    """A call in each lane; None for one that has no vectors."""
    called = expr.intrinsic
    if called is None or called.dtype != expr.kind.dtype:
        return None
    if (called.operation, called.rules, called.dtype) == ("pow", "", "float64"):
        base, exponent = expr.parts
        alone = exponent.op == "number" and exponent.number == 2
        return w.call("square", "float64", w.vector(base, "float64")) if alone else None
    of_numpy = called.rules == "numpy" and (
        called.operation in LOOPS or _is_power(called.operation, expr.parts)
    )
    if of_numpy or called.rules == "quick":
        rules = called.rules
    elif called.rules in ("", "c") and called.operation in FUNCTIONS:
        rules = ""
    else:
        return None
    parts = (w.vector(part, called.dtype) for part in expr.parts)
    return w.call(called.operation, called.dtype, *parts, rules=rules)
