"""The types of what a nest is given, as far as the assignments in front of it tell."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from looptx.model.dtypes import DTYPES, PYTHON
from looptx.model.program import Kernel, Nest
from looptx.model.records import replace
from looptx.model.trees import walk
from looptx.model.types import ArrayType, ScalarType, Type, of_int
from looptx.parsers.unwarned import parsed
from looptx.source import Module
from looptx.source.nests.statements.held import Held
from looptx.source.nests.statements.holding import Names
from looptx.source.nests.statements.quiet import Number, Numbers

_KINDS = {"b": "bool", "i": "int", "f": "float", "c": "complex"}


def with_assigned(
    module: Module,
    kernel: Kernel,
    nest: Nest,
    known: Mapping[str, Type],
    held: Mapping[str, int],
) -> dict[str, Type]:
    """Types of names, with those that assignments in front of a nest say instead.

    Args:
        module: the file. kernel: the function. nest: of it.
        known: the types of parameters, and what others are taken to be.
        held: as of ``listed.holding``.
    """
    given = {x: known[x] for x, _ in kernel.parameters if x in known}
    names, found = Names(nest, given), {**known}
    for name in nest.entry.reaching.keys() & {*nest.given}:
        kind = _kind(names.held(name), known.get(name), held.get(name, 0))
        if kind is not None and (name not in given or _apart(kind, given[name])):
            found[name] = kind
    return found | {x: kind for x, kind in _large(module).items() if x not in given}


def _large(module: Module) -> dict[str, Type]:
    """The types of names to which a file gives ints beyond 63 bits alone, as masks."""
    from looptx.lower.values.integers.folding import evaluated

    found: dict[str, set[Type | None]] = {}
    values: dict[ast.AST, ast.expr] = {}
    for node in walk(parsed(module.text)):
        match node:
            case ast.Assign([ast.Name() as name], value) | ast.AnnAssign(
                ast.Name() as name, _, ast.expr() as value
            ):
                values[name] = value
            case ast.Name(one, ast.Store() | ast.Del()):
                value_of = values.get(node)
                number = None if value_of is None else evaluated(value_of)
                kind = None if number is None else of_int(number)
                found.setdefault(one, set()).add(kind)
            case ast.arg(one):
                found.setdefault(one, set()).add(None)
    wanted = of_int((1 << 64) - 1)
    return {name: wanted for name, kinds in found.items() if kinds == {wanted}}


def _apart(one: Type, other: Type) -> bool:
    """Whether two types are others, whatever the strides of arrays.

    Nothing that is assigned is said to be a list: what is like one may be it.
    """
    plain = (
        replace(x, layout="A", holders=(), elements=())
        if isinstance(x, ArrayType)
        else x
        for x in (one, other)
    )
    return next(plain) != next(plain)


def _kind(held: Held, taken: Type | None, deep: int) -> Type | None:
    """The type of what a name holds, if it is one.

    Args:
        held: that. taken: what the name is taken for: it may say how many axes it has.
        deep: how deep the numbers are where it may be a list; else 0.
    """
    number = _only(held.number)
    if number is not None and (number.weak or held.axes == 0):
        return number
    if held.python:
        return _list(held.cells or (), deep)
    cells = _only(held.cells)
    if cells is None or held.number is not None:
        return None
    axes = held.axes
    if axes is None and isinstance(taken, ArrayType):
        axes = taken.ndim
    return ArrayType(cells.dtype, axes) if axes else None


def _list(cells: Iterable[Number], deep: int) -> ArrayType | None:
    """The type of a list of numbers; those of NumPy are stored into it later.

    Args:
        cells: what is ever in it. deep: as of ``_kind``.
    """
    found = {_type(one) for one in cells}
    dtypes = (*sorted(one.dtype for one in found if one.weak),)
    known = deep and dtypes and "complex128" not in dtypes
    return ArrayType(dtypes[-1], deep, "C", ("list",) * deep, dtypes) if known else None


def _only(numbers: Numbers | None) -> ScalarType | None:
    """The type that all of some numbers have."""
    found = {*map(_type, numbers or ())}
    return found.pop() if len(found) == 1 else None


def _type(number: Number) -> ScalarType:
    if not number.weak:
        return ScalarType(number.dtype)
    kind = PYTHON[_KINDS[DTYPES[number.dtype].kind]]
    return ScalarType(kind, weak=True)
