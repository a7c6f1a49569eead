"""What runs and dependences are called: code with the index values filled in."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy

from looptx.model.expr.evaluate import value
from looptx.model.moves import Coordinate
from looptx.model.program import Statement
from looptx.show.dependences import Broken, Dependence
from looptx.show.runs import Run, Space

_FOLDED: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}

LONGEST = 120
"""Code is cut to this many characters."""


def instance(space: Space, run: Run) -> str:
    """The iteration of a run, by the names of its variables: ``i=1, j=2``."""
    return sizes(dict(_shown(space, run)))


def _shown(space: Space, run: Run, *, by_id: bool = False) -> Iterator[tuple[str, int]]:
    """The loops of a run, each with its value.

    Of one that the statement moved into, that which this loop shows.

    Args:
        space: the runs. run: one of them.
        by_id: whether loops have their own names, instead of those of variables.
    """
    loops = space.nest.statements[run.statement].loops
    point = dict(zip(loops, run.point, strict=True))
    for name, at in point.items():
        loop = space.nest.loops[name]
        if isinstance(loop, Coordinate):
            base = value(loop.base, {**space.sizes, **point}, space.starts)
            yield loop.label, base + loop.stride * at
        else:
            yield name if by_id else loop.var, at


def sizes(values: Mapping[str, int]) -> str:
    """Sizes, as the messages of the proof write them: ``n=3, m=2``."""
    return ", ".join(f"{text}={number}" for text, number in values.items())


def filled(space: Space, run: Run) -> str:
    """The statement as it runs there: ``C[1, 2] += A[1, 0] * B[0, 2]``."""
    statement = space.nest.statements[run.statement]
    known = {
        space.nest.loops[loop].var: at
        for loop, at in zip(statement.loops, run.point, strict=True)
    }
    fill = _Fill(known, space.sizes)
    lines = [ast.unparse(fill.visit(deepcopy(line))) for line in statement.code]
    return shortened(" ".join("\n".join(lines).split()))


def code(statement: Statement) -> str:
    """The statement as it is written, on one line."""
    return shortened(" ".join(statement.written.split()))


def shortened(text: str) -> str:
    """At most ``LONGEST`` characters."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


class _Fill(ast.NodeTransformer):
    """Loop variables become numbers; sizes do in subscripts, and sums are computed."""

    def __init__(self, known: Mapping[str, int], sizes: Mapping[str, int]) -> None:
        self.known = known
        self.sizes = sizes
        self.inside = False

    def visit_Name(self, node: ast.Name) -> ast.expr:
        number = self.known.get(node.id)
        if number is None and self.inside:
            number = self.sizes.get(node.id)
        if number is None or not isinstance(node.ctx, ast.Load):
            return node
        return ast.Constant(number)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        outside, self.inside = self.inside, True
        node.slice = self.visit(node.slice)
        self.inside = outside
        node.value = self.visit(node.value)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        fold = _FOLDED.get(type(node.op))
        left, right = _number(node.left), _number(node.right)
        if not self.inside or fold is None or left is None or right is None:
            return node
        if right == 0 and isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            return node
        return ast.Constant(fold(left, right))


def _number(node: ast.expr) -> int | None:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None


def broken(space: Space, fault: Broken, loop: str, certain: bool) -> str:
    """The violation of a pair of runs, in the words of the proof.

    Args:
        space: the runs.
        fault: the dependence that is not kept.
        loop: the name of the loop whose iterations would run together, if any.
        certain: false when the two runs only may touch the same cell.

    Returns:
        One sentence.
    """
    first, second = _ends(space, fault.dependence)
    where = sizes(space.sizes)
    start = f"at {where}: {first}" if where else first
    if not certain:
        start, second = f"{start} may touch the cell of", f"{second};"
        if fault.together is None:
            return f"{start} {second} their order changes."
        return f"{start} {second} different iterations of {loop} would run together."
    if fault.together is None:
        return (
            f"{start} runs before {second} in the source,"
            " and after it in the new order."
        )
    return (
        f"{start} and {second} are different iterations of {loop}"
        " and must not run together."
    )


def _ends(space: Space, dependence: Dependence) -> tuple[str, str]:
    verbs = {
        "flow": ("write", "read"),
        "anti": ("read", "write"),
        "output": ("write", "write"),
    }[dependence.kind]
    cell = dependence.touch
    ends = []
    for verb, number in zip(verbs, (dependence.source, dependence.sink), strict=True):
        run = space.runs[number]
        at = sizes(dict(_shown(space, run, by_id=True)))
        ends.append(f"{verb} {cell} at ({at})")
    return ends[0], ends[1]
