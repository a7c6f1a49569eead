"""Types known before the call: from a ``signature=`` or from annotations.

The simple form of a signature is one type per parameter, separated by commas, as a
string or a tuple: ``"float64[:, ::1], float64[:], int"``. ``_`` (or None) leaves a
parameter without a type, such as ``self``. The name of a function may stand around it:
``"f(float64[:], int)"``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from looptx.errors import BuildFailed, Malformed
from looptx.model.dtypes import DTYPES
from looptx.model.program import Kernel, Nest
from looptx.model.records import replace
from looptx.model.types import ArrayType, ScalarType, Type

Signature = str | Sequence[object]

_CALL = re.compile(r"\s*\w*\s*\((.*)\)\s*\Z", re.DOTALL)
_LIKE = "like:"


def split(signature: Signature) -> tuple[object, ...]:
    """The types of a signature, one per parameter."""
    if not isinstance(signature, str):
        return tuple(signature)
    around = _CALL.match(signature)
    text = around.group(1) if around else signature
    parts = re.split(r",(?![^\[]*\])", text)
    return tuple(part.strip() for part in parts if part.strip())


def parse(signature: Signature, parameters: Sequence[str]) -> dict[str, Type]:
    """The types of a function's parameters.

    Args:
        signature: see the module.
        parameters: the function's parameters, in order.

    Raises:
        Malformed: LX102 for a type that is none, or for too many or too few.
    """
    given = split(signature)
    if len(given) != len(parameters):
        raise Malformed(
            "LX102",
            f"the signature has {len(given)} types, "
            f"the function {len(parameters)} parameters",
            hint=f"write a type or `_` for each of {', '.join(parameters)}",
        )
    pairs = zip(parameters, given, strict=True)
    found = {name: _type(one) for name, one in pairs if one not in (None, "_", "")}
    return found


def _type(given: object) -> Type:
    from looptx.lower.types import from_annotation

    if isinstance(given, (ArrayType, ScalarType)):
        return given
    if isinstance(given, type) and issubclass(given, np.generic):
        given = np.dtype(given)
    if isinstance(given, np.dtype) and given.name in DTYPES:
        return ScalarType(given.name)
    text = given.__name__ if isinstance(given, type) else str(given)
    kind = from_annotation(text)
    if kind is None:
        raise Malformed(
            "LX102",
            f"`{text}` in the signature is not a type",
            hint="write types such as float64[:, ::1], int32[:], float64, int, float",
        )
    return kind


def live_types(
    kernel: Kernel, nest: Nest, known: Mapping[str, Type], default: str = ""
) -> tuple[Type, ...]:
    """The types of what a nest reads, as far as they are known without a call.

    A parameter has the type given; a local array that of its ``np.zeros`` or of the
    array it is like; a name used as an integer is one. An array of any strides counts
    as contiguous: calls with other arrays get a version of their own.

    Args:
        kernel: the function.
        nest: one of its nests.
        known: the types of parameters.
        default: the element type of arrays, and the type of numbers, nothing is known
            of; ``""`` makes them an error.

    Raises:
        BuildFailed: LX503 for a name whose type is not known.
    """
    return tuple(_live(name, kernel, nest, known, default) for name in nest.given)


def _live(
    name: str, kernel: Kernel, nest: Nest, known: Mapping[str, Type], default: str
) -> Type:
    kind = _stated(name, kernel, known, ())
    if nest.host.parts.get(name) in ("False", "True"):
        kind = ScalarType("bool", weak=True)
    integer = name in nest.parameters or nest.entry.starts.get(name) == frozenset()
    if kind is None and integer:
        kind = ScalarType("int64", weak=True)
    rank = _rank(name, nest)
    if kind is None and default:
        kind = ArrayType(default, rank) if rank else ScalarType("float64", weak=True)
    if kind is None:
        raise BuildFailed(
            "LX503",
            f"the type of `{name}` is not known before the call",
            nest.place,
            hint='annotate it, e.g. "float64[:, :]", or leave it to the first call',
        )
    if isinstance(kind, ArrayType):
        layout = "C" if kind.layout == "A" else kind.layout
        return replace(kind, layout=layout, ndim=kind.ndim or rank)
    return kind


def _stated(
    name: str, kernel: Kernel, known: Mapping[str, Type], seen: tuple[str, ...]
) -> Type | None:
    """What parameters and plain assignments say of a name."""
    from looptx.lower.types import from_annotation

    if name in known:
        return known[name]
    text = kernel.types.get(name, "") or dict(kernel.parameters).get(name, "")
    if text.startswith(_LIKE):
        other = text.removeprefix(_LIKE)
        return None if other in seen else _stated(other, kernel, known, (*seen, name))
    return from_annotation(text) if text else None


def _rank(name: str, nest: Nest) -> int:
    """How many subscripts the nest uses with an array; 0 for a number."""
    if name in nest.asked.scratch:
        return len(nest.allocations[name].shape)
    ranks = (
        len(access.subscripts)
        for statement in nest.statements.values()
        for access in statement.accesses
        if access.array == name
    )
    return max(ranks, default=0)
