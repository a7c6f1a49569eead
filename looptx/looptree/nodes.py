"""The neutral loop program: what the analysis produces and the printers read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from looptx.model.execution.marks import PLAIN, Marks
from looptx.model.expr import Cond, IntExpr
from looptx.model.records import dataclass


@dataclass(frozen=True, slots=True)
class For:
    """``for var in range(start, stop, step)``, as in Python; ``step`` is a literal.

    ``dim`` is the dimension it came from (-1 for none); ``headers`` are the loops
    of the source whose comments it keeps.
    """

    var: str
    start: IntExpr
    stop: IntExpr
    step: int
    body: Block
    dim: int = -1
    marks: Marks = PLAIN
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class If:
    """``if cond: body``."""

    cond: Cond
    body: Block


@dataclass(frozen=True, slots=True)
class Let:
    """``var = value`` for a loop variable that takes one value here."""

    var: str
    value: IntExpr


@dataclass(frozen=True, slots=True)
class Call:
    """One instance of a statement; ``index`` gives the value of each enclosing loop."""

    statement: str
    index: Mapping[str, IntExpr]


LoopTree: TypeAlias = For | If | Let | Call
Block: TypeAlias = tuple[LoopTree, ...]
