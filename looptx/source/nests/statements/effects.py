"""What statements do besides what their accesses say: print, or use anything.

A statement of which nothing is known reads and writes an array of its own that all
others of the nest read: so it keeps its place among them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from enum import Enum

from looptx.errors import LooptxError
from looptx.model.elements import Access
from looptx.model.expr import variables
from looptx.model.functions import Kind, lookup
from looptx.model.program import ANYTHING, Statement
from looptx.model.records import replace
from looptx.model.trees import dotted
from looptx.source.flow.fresh import is_pure
from looptx.source.kinds.integers import Kinds
from looptx.source.names.calls import conjugated, is_known
from looptx.source.names.subscripts import sliced
from looptx.source.nests.context import Context, names_of
from looptx.source.nests.sizes.extents import spelled


class Effect(Enum):
    """What may happen elsewhere while a call runs."""

    NOTHING = "its value is made of its arguments alone"
    OUTPUT = "it prints"
    ANYTHING = "it may read and write whatever it can reach"


def effect(call: ast.Call, kinds: Kinds) -> Effect:
    """What a call does besides giving a value that shares no memory."""
    callee = kinds.scope.callee(call)
    if callee is not None:
        # An argument without a type may be an array, which `+=` changes in place.
        given = callee.given(call) or {}
        plain = all(kinds.numbers.has(given[x]) for x in given if x in callee.updates)
        rows = any(kinds.rank(x.name) > n + x.fixed for x, n in callee.rows(call))
        return Effect.NOTHING if plain and not rows else Effect.ANYTHING
    name = kinds.scope.resolve(call.func)
    of = conjugated(call, kinds.scope)
    if of is not None and kinds.numbers.has(of):
        return Effect.NOTHING
    listed = any(isinstance(arg, ast.Starred) for arg in call.args)
    if is_known(name) and not call.keywords and not listed:
        plain = lookup(name).reads(len(call.args))
        return Effect.NOTHING if plain else Effect.ANYTHING
    if not listed and is_pure(call, kinds.scope) and (name or _is_plain(call, kinds)):
        return Effect.NOTHING
    plain = all(keyword.arg in ("sep", "end", "flush") for keyword in call.keywords)
    if name == "builtins.print" and plain:
        return Effect.OUTPUT
    return Effect.ANYTHING


def _is_plain(call: ast.Call, kinds: Kinds) -> bool:
    """Whether a call is one of a method of an array, its elements, or a number."""
    if not isinstance(call.func, ast.Attribute):
        return False
    of = call.func.value
    return _is_array(of, kinds) or kinds.numbers.has(of)


def _is_array(node: ast.expr, kinds: Kinds) -> bool:
    """Whether an expression is an array, or computed of one."""
    match node:
        case ast.Subscript():
            return dotted(sliced(node)[0]) in kinds.arrays
        case ast.BinOp(left, _, right) | ast.Compare(left, [_], [right]):
            return _is_array(left, kinds) or _is_array(right, kinds)
        case ast.UnaryOp(ast.USub() | ast.Invert(), operand):
            return _is_array(operand, kinds)
        case ast.Call(function, [given], []):
            row = lookup(kinds.scope.resolve(function))
            return row.kind is Kind.ELEMENTWISE and _is_array(given, kinds)
    return dotted(node) in kinds.arrays


def objects(kinds: Kinds, root: ast.stmt) -> frozenset[str]:
    """The names to which a nest gives what may be any object, such as a view."""
    bound = kinds.scope.bound_in(root)
    found: frozenset[str] = frozenset()

    def is_object(node: ast.expr | None) -> bool:
        match node:
            case ast.Name(name):
                return name in found
            case ast.IfExp(_, value, other):
                return is_object(value) or is_object(other)
            case ast.BoolOp(_, values):
                return any(map(is_object, values))
            case ast.Call():
                unknown = effect(node, kinds) is Effect.ANYTHING
                return unknown and not kinds.numbers.has(node)
        return isinstance(node, ast.Dict | ast.Set)

    while True:
        more = frozenset(
            name
            for name, bindings in bound.items()
            if name not in kinds.numbers.names
            and any(is_object(one.value) for one in bindings)
        )
        if more == found:
            return found
        found = more


def in_place(
    context: Context, statements: Mapping[str, Statement]
) -> dict[str, Statement]:
    """The statements of a nest, in source order if one of them may use anything.

    Args:
        context: the names the nest binds. statements: by name.

    Returns:
        The statements; where one may use anything, each accesses ``ANYTHING``.

    Raises:
        Unsupported: LX302, it may change what the loops count with, or see what they
            bind.
    """
    unknown = [one for one in statements.values() if _uses_anything(one)]
    if not unknown:
        return dict(statements)
    # Nothing runs in the nest behind an exception.
    for statement in unknown:
        if not statement.leaves:
            _check(context, statement, statements)
    read = Access(ANYTHING, (), False, False)
    return {
        name: statement
        if _uses_anything(statement)
        else replace(statement, accesses=(*statement.accesses, read))
        for name, statement in statements.items()
    }


def _uses_anything(statement: Statement) -> bool:
    return any(access.array == ANYTHING for access in statement.accesses)


def _check(
    context: Context, statement: Statement, statements: Mapping[str, Statement]
) -> None:
    """Bounds and steps do not escape to the call, nor do the names that loops bind."""
    scope = context.kinds.scope
    lengths = spelled(scope)
    for text in (*context.parameters, *_conditions(statements)):
        local = all(
            name in scope.bindings and "." not in name and name not in scope.foreign
            for name in names_of(text)
        )
        if not local or text in lengths:
            raise _reached(
                context,
                statement,
                f"it may change `{lengths.get(text, text)}`, which the nest counts "
                "with",
                f"store `{lengths.get(text, text)}` in a variable before the nest",
            )
    for name in sorted(context.scalars | context.loop_vars):
        if name in scope.shared:
            raise _reached(
                context,
                statement,
                f"it may see or bind `{name}`, which the nest binds",
                f"use another name for `{name}` in the nest",
            )


def _conditions(statements: Mapping[str, Statement]) -> Iterator[str]:
    """The parameters of the conditions under which something is used."""
    for statement in statements.values():
        for access in statement.accesses:
            yield from sorted(variables(access.where) - set(statement.loops))


def _reached(
    context: Context, statement: Statement, what: str, hint: str
) -> LooptxError:
    node = statement.code[0]
    message = f"{statement.effects}: {what}"
    return context.unsupported(node, message, hint, "LX302")
