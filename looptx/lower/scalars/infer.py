"""The types of the scalars a nest assigns, from the types of what it reads.

The expressions are those that will be lowered (``values.expressions``), so that what is
inferred and what is lowered cannot differ. Types only grow from round to round until
none changes.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from looptx.errors import LooptxError, Unsupported
from looptx.lower import advice
from looptx.lower.bindings.pairs import pairs
from looptx.lower.kinds import TAG, Kind, fail, join, of
from looptx.lower.scalars.elements import element
from looptx.lower.scope import TYPE, Scope, Unknown
from looptx.lower.tree import Expr, variable
from looptx.lower.values.expressions import Expressions
from looptx.lower.values.operators import SIGNS, binary
from looptx.model.dtypes import DTYPES
from looptx.model.naming import told
from looptx.model.noted.exchanges import pairs_of
from looptx.model.program import Statement
from looptx.model.records import replace
from looptx.model.trees import walk
from looptx.model.types import ArrayType, ScalarType

_ROUNDS = 20
"""How often types may grow that come from nowhere else."""

_HELD = ("bool", "int64", "float64")
"""The types of C that hold the elements of lists which are given."""


def infer(scope: Scope) -> dict[str, Kind]:
    """Fill ``scope.kinds`` with the kind of every assigned scalar, and return it.

    Raises:
        Unsupported: LX504 for an expression or a mixture of types without a C type,
            LX503 for a scalar whose type follows from nothing.
    """
    lines = (line for one in scope.statements for line in one.code)
    # A type comes one assignment further in each round.
    most = _ROUNDS + sum(isinstance(x, ast.stmt) for line in lines for x in walk(line))
    for _ in range(most):
        found = _round(scope)
        if found == scope.kinds:
            break
        scope.kinds.clear()
        scope.kinds.update(found)
        _type_lists(scope)
        _type_made(scope)
    _check_lists(scope)
    _check_made(scope)
    for name in scope.planned.nest.scalars:
        loops = scope.planned.nest.loops.values()
        if name not in scope.kinds and all(loop.var != name for loop in loops):
            raise Unsupported(
                "LX503",
                f"the type of `{name}` cannot be determined",
                scope.planned.nest.place,
                hint=f"give `{name}` a value before the nest",
            )
    return scope.kinds


def _type_lists(scope: Scope) -> None:
    """Give the arrays of lists the types of what is stored into them."""
    for name, kind in scope.kinds.items():
        if scope.is_listed(name):
            known = scope.types.get(name)
            array = known if isinstance(known, ArrayType) else ArrayType(kind.dtype, 1)
            types = {
                name: replace(array, dtype=kind.dtype),
                f"{name}{TYPE}": ArrayType(TAG.dtype, array.ndim),
            }
            scope.types = {**scope.types, **types}


def _type_made(scope: Scope) -> None:
    """Give arrays the types that follow from those of the scalars in what makes them.

    Raises:
        Unsupported: LX504 where that is no type, or one of several.
    """
    for name, made in scope.planned.nest.host.made.items():
        if not made.own or not all(one in scope.kinds for one in made.own):
            continue
        several = (sorted(scope.kinds[one].members, key=str) for one in made.own)
        types = {
            element(
                made.element,
                {**scope.types, **dict(zip(made.own, kinds, strict=True))},
                scope.imports,
            )
            for kinds in itertools.product(*several)
        }
        if len(types) > 1 or not types <= DTYPES.keys():
            fail(f"the array `{name}` of {' or '.join(sorted(types)) or 'no type'}")
        (dtype,) = types
        scope.types = {**scope.types, name: ArrayType(dtype, len(made.shape))}


def _check_made(scope: Scope) -> None:
    """Each array that the nest makes is of a type.

    Raises:
        Unsupported: LX504.
    """
    for name, made in scope.planned.nest.host.made.items():
        if made.own and name not in scope.types:
            fail(f"the array `{name}` of no type", scope.planned.nest.place)


def _check_lists(scope: Scope) -> None:
    """Something is stored into each list, and C has a type for what those given hold.

    Raises:
        Unsupported: LX503, LX504.
    """
    for name in scope.held:
        dtype, given = scope.kinds[name].dtype, scope.types[name]
        if dtype not in _HELD:
            fail(f"{dtype} stored into `{name}`, {given}", scope.planned.nest.place)
    for name in filter(scope.is_listed, scope.planned.nest.host.made):
        if name not in scope.kinds:
            raise Unsupported(
                "LX503",
                f"the type of the elements of `{told(name)}` cannot be determined",
                scope.planned.nest.place,
                hint="append a number to it",
            )


def _round(scope: Scope) -> dict[str, Kind]:
    """The kinds that follow from those of the round before."""
    kinds: dict[str, list[Kind]] = {}
    # What a part of a reduction begins with is of the type that its terms have.
    begun: dict[str, list[Kind]] = {}
    for name in scope.planned.nest.scalars:
        entry = scope.types.get(name)
        if isinstance(entry, ScalarType):
            kinds[name] = [Kind(entry.dtype, frozenset((entry,)), frozenset())]
        elif entry is not None:
            fail(
                f"`{name}` is {entry} and is assigned as a whole", hint=advice.ELEMENTS
            )
    for name in scope.held:
        kinds[name] = [*map(of, scope.array(name).members)]
    for statement in scope.planned.nest.statements.values():
        expressions = Expressions(scope, statement, statement.own_index)
        try:
            into = kinds if statement.start is None else begun
            for name, make in _given(scope, expressions, statement):
                try:
                    into.setdefault(name, []).append(make().kind)
                except Unknown:
                    continue
        except LooptxError as error:
            raise error.at(statement.place) from None
    for pair in _exchanged_lists(scope):
        both = [one for name in pair for one in kinds[name]]
        kinds.update(dict.fromkeys(pair, both))
    kinds = {**begun, **{name: found for name, found in kinds.items() if found}}
    try:
        return {
            name: join(*found, what=f"`{name}`")
            for name, found in kinds.items()
            if found
        }
    except LooptxError as error:
        raise error.at(scope.planned.nest.place) from None


def _exchanged_lists(scope: Scope) -> Iterator[tuple[str, ...]]:
    """The pairs of lists that exchange their names: either may hold what both do."""
    statements = scope.planned.nest.statements.values()
    pairs = {pair for one in statements for pair in pairs_of(one.code)}
    return (pair for pair in sorted(pairs) if all(map(scope.holders, pair)))


def _given(
    scope: Scope, expressions: Expressions, statement: Statement
) -> Iterator[tuple[str, Callable[[], Expr]]]:
    """Every binding in a statement.

    The minimum or maximum of terms is one of them, whatever it is compared with first.
    """
    reduction = statement.reduction
    if reduction is not None and reduction.op in ("min", "max"):
        name = reduction.target.array
        known = scope.planned.nest.statements.values()
        starts = (one.accesses for one in known if one.start is not None)
        if any(access.array == name for own in starts for access in own):
            yield name, partial(expressions.value, reduction.operand)
            return
    yield from assignments(expressions, statement.code)


def assignments(
    expressions: Expressions, code: tuple[ast.stmt, ...] | list[ast.stmt]
) -> Iterator[tuple[str, Callable[[], Expr]]]:
    """Every binding of a scalar name, with what computes the value bound."""
    for node in code:
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    yield from _bindings(expressions, target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield from _bindings(expressions, target, value)
            case ast.AugAssign(target, op, value) if name := _scalar(
                expressions.scope, target
            ):
                yield name, partial(_augmented, expressions, target, op, value)
            case ast.If(_, body, orelse) | ast.While(_, body, orelse):
                yield from assignments(expressions, [*body, *orelse])
            case ast.For(ast.Name(id=name), _, body, orelse):
                yield name, partial(variable, name)
                yield from assignments(expressions, [*body, *orelse])


def _augmented(
    expressions: Expressions, target: ast.expr, op: ast.operator, value: ast.expr
) -> Expr:
    sign = SIGNS.get(type(op))
    if sign is None:
        fail("the `@` operator", hint=advice.ELEMENTS)
    return binary(sign, expressions.target(target), expressions.wide(value))


def _bindings(
    expressions: Expressions, target: ast.expr, value: ast.expr
) -> Iterator[tuple[str, Callable[[], Expr]]]:
    for one, part in pairs(target, value):
        name = _scalar(expressions.scope, one)
        if name:
            yield name, partial(_known, expressions, part)


def _known(expressions: Expressions, value: ast.expr) -> Expr:
    """A value; one of two that a condition chooses, as long as the other is unknown.

    Args:
        expressions: of its statement. value: it.

    Raises:
        Unknown: neither is known.
    """
    ways = [value.body, value.orelse] if isinstance(value, ast.IfExp) else []
    try:
        return expressions.wide(value)
    except Unknown:
        for way in ways:
            with suppress(Unknown):
                return _known(expressions, way)
        raise


def _scalar(scope: Scope, target: ast.expr) -> str:
    """What is given numbers of any type: a scalar, or the elements of a list."""
    return target.id if isinstance(target, ast.Name) else scope.list_of(target)
