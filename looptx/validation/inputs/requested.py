"""Sizes that a user asks for: ``n=5``, ``A=(5, 7)``, ``{"A.shape[0]": 5}``."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from typing import SupportsIndex

from looptx.errors import Malformed
from looptx.language.words import suggestion
from looptx.model.shapes import is_extent
from looptx.validation.inputs.signature import Signature, extent_name

_DEFAULT = 5


def chosen(inputs: Signature, wanted: object) -> tuple[dict[str, int], frozenset[str]]:
    """All sizes of a function, and which of them were given.

    Raises:
        Malformed: LX104 for a name that is no size, LX103 for a value that is none.
    """
    if not isinstance(wanted, Mapping) or not all(isinstance(n, str) for n in wanted):
        raise Malformed(
            "LX103",
            f"{wanted!r} says no sizes",
            hint='name them: `validate(n=5)`, or `validate({"n": 5}, {"n": 6})`',
        )
    names = {shown: name for name, shown in inputs.shown().items()}
    names.update({name: name for name in inputs.free})
    given: dict[str, int] = {}
    for key, value in wanted.items():
        if key in inputs.arrays:
            given.update(_extents(inputs, key, value))
        elif key in names:
            given[names[key]] = _size(key, value, is_extent(names[key]))
        else:
            known = [*inputs.shown().values()]
            raise Malformed(
                "LX104",
                f"`{key}` is no size of the function",
                detail=(f"sizes: {', '.join(known) or 'none'}",),
                hint=suggestion(key, known, "name one of them"),
            )
    usual = {**dict.fromkeys(inputs.free, _DEFAULT), **inputs.usual}
    return {**usual, **given}, frozenset(given)


def _extents(inputs: Signature, name: str, value: object) -> Iterator[tuple[str, int]]:
    """The extents of ``A=(5, 7)`` that the function asks for."""
    rank = inputs.arrays[name].rank
    if not isinstance(value, (tuple, list)):
        raise Malformed(
            "LX103",
            f"`{name}` is an array, and {value!r} is no shape",
            hint=f"give {rank} extents, such as `{name}={(_DEFAULT,) * rank}`",
        )
    if len(value) != rank:
        raise Malformed(
            "LX103",
            f"`{name}` has {rank} dimensions, not {len(value)}",
            hint=f"give {rank} extents",
        )
    for axis, extent in enumerate(value):
        text = extent_name((name, axis))
        if text in inputs.free:
            yield text, _size(text, extent, True)


def _size(name: str, value: object, extent: bool) -> int:
    size: int | None = None
    if isinstance(value, SupportsIndex) and not isinstance(value, bool):
        size = operator.index(value)
    if size is None or (extent and size < 0):
        raise Malformed(
            "LX103",
            f"`{name}` cannot be {value!r}",
            hint="sizes are whole numbers, those of arrays not negative",
        )
    return size
