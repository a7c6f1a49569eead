"""Elements of lists: numbers in memory that keep the types which scalars have."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from looptx.lower.advice import INTEGER, SAME
from looptx.lower.kinds import TAG, fail, of
from looptx.lower.scope import TYPE, Scope, Unknown
from looptx.lower.tree import Assign, Expr, inside, variable
from looptx.lower.values.alternatives import several, tag, told
from looptx.lower.values.conversions import stored
from looptx.lower.values.integers.unsigned import check_stored
from looptx.lower.values.literals import FITS, encoded, shared
from looptx.model.dtypes import DTYPES, INTEGERS
from looptx.model.naming import is_flat
from looptx.model.records import replace
from looptx.model.trees import brackets, dotted
from looptx.model.types import ScalarType


def listed(
    scope: Scope,
    name: str,
    parts: Sequence[tuple[ast.expr, int]],
    value: Callable[[ast.expr], Expr],
) -> Expr:
    """A cell of an array that has the elements of a list.

    What stands in front of the statement has made sure that it has the element.

    Args:
        scope: the nest. name: of the array. parts: its subscript.
        value: makes values of expressions.

    Raises:
        Unknown: nothing is known of what is stored.
    """
    kind = scope.kinds.get(name)
    if kind is None:
        raise Unknown(name)
    ((part, _),) = parts
    at = [value(part)]
    if at[0].kind.dtype not in INTEGERS:
        fail(f"the subscript `{ast.unparse(part)}` is no integer", hint=INTEGER)
    return told(scope.cell(name, at, kind), _tag(scope, name, at))


def element_of(scope: Scope, name: str, at: Sequence[Expr]) -> Expr:
    """A cell of an array; what it holds is of any type that a list has, if it is one.

    Args:
        scope: the nest. name: of the array. at: the subscripts.
    """
    kind = scope.array(name)
    if not kind.holders:
        return scope.cell(name, at, of(ScalarType(kind.dtype)))
    if name not in scope.kinds:
        raise Unknown(name)
    return told(scope.cell(name, at, scope.kinds[name]), _tag(scope, name, at))


def kept(
    scope: Scope,
    target: ast.expr,
    place: Expr,
    value: Expr,
    declared: dict[str, str],
) -> list[Assign]:
    """What stores a value into a cell of an array, or of the elements of a list.

    Args:
        scope: the nest. target: the cell. place: it, in C. value: what is stored.
        declared: gets the variables of C that this needs.

    Raises:
        Unsupported: LX504 where the type of an element is not known, and counts.
    """
    dtype, name = place.kind.dtype, scope.list_of(target)
    check_stored(value, "" if name else dtype)
    if not name:
        made = stored(value, dtype)
        if is_flat(dotted(brackets(target)[0])):
            left = _left(made, dtype) if scope.again else made
            if _raising(left) - _leaving(left) != _raising(value):
                fail(
                    f"what may not fit into {dtype}, of which `A.flat` says else than A"
                )
            return [Assign(place, left)]
        fits = _raising(made) == _raising(value)
        if fits or not _raising(place) or place in inside(value):
            return [Assign(place, made)]
        return [*_looked_up(scope, place, value, declared)]
    line = Assign(place, encoded(shared(value, place.kind)))
    if len(place.kind.members) == 1:
        return [line]
    mark = tag(value)
    if mark is None:
        fail(f"the Python type of `{name}` depends on the data", hint=SAME)
    # It may be told by the element that is replaced, and so may the value.
    held = variable(scope.names.fresh("type"))
    declared[held.name] = "int"
    after = Assign(_tag(scope, name, place.parts), held)
    return [Assign(held, mark), line, after]


def _raising(one: Expr) -> int:
    """How many parts of an expression may raise."""
    return sum(bool(part.raises) for part in inside(one))


def _left(one: Expr, dtype: str) -> Expr:
    """A value that leaves the loops to Python where it does not fit into a type.

    Args:
        one: the value. dtype: the type.
    """
    parts = (*(_left(part, dtype) for part in one.parts),)
    called = one.intrinsic
    if called is None or called.operation != "fit" or DTYPES[dtype].bits == 64:
        return replace(one, parts=parts)
    return replace(one, parts=parts, intrinsic=replace(called, operation=FITS))


def _leaving(one: Expr) -> int:
    """How many parts of an expression may leave the loops because they do not fit."""
    calls = (part.intrinsic for part in inside(one))
    return sum(x is not None and x.operation == FITS for x in calls)


def _looked_up(
    scope: Scope, place: Expr, value: Expr, declared: dict[str, str]
) -> Iterator[Assign]:
    """What stores a value that may not fit, behind the look at where it goes.

    NumPy looks up the cell before it asks whether the value fits into it.

    Args:
        scope, place, value, declared: as of ``kept``.
    """
    if _raising(value):
        mark = tag(value) if several(value) else None
        if mark is not None:
            given, mark = mark, variable(scope.names.fresh("type"))
            declared[mark.name] = "int"
            yield Assign(mark, given)
        held = variable(scope.names.fresh("new"), value.kind)
        declared[held.name] = value.kind.c
        yield Assign(held, value)
        value = told(held, mark)
    at = []
    for part in place.parts:
        at.append(variable(scope.names.fresh("at"), part.kind))
        declared[at[-1].name] = part.kind.c
        yield Assign(at[-1], part)
    yield Assign(replace(place, parts=(*at,)), stored(value, place.kind.dtype))


def _tag(scope: Scope, name: str, at: Sequence[Expr]) -> Expr:
    """What tells the type of an element of a list."""
    return scope.cell(f"{name}{TYPE}", at, of(TAG))
