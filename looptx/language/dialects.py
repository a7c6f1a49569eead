"""Directives as people know them from elsewhere, in the words of this language.

They are not understood, which would make two languages of one; but whoever writes
``split(i, 4)``, ``tile i j 8 8`` or ``interchange i j`` is told how it is written here.
"""

from __future__ import annotations

import re

from looptx.language.grammar import FREE, VALUES
from looptx.language.words import LONGEST

_SYNONYMS = {
    "block": "tile",
    "fission": "distribute",
    "permute": "reorder",
    "prange": "parallel",
    "simd": "vectorize",
    "strip_mine": "split",
    "stripmine": "split",
}
"""Verbs of other systems."""

_EXCHANGES = ("interchange", "swap")
_SIZES = ("by", "factor", "size")
_ARROW = re.compile(r"->|:")
_MARKS = re.compile(r"[(),\[\]@]")


def translated(text: str) -> str:
    """A directive that is not understood, as it may be meant.

    Args:
        text: of the directive; nothing is made of a long one.
    """
    if len(text) > LONGEST:
        return text
    return " | ".join(_clause(part) for part in re.split(r"[|;]", text) if part.strip())


def _clause(part: str) -> str:
    """One verb with its words."""
    given = _MARKS.sub(" ", _ARROW.sub(" as ", part)).split()
    if not given or {given[0], part.split()[0]} & (FREE | VALUES):
        return part.strip()
    verb, words = given[0].lower(), given[1:]
    if verb in _EXCHANGES:
        return " ".join(("reorder", *reversed(words)))
    verb = _SYNONYMS.get(verb, verb)
    own = {"split": _named, "tile": _paired, "unroll": _sized, "vectorize": _sized}
    return " ".join((verb, *own.get(verb, list)(words)))


def _named(given: list[str]) -> list[str]:
    """``i by 4 io ii`` with its size alone, and ``as`` in front of the new loops."""
    words = _sized(given)
    numbers = [at for at, word in enumerate(words) if word.isdecimal()]
    behind = numbers[-1] + 1 if numbers else len(words)
    if "as" in words or behind == len(words):
        return words
    return [*words[:behind], "as", *words[behind:]]


def _sized(given: list[str]) -> list[str]:
    """``i by 4`` and ``i factor=4`` with the size alone."""
    sizes = tuple(f"{name}=" for name in _SIZES)
    words = [
        word.partition("=")[2] if word.startswith(sizes) else word for word in given
    ]
    return [word for word in words if word not in _SIZES]


def _paired(words: list[str]) -> list[str]:
    """``i j 8 8`` and ``i 8 j 8`` as ``i=8 j=8``."""
    loops = [word for word in words if word.isidentifier()]
    numbers = [word for word in words if word.isdecimal()]
    if "as" in words or len(loops) != len(numbers) or 2 * len(loops) != len(words):
        return words
    return [f"{loop}={size}" for loop, size in zip(loops, numbers, strict=True)]
