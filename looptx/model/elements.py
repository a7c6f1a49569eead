"""The cells that statements use, and where their code says so."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TypeAlias

from looptx.model.expr import IntExpr

Cell: TypeAlias = tuple[str, tuple[IntExpr | None, ...]]
"""An array and subscripts: which cell an iteration of a statement uses.

It is a name only in one version of one statement, over whose loops the subscripts are.
There, accesses with one text use one cell in every iteration, so what is decided for a
cell (that it is in a buffer, or which iteration wrote it) is decided for all of them.
They differ in whether they write and when they happen: a dependence is one of accesses.
"""


@dataclass(frozen=True, slots=True)
class Element:
    """An element of an array as the source writes it: ``T[i, j]``.

    ``node`` is its expression in the source, ``subscripts`` are those of its access.
    Where the array is a temporary, ``places`` are the names that stand for coordinates
    in its buffer, in the code and in ``Call.index``; None where it is not.
    """

    array: str
    subscripts: tuple[IntExpr | None, ...]
    node: ast.Subscript
    places: tuple[str, ...] | None = None

    @property
    def written(self) -> bool:
        """Whether it stands in the source where its node says: none is inlined."""
        return self.node.lineno > 0

    @property
    def cell(self) -> Cell:
        """The cell that it stands for."""
        return self.array, self.subscripts


@dataclass(frozen=True, slots=True)
class Inlined:
    """An expression that stands where the source reads a value of an array or scalar.

    ``node`` is the read in the source, ``value`` the expression in the new code.
    """

    node: ast.expr
    value: ast.expr


@dataclass(frozen=True, slots=True)
class View:
    """A row of an array, where the source has a name for it.

    ``row`` is the expression in the model; ``joined`` tells that its elements may be
    written with all their subscripts in one bracket: ``A[i, j]``, not ``A[i][j]``.
    """

    name: str
    row: ast.Subscript
    joined: bool
