"""Levels of inexact arithmetic: what may be changed in the arithmetic of a kernel.

Without a level a native nest rounds like Python, operation by operation. A level is a
flag for compiling the C file of one nest, or stands for other functions in it. No flag
is passed that makes the linker add start-up code: gcc's ``-ffast-math``, ``-Ofast`` and
``-funsafe-math-optimizations`` do that, and it flushes subnormal numbers to zero in the
whole process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from looptx.errors import Malformed

Fastmath: TypeAlias = str | Sequence[str]
"""``"contract"``, ``"contract, reassociate"`` or a sequence of such words."""

FUNCTIONS = "functions"

LEVELS = {
    "contract": ("-ffp-contract=fast",),
    "reassociate": (
        *("-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"),
        "-DLX_REASSOCIATED",
    ),
    FUNCTIONS: ("-fno-math-errno",),
}
"""``contract``: a*b+c may be rounded once. ``reassociate``: sums and products may be
taken in another order; that needs the freedom to lose the sign of a zero, too, for
-0.0 + 0.0 depends on the order. ``functions``: functions that have vectors stand for
those of ``math``, and nothing that they are given is an error. None includes another;
NaN and infinity keep their meaning."""


def levels(given: object) -> tuple[str, ...]:
    """The levels that a user's ``fastmath=`` names, each once, in order of the table.

    Raises:
        Malformed: LX102 for what is no level, or neither text nor sequence of texts.
    """
    words = set(_words(given))
    for word in sorted(words - LEVELS.keys()):
        from looptx.language.words import suggestion

        raise Malformed(
            "LX102",
            f"`{word}` is not a level of fastmath",
            hint=suggestion(word.lower(), LEVELS, _hint()),
        )
    return tuple(level for level in LEVELS if level in words)


def _words(given: object) -> Iterator[str]:
    if isinstance(given, str):
        yield from given.replace(",", " ").split()
    elif isinstance(given, (tuple, list, set, frozenset)) and all(
        isinstance(word, str) for word in given
    ):
        yield from given
    else:
        raise Malformed("LX102", f"fastmath={given!r} is not a level", hint=_hint())


def _hint() -> str:
    *most, last = (f"`{level}`" for level in LEVELS)
    return f"the levels are {', '.join(most)} and {last}"


def flags(chosen: Iterable[str]) -> tuple[str, ...]:
    """The flags of the C compiler for some levels."""
    return tuple(flag for level in chosen for flag in LEVELS[level])
