"""A deliberate fault in looptx: one piece of its text replaced by another."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Mutation:
    """A fault.

    Attributes:
        name: a few words with hyphens.
        module: where it is, seen from the package: ``poly/lives.py``.
        old: the text that is replaced; it occurs once in the module.
        new: what stands there instead.
        what: the smallest program that shows it, with its directives behind a colon.
        tier: of the fuzzer that is to find it.
    """

    name: str
    module: str
    old: str
    new: str
    what: str
    tier: str = "python"

    def apply(self, package: Path) -> None:
        """Change the module in a copy of the package.

        Raises:
            ValueError: the text to replace does not occur exactly once.
        """
        path = package / self.module
        text = path.read_text("utf-8")
        if text.count(self.old) != 1:
            where = f"{text.count(self.old)} times in {self.module}"
            raise ValueError(f"{self.name}: the text to replace occurs {where}")
        path.write_text(text.replace(self.old, self.new), "utf-8")
