"""What malformed texts are made from: the annotated programs of the repository."""

from __future__ import annotations

import functools
import io
import random
import re
import tokenize
from pathlib import Path

ROOT = Path(__file__).parents[3]
FENCED = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DIRECTIVE = re.compile(r"(?m)^([ \t]*# looptx: )(?!applied)(.*)$")
LONGEST = 700
"""Longer programs take long to prove; their parts occur in the others."""


SINGLES = (
    """
def f(A, x, n, m):
    # looptx: fuse s0 s1 at j=0
    # looptx: reorder j i
    for i in range(n):
        # looptx: nest s0
        x[i] = 0
        # looptx: nest s1
        for j in range(m):
            A[i, j] = x[i]
""",
    """
# looptx: fuse a k at j=i+1 | fuse a b c partial=1
def f(A, x, n):
    # looptx: nest mm
    for i in range(n - 1):
        # looptx: nest k
        for j in range(i + 1, n):
            A[i, j] = x[j] * 2
        if i > 1:
            # looptx: nest a
            x[i] = 1
        # looptx: nest b
        A[i, 0] = 3
        # looptx: nest c | compute_inline b
        A[i, 1] = 4
""",
)
"""Programs with names for single statements."""


@functools.cache
def programs() -> tuple[str, ...]:
    """Programs with directives, most of manual and examples, shortest first."""
    pages = [*sorted((ROOT / "directives").rglob("*.md")), ROOT / "README.md"]
    found = {
        block for page in pages for block in FENCED.findall(page.read_text("utf-8"))
    }
    for path in sorted((ROOT / "examples").glob("*/*.py")):
        found.add(path.read_text("utf-8"))
    found.update(SINGLES)
    kept = (text for text in found if len(text) <= LONGEST and DIRECTIVE.search(text))
    return tuple(sorted(kept, key=lambda text: (len(text), text)))


@functools.cache
def lines() -> tuple[str, ...]:
    """The texts of all directives in the programs."""
    return tuple(
        sorted({m[2] for text in programs() for m in DIRECTIVE.finditer(text)})
    )


@functools.cache
def words() -> tuple[str, ...]:
    """The words of all directives."""
    return tuple(sorted({word for line in lines() for word in line.split()}))


@functools.cache
def tokens() -> tuple[str, ...]:
    """The tokens of all programs that are Python."""
    found: set[str] = set()
    for text in programs():
        try:
            stream = tokenize.generate_tokens(io.StringIO(text).readline)
            found.update(token.string for token in stream if token.string.strip())
        except (tokenize.TokenError, SyntaxError):
            continue
    return tuple(sorted(found))


def program(rng: random.Random) -> str:
    """A program, a short one rather than a long one."""
    known = programs()
    return known[min(rng.randrange(len(known)), rng.randrange(len(known)))]


def with_line(rng: random.Random, text: str, line: str) -> str:
    """A program with ``line`` above one of its directives, or in its place."""
    found = list(DIRECTIVE.finditer(text))
    match = rng.choice(found)
    if rng.random() < 0.2:
        return f"{text[: match.start()]}{match[1]}{line}\n{text[match.start() :]}"
    return f"{text[: match.start()]}{match[1]}{line}{text[match.end() :]}"
