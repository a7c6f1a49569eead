"""How many axes the arrays of a call have, which the function may not say.

``C[:] = A + B`` is a loop for arrays of one axis, and two for those of two, and ``for x
in A`` is one over indices where A is an array. Of what is called first a kernel takes
that; of other arrays NumPy runs such a statement, and the loops in such a loop are
nests by themselves.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from looptx.errors import LooptxError
from looptx.native.analysis.arguments import signature_of, whole_names
from looptx.native.analysis.function_text import function_text
from looptx.parsers.unwarned import parsed

Axes = tuple[tuple[str, int, bool, tuple[int, ...]], ...]
"""Arguments, the axes that they have, whether they are complex, and those of the axes
that have one position where other arrays have more."""


def axes(
    function: types.FunctionType, args: tuple[Any, ...], named: Mapping[str, Any]
) -> Axes:
    """The arguments that are arrays, where it may use all of their elements.

    Args:
        function: it. args, named: what it is called with.
    """
    array = getattr(sys.modules.get("numpy"), "ndarray", None)
    values = (*args, *named.values())
    if array is None or not any(isinstance(value, array) for value in values):
        return ()
    try:
        given = signature_of(function).bind(*args, **named).arguments
        tree = parsed(function_text(function).text)
    except (TypeError, ValueError, SyntaxError, RecursionError, LooptxError):
        return ()
    asked = whole_names(tree)
    arrays = {x: v for x, v in given.items() if isinstance(v, array) and x in asked}
    wide = [*map(any, zip_longest(*map(_wide, arrays.values()), fillvalue=False))]
    return tuple(
        (name, value.ndim, value.dtype.kind == "c", _repeated(value.shape, wide))
        for name, value in arrays.items()
    )


def _wide(value: Any) -> list[bool]:
    """Whether each axis of an array has several positions, the last one first."""
    return [count > 1 for count in value.shape[::-1]]


def _repeated(shape: tuple[int, ...], wide: Sequence[bool]) -> tuple[int, ...]:
    """The axes of one position.

    Args:
        shape: of an array. wide: which axes of others have more, the last one first.
    """
    last = len(shape) - 1
    return tuple(at for at, n in enumerate(shape) if n == 1 and wide[last - at])
