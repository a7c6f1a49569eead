"""Arrays of a function that calls itself, which are made again where it goes on.

``near = offsets + at`` is the same array behind a call of the function as before it, if
nothing writes ``offsets``: it need not be kept. (Rematerialization: Briggs, Cooper and
Torczon, PLDI '92.)
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from looptx.model.callees.callee import Written
from looptx.model.functions import lookup
from looptx.model.trees import dotted, element
from looptx.source.liveness import reads
from looptx.source.names.imports import resolve

_MADE = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp)
_PARTS = (*_MADE, ast.operator, ast.unaryop, ast.expr_context)


def remade(
    function: Written, fixed: Collection[str], kept: Collection[str]
) -> Iterator[tuple[str, ast.Assign]]:
    """The names of such arrays, with what makes each.

    Args:
        function: it. fixed: the arguments that are the same in all calls.
        kept: those that have one value in a call.
    """
    inside = [x for stmt in function.node.body for x in ast.walk(stmt)]
    written = {*_written(inside, function)}
    stored = [x.id for x in inside if isinstance(x, ast.Name) and not _is_read(x)]
    for stmt in inside:
        match stmt:
            case ast.Assign([ast.Name(name)], ast.BinOp() as value):
                whole = all(isinstance(x, _PARTS) for x in ast.walk(value))
                read = reads(value)
                if not whole or not read <= {*kept} or stored.count(name) != 1:
                    continue
                same = written.isdisjoint({*read, name})
                if same and not read.isdisjoint(fixed) and _is_array(name, inside):
                    yield name, stmt


def _is_read(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _is_array(name: str, inside: list[ast.AST]) -> bool:
    """Whether a function takes elements and the size of what has a name, alone."""
    taken = {id(x.value) for x in inside if isinstance(x, ast.Subscript)}
    for x in inside:
        match x:
            case ast.Call(ast.Name("len"), [one]) | ast.Attribute(
                one, "size" | "shape"
            ):
                taken.add(id(one))
    used = [x for x in inside if isinstance(x, ast.Name) and x.id == name]
    return all(id(x) in taken for x in used if _is_read(x))


def _written(inside: list[ast.AST], function: Written) -> Iterator[str]:
    """The names of what a function writes elements of, or gives to others.

    Args:
        inside: all of it. function: the function.
    """
    title = function.node.name
    for x in inside:
        match x:
            case ast.Subscript() if not isinstance(x.ctx, ast.Load):
                array, _ = element(x)
                yield dotted(array).partition(".")[0]
            case ast.Call(called, args, keywords) if dotted(called) != title:
                if lookup(resolve(called, function.imports)).pure:
                    continue
                for one in (*args, *(y.value for y in keywords)):
                    yield from reads(one)
                yield dotted(called).partition(".")[0]
