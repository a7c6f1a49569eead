"""What functions of the user do with arrays, as far as their text says it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Sequence

from looptx.model.callees.callee import Written
from looptx.model.functions import Kind, lookup, lookup_method
from looptx.model.trees import dotted
from looptx.source.names.imports import arguments, resolve


def stored_into(inside: Iterable[ast.AST]) -> set[str]:
    """The names of arrays that the parts of a function assign elements of."""
    return {
        dotted(x.value)
        for x in inside
        if isinstance(x, ast.Subscript) and not _is_read(x)
    }


def is_filled(
    inside: Sequence[ast.AST], but: Collection[str] = ()
) -> Callable[[ast.AST], bool]:
    """Tells of a part of a function whether it returns an array that it has filled.

    Args:
        inside: all parts. but: names of arrays that are no matter.
    """
    bound = {x.id for x in inside if isinstance(x, ast.Name) and not _is_read(x)}
    bound -= {*but}
    filled = stored_into(inside)

    def found(node: ast.AST) -> bool:
        if not isinstance(node, ast.Return) or node.value is None:
            return False
        value = node.value
        parts = value.elts if isinstance(value, ast.Tuple) else [value]
        return not bound.isdisjoint(filled.intersection(map(dotted, parts)))

    return found


def _is_read(node: ast.Name | ast.Subscript) -> bool:
    return isinstance(node.ctx, ast.Load)


def updated(written: Written, call: ast.Call) -> list[ast.expr]:
    """What a call gives for the arguments that ``y += x`` alone changes.

    Args:
        written: the function. call: a call of it.
    """
    inside = [*ast.walk(written.node)]
    added = {id(x.target): x for x in inside if isinstance(x, ast.AugAssign)}
    names = [x for x in inside if isinstance(x, ast.Name) and not _is_read(x)]
    others = {x.id for x in names if id(x) not in added}
    own = {x.id for x in names} - others
    return [value for name, value in given_to(written, call) if name in own]


def given_to(written: Written, call: ast.Call) -> list[tuple[str, ast.expr]]:
    """The arguments of a call, with what they are called in the function.

    Args:
        written: the function. call: a call of it.
    """
    given = written.node.args
    order = [one.arg for one in (*given.posonlyargs, *given.args)]
    pairs = [*zip(order, call.args, strict=False)]
    return [*pairs, *((one.arg or "", one.value) for one in call.keywords)]


def is_flattened(written: Written) -> bool:
    """Whether a function takes elements of an argument as if that were of one axis.

    Args:
        written: the function.
    """
    names = {one.arg for one in arguments(written.node)}
    return any(
        isinstance(x, ast.Attribute) and x.attr == "flat" and dotted(x.value) in names
        for x in ast.walk(written.node)
    )


def holds_arrays(written: Written, inside: frozenset[ast.AST] = frozenset()) -> bool:
    """Whether a function has statements on arrays, or functions that have some.

    Args:
        written: the function. inside: those that call it.
    """
    if written.node in inside:
        return False
    for node in ast.walk(written.node):
        match node:
            case ast.Slice():
                return True
            case ast.Call(function):
                name, full = dotted(function), resolve(function, written.imports)
                row = lookup(full)
                looks = row.kind is Kind.REDUCTION or row.looks
                made = row.fill is not None or row.like or looks
                if full.startswith("numpy.") and made:
                    return True
                callee = written.outside.callee(name) if name else None
                if callee is not None and callee.written is not None:
                    if holds_arrays(callee.written, inside | {written.node}):
                        return True
                elif isinstance(function, ast.Attribute) and not full:
                    kind = lookup_method(function.attr).kind
                    if kind is Kind.REDUCTION or function.attr == "copy":
                        return True
    return False
