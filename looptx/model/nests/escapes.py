"""What of a nest others can see besides what it leaves in variables."""

from __future__ import annotations

from collections.abc import Mapping

from looptx.model.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Escapes:
    """What others see.

    Attributes:
        seen: why what an array holds after the nest may matter, but to a caller.
        unsuited: why arrays that the function makes may not be temporaries.
        caught: whether names assigned here can be seen after an exception in the nest.
        rescued: those that the function itself may read then.
        shown: whether others have a list to which it appends.
    """

    seen: Mapping[str, str] = field(default_factory=dict)
    unsuited: Mapping[str, str] = field(default_factory=dict)
    caught: bool = False
    rescued: tuple[str, ...] = ()
    shown: bool = False
