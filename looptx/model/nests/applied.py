"""What a schedule has been changed by."""

from __future__ import annotations

from collections.abc import Mapping

from looptx.errors import Place
from looptx.model.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Applied:
    """A directive that a schedule has been changed by.

    Attributes:
        text: in canonical form. place: where it is written, if in a text.
        source: the line of that place.
        trusted: what it asserts that nothing checks: ``order``, ``scratch A``.
        thresholds: ``{loop id: the trip counts at which its loops change their form}``.
    """

    text: str
    place: Place | None = field(default=None, compare=False)
    source: str = field(default="", compare=False)
    trusted: str = ""
    thresholds: Mapping[str, frozenset[int]] = field(default_factory=dict)
