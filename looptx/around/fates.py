"""What became of the nests around an anchor, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from looptx.directives.around.fuse_around import Candidate
from looptx.model.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Fate:
    """Where a nest went, or why it stayed.

    Attributes:
        nest: its name.
        place: where it went, and what that costs; None where it stayed.
        why: why it stayed. reasons: why not in certain loops, inner ones first.
    """

    nest: str
    place: Candidate | None = None
    why: str = ""
    reasons: Mapping[str, str] = field(default_factory=dict)

    def lines(self, around: str) -> Iterator[str]:
        """The report, a line for each thing to say.

        Args:
            around: the text of the directive.
        """
        if self.place is not None:
            times = self.place.recompute
            runs = "once" if times == 1 else f"{times:.4g} times"
            size = f"{self.place.bytes} bytes"
            yield f"{around}: {self.nest} is in {self.place.loop}: {size}, runs {runs}"
            return
        if self.why:
            yield f"{around}: {self.nest} stays: {self.why}"
        for reason, found in groupby(self.reasons.items(), lambda one: one[1]):
            out = ", ".join(loop for loop, _ in found)
            yield f"{around}: {self.nest} stays out of {out}: {reason}"
