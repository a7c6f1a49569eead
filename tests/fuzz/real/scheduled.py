"""Directives for a nest of a function that was not written for them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from random import Random

MARK = "looptx: "

_FORMS = (
    "split {a} {n}",
    "parallel {a}",
    "parallel {first}",
    "unroll {a} {n}",
    "vectorize {last}",
    "vectorize {a} 4",
    "reorder {b} {a}",
    "tile {first}=3 {last}=4",
    "collapse {first} {last}",
    "skew {b} {a}",
    "pad {a} 4",
    "distribute {a}",
    "split {a} {n} as {a}o {a}q | parallel {a}o",
    "split {a} {n} as {a}o {a}q | unroll {a}q",
    "split {a} {n} as {a}o {a}q | vectorize {a}q",
)
"""Of loops: any two, the outermost one, and the one that is written last."""


def schedule(function: ast.FunctionDef, random: Random) -> None:
    """Put directives in front of a loop; ``commented`` makes comments of them.

    Args:
        function: the tree, which becomes another. random: draws.
    """
    found = [*_outermost(function.body)]
    if not found:
        return
    block, loop = random.choice(found)
    names = [
        node.target.id
        for node in ast.walk(loop)
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name)
    ]
    if not names:
        return
    words = {"first": names[0], "last": names[-1]}
    texts = [
        random.choice(_FORMS).format(
            a=random.choice(names), b=random.choice(names), n=random.choice((2, 3, 4)),
            **words,
        )
        for _ in range(random.choice((1, 1, 2)))
    ]  # fmt: skip
    marked = ast.Expr(ast.Constant(MARK + " | ".join(texts)))
    block.insert(block.index(loop), marked)
    ast.fix_missing_locations(function)


def commented(text: str) -> str:
    """A text whose marks are comments."""
    return re.sub(rf"(?m)^( *)(\"\"\"|')({MARK}.*)\2$", r"\1# \3", text)


def _outermost(block: list[ast.stmt]) -> Iterator[tuple[list[ast.stmt], ast.For]]:
    """The loops that are in no other, each with the statements that it is one of."""
    for stmt in block:
        if isinstance(stmt, ast.For):
            yield block, stmt
        elif isinstance(stmt, ast.If | ast.With | ast.While):
            inside: Sequence[list[ast.stmt]] = (stmt.body, getattr(stmt, "orelse", []))
            for one in inside:
                yield from _outermost(one)
