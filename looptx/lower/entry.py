"""The entry of a nest, lowered: the values it computes, its checks, its results."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence

from looptx.lower.checks import Early
from looptx.lower.intervals.overflow import TOO_LARGE, Overflow
from looptx.lower.kinds import BOOL, LOOKED_AT, UNSIGNED, Kind, fail, of
from looptx.lower.limits import AXES, EXACT
from looptx.lower.preconditions import (
    Check,
    bounds,
    conditions,
    lengths,
    magnitudes,
    operations,
)
from looptx.lower.scope import TYPE, Scope
from looptx.lower.tree import (
    Expr,
    View,
    both,
    either,
    infix,
    number,
    test,
    variable,
)
from looptx.lower.values.alternatives import choice, code, own
from looptx.lower.values.calls import AGAIN
from looptx.lower.values.expressions import Expressions
from looptx.lower.values.literals import cast, composed, converted, literal
from looptx.model.dtypes import INTEGERS
from looptx.model.expr import TRUE, IntExpr, Var
from looptx.model.nests.made import Made
from looptx.model.program import Statement
from looptx.model.records import dataclass, replace
from looptx.model.shapes import extent
from looptx.model.types import ArrayType, ScalarType

_UNFIT = "{} has no value that fits in 64 bits"


@dataclass(frozen=True, slots=True)
class Value:
    """A value that the entry computes; where that raises it leaves the nest.

    Attributes:
        name: the C variable that holds it.
        expr: what it is.
        reason, sure: as of a ``Check``.
    """

    name: str
    expr: Expr
    reason: str
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Result:
    """What a nest leaves in a name.

    Attributes:
        name: of the source.
        held: the C variable of the Python object, which is at first what the name had,
            or ``...`` for nothing; empty where the value depends on nothing.
        cases: conditions, and the value where one holds: of one Python type.
        ordered: whether several may hold; the first counts.
        parts: of a list, the arrays of the parts of its elements. ends: the first
            element that is left, and one behind the last.
        array: the type of the array that does in place of a list, if one does.
    """

    name: str
    held: str
    cases: tuple[tuple[Expr, Expr], ...]
    ordered: bool = False
    parts: tuple[str, ...] = ()
    ends: tuple[Expr, ...] = ()
    array: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the entry of a nest does, in the order of the attributes.

    Attributes:
        objects: the C variables of the Python objects that it gets, by name.
        arrays: those among them that are arrays, with their types.
        made: those that it makes: the extents, by name.
        variables: the C types of what it gives the nest, by name; memory: of what it
            allocates for it.
        values: the numbers it gets, and what it computes with them.
        magnitudes: doubles that tell how large integers may become, by name.
        limits: that they fit.
        checks: what it can test before it knows how arrays lie in memory.
        early: operations that may raise.
        operations: that no other raises.
        results: what it returns.
    """

    objects: Mapping[str, str]
    arrays: Mapping[str, ArrayType]
    made: Mapping[str, tuple[Expr, ...]]
    variables: Mapping[str, str | View]
    memory: Mapping[str, str | View]
    values: tuple[Value, ...]
    magnitudes: Mapping[str, Expr]
    limits: tuple[Check, ...]
    checks: tuple[Check, ...]
    early: tuple[Value, ...]
    operations: tuple[Check, ...]
    results: tuple[Result, ...]


def entry_of(
    scope: Scope,
    given: Mapping[str, str | View],
    tagged: Collection[str],
    out: Mapping[str, str],
) -> Entry:
    """The entry of a nest.

    Args:
        scope: the nest; its functions are lowered.
        given: the C types of what the nest gets. out: of its results.
        tagged: the scalars whose type C keeps.

    Returns:
        What the entry does.

    Raises:
        Unsupported: LX504 for what has no native equivalent.
    """
    names = scope.names
    nest = scope.planned.nest
    objects = {n: names.fresh(f"{names(n)}_") for n in nest.given}
    allocated = {names(n) for n, held in scope.buffers.items() if not held.local}
    own = {n: c for n, c in given.items() if n != "threads" and n not in allocated}
    arrays = _arrays_of(scope)
    values = (*_numbers(scope, objects), *_computed(scope, objects))
    doubles, limits = Overflow(scope).tests()
    checks = *magnitudes(scope), *_unchanged(scope, objects)
    return Entry(
        objects,
        arrays,
        {x: (*map(scope.integer, shape),) for x, shape in _made(scope)},
        own | dict(out),
        {name: given[name] for name in given if name in allocated},
        values,
        doubles,
        tuple(Check(wrong, TOO_LARGE) for wrong in limits),
        (*checks, *lengths(scope), *bounds(scope), *conditions(scope)),
        tuple(_early(scope, one) for one in scope.checks.early.values()),
        tuple(operations(scope)),
        tuple(_results(scope, tagged)),
    )


def _made(scope: Scope) -> Iterator[tuple[str, Sequence[IntExpr]]]:
    """The arrays that the entry makes, with their shapes."""
    made = scope.planned.nest.host.made
    yield from ((name, one.shape) for name, one in made.items())
    for name in scope.told_lists:
        yield f"{name}{TYPE}", made[name].shape if name in made else _shape(scope, name)


def _shape(scope: Scope, name: str) -> Sequence[IntExpr]:
    """The extents of an array that the nest gets."""
    return [Var(extent(name, axis)) for axis in range(scope.array(name).ndim)]


def _arrays_of(scope: Scope) -> dict[str, ArrayType]:
    """The arrays that a nest gets."""
    found = {}
    for name in scope.planned.nest.given:
        kind = scope.types[name]
        if isinstance(kind, ArrayType):
            if not 0 < kind.ndim <= AXES:
                fail(f"the {kind.ndim}-dimensional array `{name}`")
            found[name] = kind
    return found


def _numbers(scope: Scope, objects: Mapping[str, str]) -> Iterator[Value]:
    """Python's numbers in C."""
    for name, held in objects.items():
        known = scope.types[name]
        if isinstance(known, ArrayType):
            continue
        kind = scope.kinds.get(name) or of(known)
        expr = variable(held, kind)
        if kind.is_complex:
            # As Cython converts complex numbers, signs and infinities go.
            parts = (variable(f"{held}.{part}", kind) for part in ("real", "imag"))
            expr = composed(kind, *parts)
        yield Value(scope.names(name), expr, _UNFIT.format(name))


def _computed(scope: Scope, objects: Mapping[str, str]) -> Iterator[Value]:
    """Integer parameters that are expressions, or none of Python's."""
    nest = scope.planned.nest
    alone = Statement("", (), TRUE, (), (), nest.place)
    for text, held in scope.computed.items():
        if text in objects:
            expr = variable(objects[text])
        else:
            node = ast.parse(text, mode="eval").body
            expr = Expressions(scope, alone, {}).value(node)
            if expr.kind.dtype not in INTEGERS:
                what = f"`{text}` is used as an integer but is {expr.kind.dtype}"
                fail(what, nest.place)
        yield Value(held, expr, _UNFIT.format(text))


def _early(scope: Scope, early: Early) -> Value:
    """The value of an operation that may raise, where Python may come to it."""
    expr, reason = _held(early.value), f"{early.text} raises an exception"
    if early.when != TRUE:
        nothing = cast(literal(0), expr.kind.dtype)
        expr = choice(scope.condition(early.when), expr, nothing)
    return Value(early.name, expr, reason, early.sure)


def _held(expr: Expr) -> Expr:
    """A value without ints that stand for larger ones: Python has another subscript."""
    near = expr.intrinsic is not None and expr.intrinsic.operation == "trunc_near"
    parts = tuple(map(_held, expr.parts))
    return replace(expr, parts=parts, intrinsic=AGAIN if near else expr.intrinsic)


def _unchanged(scope: Scope, objects: Mapping[str, str]) -> Iterator[Check]:
    """Values that C would round, or not give back, are left to Python."""
    for name, python in objects.items():
        held, given = scope.kinds.get(name), scope.types[name]
        if held is None or held.dtype == given.dtype or held.members == {UNSIGNED}:
            continue  # What has no sign is taken as it is, if it has none.
        value = variable(python)
        if isinstance(given, ScalarType) and given.weak and given.dtype == "int64":
            beyond = _beyond(value, -(1 << 63), (1 << 63) - 1)
            yield Check(beyond, _UNFIT.format(name))
        elif given in LOOKED_AT:
            # NumPy compares it with a float as floats, of which two may be one.
            beyond = _beyond(value, -EXACT, EXACT)
            yield Check(beyond, f"a float does not hold {name}")
        rounded = infix("!=", value, variable(scope.names(name)), of(BOOL))
        wrong = both(rounded, infix("==", value, value, of(BOOL)))
        yield Check(wrong, f"{name} is no value of {held.dtype}")


def _beyond(value: Expr, low: int, high: int) -> Expr:
    """Whether a number is less than one or more than another."""
    ends = (("<", number(low)), (">", number(high)))
    return either(*(infix(op, value, end, of(BOOL)) for op, end in ends))


def _results(scope: Scope, tagged: Collection[str]) -> Iterator[Result]:
    """What a nest leaves in the names that are read behind it."""
    nest = scope.planned.nest
    finals = {final.var: final for final in scope.planned.finals}
    for name in nest.live_out:
        kind = scope.kinds.get(name)
        if name in finals:
            cases = (
                (scope.condition(cond), scope.integer(value))
                for cond, value in finals[name].cases
            )
            yield Result(name, scope.names(f"{name} result"), (*cases,), ordered=True)
            continue
        if kind is None:
            fail(f"`{name}` is used after the nest", nest.place)
        value = variable(scope.names(f"{name} out"), kind)
        if name in tagged:
            held, tag = (scope.names(f"{name} {w}") for w in ("result", "type out"))
            cases = (
                (infix("==", variable(tag), number(code(one))), typed(value, one))
                for one in sorted(kind.members, key=str)
            )
            yield Result(name, held, (*cases,))
        else:
            yield Result(name, "", ((test(TRUE), value),))
    for name in nest.host.gives:
        if scope.is_listed(name):
            made = nest.host.made[name]
            ends = number(made.old), variable(scope.names(f"{made.count} out"))
            held = scope.names(f"{name} list")
            array = _array(scope, made)
            yield Result(name, held, (), parts=made.parts, ends=ends, array=array)
        else:
            yield Result(name, scope.names(f"{name} held"), ())


def _array(scope: Scope, made: Made) -> str:
    """The type of the array that does in place of a list; empty where none does.

    Args:
        scope: the nest. made: the elements of the list.
    """
    kinds = [scope.kinds[part] for part in made.parts]
    types = {one.dtype for one in kinds}
    types |= {member.dtype for one in kinds for member in one.members}
    if made.array is None or len(types) > 1:
        return ""
    (dtype,) = types
    return dtype if made.array in ("", dtype) else ""


def typed(value: Expr, kind: ScalarType) -> Expr:
    """A value that is known to be of a type."""
    if value.kind.is_complex:
        return own(replace(value, kind=Kind(value.kind.dtype, frozenset((kind,)))))
    if kind.dtype == "int64" and value.kind.dtype != "int64":
        return converted(value, "Py_ssize_t", of(kind))
    return replace(value, kind=of(kind))
