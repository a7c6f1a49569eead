"""The cells that statements use, and where their code says so."""

from __future__ import annotations

import ast
from typing import TypeAlias

from looptx.model.expr import TRUE, Cond, IntExpr
from looptx.model.expr.polynomial import Polynomial
from looptx.model.records import dataclass

Cell: TypeAlias = tuple[str, tuple[IntExpr | None, ...]]
"""An array and subscripts: which cell an iteration of a statement uses.

It is a name only in one version of one statement, over whose loops the subscripts are.
There, accesses with one text use one cell in every iteration, so what is decided for a
cell (that it is in a buffer, or which iteration wrote it) is decided for all of them.
They differ in whether they write and when they happen: a dependence is one of accesses.
"""


@dataclass(frozen=True, slots=True)
class Access:
    """A read or a write of ``array`` (a dotted name; a scalar has no subscripts).

    A subscript is an affine expression over loop ids and parameters, or None for
    "any position of this dimension". Missing trailing subscripts are whole dimensions.
    It happens at most where ``where`` holds, a condition over the same names, and over
    others that only the proof knows: a branch of ``x if i else y``, or of an opaque
    ``if``. ``certain`` is false for one that may not happen there either (under a
    data-dependent condition, inside an opaque statement). ``products`` has, by axis,
    what is no affine subscript but a sum of loops times sizes; () where there is none.
    Of these, what happens wherever its statement runs is ``reached``. ``digits`` are
    what tells its cell where the proof has found rows and columns of such subscripts,
    for all axes; () elsewhere.
    """

    array: str
    subscripts: tuple[IntExpr | None, ...]
    write: bool
    certain: bool = True
    where: Cond = TRUE
    products: tuple[Polynomial | None, ...] = ()
    reached: bool = False
    digits: tuple[IntExpr | None, ...] = ()

    @property
    def coordinates(self) -> tuple[IntExpr | None, ...]:
        """What tells its cell from others, as far as that is known."""
        return self.digits or self.subscripts

    @property
    def cell(self) -> Cell:
        """The cell that it reads or writes."""
        return self.array, self.subscripts


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
