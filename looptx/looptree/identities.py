"""What the parts of a reduction begin with: the identity of its operation.

It is neutral bit by bit: what is combined with it is what it was, negative zeros too.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping

from looptx.errors import Unproven
from looptx.model.dtypes import DTYPES, promoted
from looptx.model.functions import Kind, lookup
from looptx.model.program import Nest, Statement
from looptx.model.records import replace
from looptx.model.schedule import Schedule
from looptx.model.storage import Start
from looptx.model.trees import dotted
from looptx.model.types import ArrayType, ScalarType, Type


def started(
    schedule: Schedule,
    statement: Statement,
    types: Mapping[str, Type],
    integers: frozenset[str],
) -> Statement:
    """The statement that gives a part its first value, with that value.

    Args:
        schedule: the schedule. statement: one of its statements.
        types: what is known of names where the nest starts.
        integers: targets whose arithmetic is exact in any order.

    Returns:
        Any other statement as it is.

    Raises:
        Unproven: LX212 where no value is neutral, or where only the type says which.
    """
    if statement.start is None:
        return statement
    start = replace(statement.start, target=schedule.cached(statement.start.target))
    exact = start.target in integers
    kind = types.get(start.target)
    is_array = isinstance(kind, ArrayType) or bool(statement.elements)
    if start.op == "&" and not is_array:
        ones = _ones(schedule.nest, start, types, exact=exact)
        return _with(statement, ast.Constant(ones))
    # What is only known where the nest starts may be another integer in it.
    known = kind is not None and (is_array or not exact)
    adds = start.op in ("+", "*") and not is_array
    if (
        adds
        and not _is_part(schedule, start)
        and not _is_wide(schedule.nest, start, types)
    ):
        raise _narrow(start, _TYPED.format(start.target))
    dtype = kind.dtype if kind is not None and known else ""
    if not dtype and not exact:
        dtype = _inexact(start.operand, types)
    value = identity(start.op, dtype, exact=exact, is_array=is_array)
    if value is None and start.compares and not is_array:
        # In Python every number is above or below.
        value = -math.inf if start.op == "max" else math.inf
    if value is None:
        raise _unknown(start, dtype)
    number: ast.expr = ast.Constant(value)
    if start.op == "+" and dtype.startswith("complex"):
        # As a complex number -0.0 has one zero with the other sign.
        number = ast.UnaryOp(ast.USub(), ast.Constant(0j))
    return _with(statement, number)


def _with(statement: Statement, number: ast.expr) -> Statement:
    """The statement that gives a part its first value, with this one."""
    (code,) = statement.code
    assert isinstance(code, ast.Assign)
    changed = ast.copy_location(ast.Assign(code.targets, number), code)
    return replace(statement, code=(ast.fix_missing_locations(changed),))


def _ones(nest: Nest, start: Start, types: Mapping[str, Type], *, exact: bool) -> int:
    """A number of all bits of the terms of a scalar, which must not have more.

    Raises:
        Unproven: LX212 where the types of neither say that.
    """
    kinds = _Kinds(nest, types)
    terms, own = kinds.of(start.operand), kinds.before(start.target)
    for statement in nest.statements.values():
        if not statement.added:
            own |= kinds.assigned(statement, start.target)
    own.discard(f"?{start.target}")
    if terms == {"bool"} and own <= terms:
        return True
    strong = [x for x in terms if x in DTYPES]
    most = DTYPES[promoted(*strong)] if strong else DTYPES["int64"]
    if exact and most.is_integer and (most.kind == "i" or own <= terms):
        return most.range[1] if most.kind == "u" else -1
    if exact and most.kind == "b":
        return -1
    if exact:
        raise _narrow(start, "collect in an element of an array")
    raise _unknown(start, "")


def _is_part(schedule: Schedule, start: Start) -> bool:
    """Whether parts of parts are combined, which are as wide as these."""
    operand = start.operand
    while isinstance(operand, ast.Subscript):
        operand = operand.value
    name = dotted(operand)
    return bool(name) and schedule.cached(name) != name


def _is_wide(nest: Nest, start: Start, types: Mapping[str, Type]) -> bool:
    """Whether parts of a scalar have all values that it has, from the types of terms.

    A part begins with a number of Python, which takes the type of the terms (NEP 50).
    """
    kinds = _Kinds(nest, types)
    terms, own = kinds.of(start.operand), kinds.before(start.target)
    for statement in nest.statements.values():
        reduction = statement.reduction
        if statement.added:
            continue
        if reduction is not None and reduction.target.array == start.target:
            other = kinds.of(reduction.operand)
            own |= other if other != terms else set()
        else:
            own |= kinds.assigned(statement, start.target)
    strong = [x for x in terms if x in DTYPES]
    if f"?{start.target}" in own:
        # An argument without a type counts as a float, as terms without types do.
        own = own - {f"?{start.target}"} | ({"float64"} if strong else set())
    return all(
        (x in terms and x != _UNKNOWN)
        or (x in DTYPES and strong and promoted(*strong, x) == promoted(*strong))
        for x in own - {""}
    )


_UNKNOWN = "?"
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, *_BITS)


class _Kinds:
    """The types that expressions are made of.

    Each is the name of one, empty for numbers of Python; or says whose it is, where it
    is not known: ``?A``; or that nothing is known.
    """

    def __init__(self, nest: Nest, types: Mapping[str, Type]) -> None:
        self.nest, self.types = nest, types
        self.loops = {loop.var for loop in nest.loops.values()}

    def of(self, value: ast.expr) -> set[str]:
        """Those of an expression."""
        match value:
            case ast.Constant(bool()) | ast.Compare() | ast.UnaryOp(ast.Not()):
                return {"bool"}
            case ast.Constant(int() | float() | complex()):
                return {""}
            case ast.Name() | ast.Attribute() | ast.Subscript():
                while isinstance(value, ast.Subscript):
                    value = value.value
                return {self._named(dotted(value))}
            case ast.UnaryOp(ast.USub() | ast.UAdd(), operand):
                return self.of(operand)
            case ast.BinOp(left, op, right) if isinstance(op, _OPERATORS):
                return self.of(left) | self.of(right)
            case ast.IfExp(_, then, other):
                return self.of(then) | self.of(other)
            case ast.Call(function, [_, *_] as args):
                row = lookup(self.nest.names.functions.get(dotted(function), ""))
                if row.module == "math":
                    return {""}
                if row.kind is Kind.ELEMENTWISE or row.own in ("abs", "min", "max"):
                    return set[str]().union(*map(self.of, args))
        return {_UNKNOWN}

    def before(self, name: str) -> set[str]:
        """Those of a scalar where the nest starts; none if it has no value there."""
        if name in self.types:
            return {self._named(name)}
        if name not in self.nest.live_in:
            return set()
        if name in self.nest.entry.given:
            return set[str]().union(*map(self.of, self.nest.entry.given[name]))
        if name in self.nest.entry.starts:
            # An argument that is an integer, NumPy's perhaps.
            return {"int64", *map(self._named, self.nest.entry.starts[name])}
        return {self._named(name)}

    def assigned(self, statement: Statement, name: str) -> set[str]:
        """Those of what a statement assigns to a scalar."""
        found = set[str]()
        for line in statement.code:
            match line:
                case ast.Assign([ast.Name(target)], value) if target == name:
                    found |= self.of(value)
        return found

    def _named(self, name: str) -> str:
        """That of a variable, or of the elements of an array."""
        kind = self.types.get(name)
        if kind is None:
            return "" if name in self.loops else f"?{name}" if name else _UNKNOWN
        weak = isinstance(kind, ScalarType) and kind.weak and kind.dtype != "bool"
        return "" if weak else kind.dtype


def identity(
    op: str, dtype: str, *, exact: bool, is_array: bool
) -> bool | int | float | None:
    """A neutral number. An element of an array converts it to its own type."""
    known = DTYPES.get(dtype)
    floats = known is not None and not known.is_integer
    if dtype.startswith("complex") and op == "*":
        return None
    if dtype == "bool":
        # `+` is "or" and `*` is "and" where a cell holds the result.
        return op in ("*", "&", "min")
    match op:
        case "+":
            # 0.0 + -0.0 is 0.0. A scalar may be an integer for all that is known.
            return -0.0 if not exact and (floats or is_array) else 0
        case "*":
            return 1
        case "|" | "^":
            # For a scalar that may be a bool as well as an integer.
            return 0 if exact or is_array else False
        case "&":
            if known is None or not known.is_integer:
                return -1 if exact else None
            low, high = known.range
            return -1 if low else high
    if known is None:
        return None
    least, most = known.range if known.is_integer else (-math.inf, math.inf)
    return least if op == "max" else most


def _inexact(value: ast.expr, types: Mapping[str, Type]) -> str:
    """The type of floats or complex numbers that arithmetic is known to give."""
    match value:
        case ast.Constant(float()):
            return "float64"
        case ast.Constant(complex()):
            return "complex128"
        case ast.Name() | ast.Attribute() | ast.Subscript():
            while isinstance(value, ast.Subscript):
                value = value.value
            kind = types.get(dotted(value))
            known = kind is not None and DTYPES[kind.dtype].is_inexact
            return kind.dtype if kind is not None and known else ""
        case ast.UnaryOp(ast.USub() | ast.UAdd(), operand):
            return _inexact(operand, types)
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right):
            found = filter(None, (_inexact(left, types), _inexact(right, types)))
            return promoted(*kinds) if (kinds := [*found]) else ""
    return ""


_TYPED = "let `{}` begin with a number, say types in annotations, or collect in an"
_TYPED += " element of an array"


def _narrow(start: Start, hint: str) -> Unproven:
    """The error for parts that may have fewer values than what they are parts of."""
    target = start.target
    return Unproven(
        "LX212",
        f"unknown: whether parts of `{target}` have all its values",
        detail=("they begin with a number of Python, and have the type of the terms",),
        hint=hint,
    )


def _unknown(start: Start, dtype: str) -> Unproven:
    target, op = start.target, start.op
    if dtype:
        return Unproven(
            "LX212",
            f"unknown: what parts of `{target}` begin with",
            detail=(f"`{op}` of {dtype} leaves no number what it is, bit by bit",),
            hint="leave `rfactor` out",
        )
    return Unproven(
        "LX212",
        f"unknown: what parts of `{target}` begin with",
        detail=(f"that depends on its type: for `{op}` it is the largest or smallest",),
        hint=f"annotate `{target}`, or the array whose element it is",
    )
