"""What a call says of the arguments of a function that it does not say itself."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from looptx.source.spelling.called.told import Told


class Given(NamedTuple):
    """What is known of arguments, where a function does not say it.

    Attributes:
        axes: their names, how many they have, whether they are complex, and which axes
            have one position.
        told: what they are, as of ``source.read``.
    """

    axes: Collection[tuple[str, int, bool, tuple[int, ...]]] = ()
    told: Told | None = None
