"""What ``unroll`` leaves in the text: loops in longer steps, or none at all."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fuzz.meaning.tree import Node, walk

PROBES = tuple(range(-9, 40, 7))
"""What names stand for to tell the counts of loops."""


@dataclass(frozen=True)
class Written:
    """A loop of the text: its step, and the counts that it can have."""

    step: int
    counts: frozenset[int]


def lacking(nodes: Sequence[Node], text: str) -> str:
    """An unrolled loop that the text does not have as one; ``""`` for none.

    Args:
        nodes: the loops after all directives.
        text: what was made of them.
    """
    found = written(text)
    names = Counter(name for name, _ in {(x.name, x.dim) for x in walk(nodes)})
    for loop in walk(nodes):
        if names[loop.name] > 1 or loop.unrolled in (None, 1):
            continue
        loops = found.get(loop.name, [])
        if not loop.unrolled:
            # Blocks of a block whose size they do not divide are of different counts,
            # and a loop that the probes never enter may be one of these.
            counts = [one.counts for one in loops]
            if loops and all(len(x) == 1 and x != {0} for x in counts):
                return f"`{loop.name}` is still a loop"
            continue
        steps = {one.step for one in loops}
        # A rest of one iteration has no loop in the old step, and no rest has none.
        old = {loop.step} if loop.step else {1, -1}
        long = any(step * loop.unrolled in steps for step in steps | old)
        short = all(max(one.counts) < loop.unrolled for one in loops)
        if not (long or short):
            return f"`{loop.name}` has no {loop.unrolled} copies"
    return ""


def written(text: str) -> dict[str, list[Written]]:
    """The loops of a text by the name of their variable."""
    found: dict[str, list[Written]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.For):
            assert isinstance(node.iter, ast.Call)
            loop = Written(_step(node.iter), _counts(node.iter))
            found.setdefault(ast.unparse(node.target), []).append(loop)
    return found


def _step(call: ast.Call) -> int:
    return int(ast.unparse(call.args[2])) if len(call.args) == 3 else 1


def _counts(call: ast.Call) -> frozenset[int]:
    """The numbers of iterations at some values of the names."""
    code = compile(ast.unparse(call), "<range>", "eval")
    names = [node.id for node in ast.walk(call) if isinstance(node, ast.Name)]
    return frozenset(len(eval(code, _values(names, probe))) for probe in PROBES)


def _values(names: Sequence[str], probe: int) -> dict[str, object]:
    """Numbers for the names of a loop's bounds, no two in the same proportion."""
    known = {"range": range, "min": min, "max": max}
    numbers = {
        name: probe * (k + 1) % 37 - 5 for k, name in enumerate(sorted({*names}))
    }
    return {**numbers, **known}
