"""What ``unroll`` leaves in the text: loops in longer steps, or none at all."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from meaning_tree import Node, walk

PROBES = tuple(range(-9, 40, 7))
"""What names stand for to tell constant counts from others."""


@dataclass(frozen=True)
class Written:
    """A loop of the text: its step, and its count if that is always the same."""

    step: int
    count: int | None


def lacking(nodes: Sequence[Node], text: str) -> str:
    """An unrolled loop that the text does not have as one; ``""`` for none.

    Args:
        nodes: the loops after all directives.
        text: what was made of them.
    """
    found = written(text)
    names = Counter(loop.name for loop in walk(nodes))
    for loop in walk(nodes):
        if names[loop.name] > 1 or loop.unrolled in (None, 1):
            continue
        loops = found.get(loop.name, [])
        if not loop.unrolled:
            # Blocks of a block whose size they do not divide are of different counts.
            if loops and all(one.count is not None for one in loops):
                return f"`{loop.name}` is still a loop"
            continue
        steps = {one.step for one in loops}
        long = any(step * loop.unrolled in steps for step in steps)
        short = all(x.count is not None and x.count < loop.unrolled for x in loops)
        if not (long or short):
            return f"`{loop.name}` has no {loop.unrolled} copies"
    return ""


def written(text: str) -> dict[str, list[Written]]:
    """The loops of a text by the name of their variable."""
    found: dict[str, list[Written]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.For):
            assert isinstance(node.iter, ast.Call)
            loop = Written(_step(node.iter), _count(node.iter))
            found.setdefault(ast.unparse(node.target), []).append(loop)
    return found


def _step(call: ast.Call) -> int:
    return int(ast.unparse(call.args[2])) if len(call.args) == 3 else 1


def _count(call: ast.Call) -> int | None:
    """The number of iterations, if that is always the same."""
    code = compile(ast.unparse(call), "<range>", "eval")
    names = [node.id for node in ast.walk(call) if isinstance(node, ast.Name)]
    counts = {len(eval(code, _values(names, probe))) for probe in PROBES}
    return counts.pop() if len(counts) == 1 else None


def _values(names: Sequence[str], probe: int) -> dict[str, object]:
    """Numbers for the names of a loop's bounds, no two in the same proportion."""
    known = {"range": range, "min": min, "max": max}
    numbers = {
        name: probe * (k + 1) % 37 - 5 for k, name in enumerate(sorted({*names}))
    }
    return {**numbers, **known}
