"""The directives that a kernel is given: texts, and objects that have none."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

from looptx import forks
from looptx.errors import Malformed

if TYPE_CHECKING:
    from looptx.directives.around.fuse_around import FuseAround

    Given: TypeAlias = tuple[str | FuseAround, ...]


def given(directives: Sequence[object]) -> Given:
    """Directives out of texts, objects, and sequences of them.

    Objects become texts, but for those of which a cost function is a part.

    Raises:
        Malformed: LX102 for what is neither.
    """
    found: list[str | FuseAround] = []
    for one in directives:
        text = one if isinstance(one, str) else getattr(one, "text", None)
        if getattr(one, "cost", None) is not None:
            found.append(cast("FuseAround", one))
        elif isinstance(text, str):
            found.append(text)
        elif isinstance(one, (tuple, list)):
            found.extend(given(one))
        else:
            raise Malformed(
                "LX102",
                f"{one!r} is not a directive",
                hint='write a text, "tile i=32 j=32", or an object, tile(i=32, j=32)',
            )
    return tuple(found)


def chosen(
    function: types.FunctionType, directives: Given
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The directives as texts, and what became of nests that cost functions place.

    Args:
        function: the function. directives: those of ``given``.

    Raises:
        LooptxError: as ``analysis.chosen``, where there is a cost function.
    """
    texts = tuple(one for one in directives if isinstance(one, str))
    if len(texts) == len(directives):
        return texts, ()
    with forks.IMPORTS:
        from looptx.native.analysis import chosen as choosing

    return choosing.chosen(function, directives)
