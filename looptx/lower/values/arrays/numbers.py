"""Calls that make one number of an array, of a part of one, or of numbers in a row.

What the source writes out in brackets, ``np.argmin([a, b])``, is an array of its own:
in C, and in the type that NumPy finds for all of them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from looptx.lower.kinds import fail, of
from looptx.lower.scope import Scope
from looptx.lower.tree import Assign, Expr, number, variable
from looptx.lower.types import c_element
from looptx.lower.values.alternatives import own
from looptx.lower.values.arrays.elements import Elements
from looptx.lower.values.conversions import stored
from looptx.lower.values.literals import as_kind
from looptx.lower.values.reducing import reduced, reduced_axes, reduction
from looptx.lower.values.views import (
    Place,
    Strip,
    Value,
    has_arrays,
    is_array,
    is_scattered,
    part,
    strip,
)
from looptx.model.dtypes import promoted
from looptx.model.trees import dotted
from looptx.model.types import ScalarType

MOST = 64
"""Numbers in brackets that are stored one by one."""

_MAKER = "numpy.array"


def reduction_of(
    node: ast.Call,
    scope: Scope,
    value: Value,
    place: Place,
    made: Callable[[], Elements],
) -> Expr | None:
    """What NumPy makes of all elements of an array, or of a part of one.

    Args:
        node: the call. scope: the nest.
        value: makes values of expressions. place: makes places of subscripts.
        made: gives what computes arrays in front of the statement.

    Returns:
        None for another call.

    Raises:
        Unsupported: LX504 where it is not known.
    """
    found = reduction(node, scope.full(dotted(node.func)))
    if found is None:
        return None
    if parts := display(found.of, scope):
        before = made()
        values = [value(part) for part in parts]
        return reduced(scope, found, _listed(values, scope, before))
    given = found.of, scope, value, place
    if is_array(found.of, scope) and is_scattered(found.of, scope):
        return reduced_axes(scope, found, part(*given))
    if is_array(found.of, scope):
        return reduced(scope, found, strip(*given))
    if not has_arrays(found.of, scope):
        return None
    return made().reduced(found)


def in_brackets(node: ast.Call, scope: Scope) -> Sequence[ast.expr]:
    """The numbers of which a call makes one, where they are written out.

    Args:
        node: the call. scope: the nest.
    """
    found = reduction(node, scope.full(dotted(node.func)))
    return () if found is None else display(found.of, scope)


def display(node: ast.expr, scope: Scope) -> Sequence[ast.expr]:
    """The numbers that an expression lists, with NumPy's ``array`` around or without.

    Args:
        node: the expression. scope: the nest.

    Returns:
        Nothing for what is no such list, or one that is not written out.
    """
    match node:
        case ast.Call(function, [inner], []):
            called = scope.full(dotted(function))
            return display(inner, scope) if called == _MAKER else ()
        case ast.List(parts) | ast.Tuple(parts):
            starred = any(isinstance(part, ast.Starred) for part in parts)
            return () if starred or len(parts) > MOST else parts
    return ()


def _listed(values: Sequence[Expr], scope: Scope, made: Elements) -> Strip:
    """Numbers one behind the other, in front of the statement.

    Args:
        values: the numbers. scope: the nest. made: what computes arrays there.

    Raises:
        Unsupported: LX504 where nobody knows what NumPy makes of them.
    """
    if made.before is None:
        fail("numbers in brackets where they stand")
    members = {member.dtype for value in values for member in value.kind.members}
    dtype = promoted(*members)
    if any(len(value.kind.members) > 1 for value in values):
        fail("numbers in brackets whose types depend on the data")
    name, kind = scope.names.fresh("listed"), of(ScalarType(dtype))
    made.declared[name] = f"{c_element(dtype)}[{len(values)}]"
    for at, value in enumerate(values):
        cell = Expr("local cell", kind, (number(at),), name)
        made.before.append(Assign(cell, stored(as_kind(own(value), kind), dtype)))
    one = number(1)
    pointer, count = variable(name), number(len(values))
    return Strip(pointer, dtype, number(0), count, one, (), None, one)
