"""Simple statements that share a line: nests are known by line and column."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from fuzz.programs.dice import Dice

JOINED = 15
"""How many of a hundred functions without directives have such lines."""


def joined(text: str, seed: int) -> str:
    """A text in which some lines hold several statements.

    Args:
        text: of functions without directives. seed: of the case.
    """
    dice = Dice(f"native lines {seed}")
    if not dice.chance(JOINED):
        return text
    lines = text.split("\n")
    for above, below in reversed([*_neighbours(ast.parse(text))]):
        if "#" not in lines[above - 1] and dice.chance(60):
            lines[above - 1] += f"; {lines.pop(below - 1).strip()}"
    return "\n".join(lines)


def _neighbours(tree: ast.AST) -> Iterator[tuple[int, int]]:
    """The lines of simple statements one below the other, from top to bottom."""
    blocks = [
        block
        for node in ast.walk(tree)
        for block in (getattr(node, name, None) for name in ("body", "orelse"))
        if isinstance(block, list)
    ]
    pairs = [
        (one.lineno, two.lineno)
        for block in blocks
        for one, two in pairwise(block)
        if all(map(_is_simple, (one, two))) and two.lineno == one.lineno + 1
    ]
    yield from sorted(pairs)


def _is_simple(stmt: ast.stmt) -> bool:
    """Whether a statement is a whole line, or can be a part of one."""
    return stmt.lineno == stmt.end_lineno and not hasattr(stmt, "body")
