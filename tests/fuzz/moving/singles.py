"""Names for single statements beside inner loops, and directives that say them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fuzz.generate.singles import value
from fuzz.moving.function import Moving
from fuzz.programs.dice import Dice


@dataclass(frozen=True)
class Thing:
    """A statement or a loop that has a name.

    Attributes:
        bounds: the first value of a loop, and where it ends.
    """

    name: str
    line: int
    arrays: tuple[str, ...]
    var: str = ""
    bounds: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class Row:
    """What stands side by side in loops."""

    loops: tuple[str, ...]
    things: tuple[Thing, ...]


def named(made: Moving, dice: Dice) -> tuple[Moving, list[str]]:
    """The function with more names, and directives for what has them, if any can."""
    rows: list[Row] = []
    nests: list[str] = []
    for number, text in enumerate(made.nests):
        found = list(_rows(ast.parse(text).body, (), f"e{number}"))
        lines = text.split("\n")
        every = [thing for row in found for thing in row.things]
        for one in sorted(every, key=lambda one: -one.line):
            old = lines[one.line - 1]
            indent = old[: len(old) - len(old.lstrip())]
            lines.insert(one.line - 1, f"{indent}# looptx: nest {one.name}")
        rows += found
        nests.append("\n".join(lines))
    if not rows:
        return made, []
    found = [text for _ in range(dice.pick(1, 1, 2)) for text in _line(rows, dice)]
    return replace(made, nests=tuple(nests)), found


def _rows(body: Sequence[ast.stmt], loops: tuple[str, ...], name: str) -> Iterator[Row]:
    """The rows with a loop and a statement each, the outermost first."""
    kinds = ast.For | ast.Assign | ast.AugAssign
    things = [node for node in body if isinstance(node, kinds)]
    single = {isinstance(node, ast.For) for node in things}
    if loops and len(single) == 2:
        yield Row(
            loops,
            tuple(_thing(node, f"{name}_{at}") for at, node in enumerate(things)),
        )
    for at, node in enumerate(body):
        if isinstance(node, ast.For):
            more = (*loops, ast.unparse(node.target))
            yield from _rows(node.body, more, f"{name}_{at}in")


def _thing(node: ast.For | ast.Assign | ast.AugAssign, name: str) -> Thing:
    parts = [x for x in ast.walk(node) if isinstance(x, ast.Subscript)]
    arrays = tuple(sorted({ast.unparse(x.value) for x in parts}))
    if not isinstance(node, ast.For):
        return Thing(name, node.lineno, arrays)
    assert isinstance(node.iter, ast.Call)
    start, stop, *_ = [ast.Constant(0), *node.iter.args][
        -2 - (len(node.iter.args) > 2) :
    ]
    bounds = ast.unparse(start), ast.unparse(stop)
    return Thing(name, node.lineno, arrays, ast.unparse(node.target), bounds)


def _line(rows: Sequence[Row], dice: Dice) -> list[str]:
    """A directive, or two that go together."""
    row = dice.pick(*rows)
    at = dice.pick(*range(len(row.things) - 1))
    two = row.things[at : at + 2]
    single = next((x for x in two if not x.var), two[0])
    loop = next((x for x in two if x.var), two[1])
    other = f"{loop.name}.{loop.var}" if loop.var else row.loops[-1]
    array = dice.pick(*single.arrays, "x")
    verb = dice.pick(
        "fuse", "fuse", "fuse", "fuse", "compute_at", "reverse_compute_at",
        "simple_compute_at", "compute_inline", "reverse_compute_inline", "cache_read",
        "cache_write",
    )  # fmt: skip
    if verb.endswith("inline"):
        return [f"{verb} {single.name}"]
    if verb.startswith("cache"):
        return [f"{verb} {array} at {single.name} as kept_{single.name}"]
    if verb != "fuse":
        return [f"{verb} {single.name} {other}"]
    if dice.chance(12):
        two = two[::-1]
    text = f"fuse {two[0].name} {two[1].name}"
    if loop.var and not single.var and dice.chance(85):
        start, stop = loop.bounds
        near = start if single is two[0] else f"{stop}-1"
        words = near.replace(" ", "") if dice.chance(55) else value(dice, row.loops)
        text += f" at {loop.var}={words}"
    name = f"{two[0].name}.{loop.var}"
    more = dice.pick(
        "", "", "", f"split {name} {dice.pick(2, 3)}", f"unroll {name} 2",
        f"reorder {name} {row.loops[-1]}", f"parallel {row.loops[0]}",
    )  # fmt: skip
    return [text, *([more] if more and loop.var else [])]
