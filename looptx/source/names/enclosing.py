"""The way down to a statement: the blocks it stands in, the function's first.

What stands before the way in one of these blocks dominates the statement: it has run to
its end whenever the statement runs. What stands around the way has begun.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.model.records import dataclass
from looptx.source.ast_tools import below, blocks, walked


@dataclass(frozen=True, slots=True)
class Step:
    """One block on the way.

    Attributes:
        around: the function, or the statement that the block is a part of.
        block: its statements.
        at: which of them is the statement that the way leads to, or holds it.
    """

    around: ast.stmt
    block: list[ast.stmt]
    at: int

    @property
    def before(self) -> Sequence[ast.stmt]:
        """The statements that dominate it in this block."""
        return self.block[: self.at]


def enclosing(function: ast.stmt, to: ast.stmt) -> Sequence[Step]:
    """The steps from the body of a function to the block of a statement in it."""
    found: list[Step] = []
    around = function
    while around is not to:
        step = next(
            Step(around, block, at)
            for block in blocks(around)
            for at, stmt in enumerate(block)
            if to in walked(stmt)
        )
        found.append(step)
        around = step.block[step.at]
    return found


def owner(tree: ast.AST, function: ast.AST) -> str:
    """The name of the innermost class around a function; empty for none."""
    around = [x.name for x in below(tree, ast.ClassDef) if function in walked(x)]
    return around[-1] if around else ""
