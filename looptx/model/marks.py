"""How a comment addresses looptx, and how one looks that means to and does not."""

from __future__ import annotations

import re
from collections.abc import Iterator

_WORD = "looptx"

DIRECTIVE = re.compile(rf"#\s*{_WORD}:\s*")
"""The start of a directive comment."""

APPLIED = f"# {_WORD}: applied"
"""The start of a comment above a nest that is the result of directives."""

APPLIED_ALREADY = re.compile(rf"{DIRECTIVE.pattern}applied\b")
"""The same as a user may have laid it out."""

NAMING = re.compile(r"nest\b")
"""The start of the one directive that may stand on a statement that is no loop."""


def _spellings() -> Iterator[str]:
    """Patterns of the words that are one mistake away from ours, or none."""
    for at in range(len(_WORD)):
        head, rest = _WORD[:at], _WORD[at:]
        yield rf"{head}[\w-]?{rest[1:]}"
        yield rf"{head}[\w-]{rest}"
        yield f"{head}{rest[1:2]}{rest[0]}{rest[2:]}"


_NEARLY = rf"#[#:!\s]*(?:{'|'.join(_spellings())})[\s:;,.=-]+(?=\w)"
NEARLY = re.compile(_NEARLY, re.IGNORECASE)
"""The start of a comment that may be a directive with a slip before its verb."""

_NEARLY_BYTES = re.compile(_NEARLY.encode(), re.IGNORECASE)


def may_address(module: str | bytes) -> bool:
    """Whether a module may hold anything for looptx; others need not be parsed."""
    if isinstance(module, bytes):
        return _WORD.encode() in module or _NEARLY_BYTES.search(module) is not None
    return _WORD in module or NEARLY.search(module) is not None
