"""Loops over integers as functions of Python: which tasks there are, which cells.

The loop trees of the proof are evaluated often, once for each task. As code of Python
that takes microseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from looptx.cluster.work.boxes import ranged
from looptx.looptree.nodes import Block, For, If
from looptx.looptree.text import format_cond, format_expr
from looptx.looptree.walk import reads
from looptx.model.expr import Cond, IntExpr, variables
from looptx.poly.scanning import axis


class Formulas:
    """Functions of named integers, whatever their names are.

    Args:
        names: of the integers that the functions are given, in their order.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.given = tuple(dict.fromkeys(names))
        self.names = {name: f"v{at}" for at, name in enumerate(self.given)}

    def name(self, text: str) -> str:
        """The identifier of an integer, or of the variable of a loop."""
        return self.names.setdefault(text, f"v{len(self.names)}")

    def expr(self, expr: IntExpr) -> str:
        """An expression as text."""
        return format_expr(expr, {x: self.name(x) for x in variables(expr)})

    def cond(self, cond: Cond) -> str:
        """A condition as text."""
        return format_cond(cond, {x: self.name(x) for x in variables(cond)})

    def function(self, lines: Sequence[str], **known: object) -> Callable[..., Any]:
        """A function of the integers.

        Args:
            lines: its body, indented. known: what other names mean.
        """
        head = f"def made({', '.join(self.names[name] for name in self.given)}):"
        space: dict[str, Any] = dict(known)
        exec("\n".join((head, *lines)), space)
        made: Callable[..., Any] = space["made"]
        return made


def cells_of(
    formulas: Formulas, parts: Mapping[str, tuple[Block, Block]]
) -> Callable[..., Any]:
    """The boxes of what a task reads and writes, as a function of integers.

    Args:
        formulas: of which integers.
        parts: the cells of arrays, as loops over their coordinates.

    Returns:
        A function that gives a list of boxes read and of boxes written for each array,
        in their order; boxes may have cells in common.
    """
    lines, names = [" found = []"], list(parts)
    for name in names:
        for block in parts[name]:
            lines += [" now = []", " add = now.append"]
            lines += _scanned(formulas, block, {}, " ")
            lines.append(" found.append(now)")
    lines.append(" return found")
    return formulas.function(lines, ranged=ranged)


def _scanned(
    formulas: Formulas, block: Block, box: Mapping[str, str], indent: str
) -> list[str]:
    """The lines that add the boxes of a block.

    Args:
        formulas: of which integers. block: the block.
        box: the ranges of the axes whose loops are around it, as text.
        indent: of the lines.
    """
    lines: list[str] = []
    more = f"{indent} "
    for node in block:
        match node:
            case For(var, start, stop, step, body):
                first, last = formulas.expr(start), formulas.expr(stop)
                given = f"{first}, {last}, {step}"
                if not var.startswith("a") or var in reads(body):
                    name = formulas.name(var)
                    lines.append(f"{indent}for {name} in range({given}):")
                    one = f"({name}, {name} + 1, 1)"
                else:
                    one = f"r{len(box)}"
                    lines.append(f"{indent}{one} = ranged({given})")
                    lines.append(f"{indent}if {one} is not None:")
                inside = {**box, var: one} if var.startswith("a") else box
                lines += _scanned(formulas, body, inside, more)
            case If(cond, body):
                lines.append(f"{indent}if {formulas.cond(cond)}:")
                lines += _scanned(formulas, body, box, more)
            case _:
                ranges = (box[axis(at)] for at in range(len(box)))
                lines.append(f"{indent}add(({''.join(f'{one}, ' for one in ranges)}))")
    return lines or [f"{indent}pass"]
