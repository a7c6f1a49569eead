"""The form of an explanation."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is said about one error code.

    Attributes:
        meaning: what is wrong and why it matters.
        fix: what to do.
        source: a module that gets this error from ``looptx transform``; the tests run
            it. Empty for errors that no module text causes.
        example: what to show instead of ``source`` then.
        validate: whether ``source`` gets the error with ``--validate`` only.
    """

    meaning: str
    fix: str
    source: str = ""
    example: str = ""
    validate: bool = False

    def page(self, code: str, title: str) -> str:
        """The text for a person."""
        shown = textwrap.dedent(self.source or self.example).strip("\n")
        parts = [f"{code}: {title}", _filled(self.meaning)]
        if shown:
            parts += ["Example:", textwrap.indent(shown, "    ")]
        parts += ["What to do:", textwrap.indent(_filled(self.fix), "    ")]
        return "\n\n".join(parts)


def _filled(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), 80, break_on_hyphens=False)
