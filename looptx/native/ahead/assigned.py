"""The types of what a nest is given, as far as the assignments in front of it tell."""

from __future__ import annotations

from collections.abc import Mapping

from looptx.model.dtypes import DTYPES, PYTHON
from looptx.model.program import Kernel, Nest
from looptx.model.records import replace
from looptx.model.types import ArrayType, ScalarType, Type
from looptx.source.nests.statements.held import Held
from looptx.source.nests.statements.holding import Names
from looptx.source.nests.statements.quiet import Number, Numbers

_KINDS = {"b": "bool", "i": "int", "f": "float", "c": "complex"}


def with_assigned(
    kernel: Kernel, nest: Nest, known: Mapping[str, Type]
) -> dict[str, Type]:
    """Types of names, with those that assignments in front of a nest say instead.

    Args:
        kernel: the function. nest: of it.
        known: the types of parameters, and what others are taken to be.
    """
    given = {x: known[x] for x, _ in kernel.parameters if x in known}
    names, found = Names(nest, given), {**known}
    for name in nest.entry.reaching.keys() & {*nest.given}:
        kind = _kind(names.held(name), known.get(name))
        if kind is not None and (name not in given or _apart(kind, given[name])):
            found[name] = kind
    return found


def _apart(one: Type, other: Type) -> bool:
    """Whether two types are others, whatever the strides of arrays."""
    plain = (
        replace(x, layout="A") if isinstance(x, ArrayType) else x for x in (one, other)
    )
    return next(plain) != next(plain)


def _kind(held: Held, taken: Type | None) -> Type | None:
    """The type of what a name holds, if it is one.

    Args:
        held: that. taken: what the name is taken for: it may say how many axes it has.
    """
    number = _only(held.number)
    if number is not None and (number.weak or held.axes == 0):
        return number
    cells = None if held.python else _only(held.cells)
    if cells is None or held.number is not None:
        return None
    axes = held.axes
    if axes is None and isinstance(taken, ArrayType):
        axes = taken.ndim
    return ArrayType(cells.dtype, axes) if axes else None


def _only(numbers: Numbers | None) -> ScalarType | None:
    """The type that all of some numbers have."""
    found = {*map(_type, numbers or ())}
    return found.pop() if len(found) == 1 else None


def _type(number: Number) -> ScalarType:
    if not number.weak:
        return ScalarType(number.dtype)
    kind = PYTHON[_KINDS[DTYPES[number.dtype].kind]]
    return ScalarType(kind, weak=True)
