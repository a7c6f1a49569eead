"""Arrays that are computed in front of a statement, in memory of their own.

What NumPy computes of complex arrays, and rounds in a way of its own, its own loops
make here, too, of rows: one operation after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from looptx.lower.kinds import BOOL, INT, fail, of
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    If,
    Run,
    Stmt,
    dangers,
    infix,
    intrinsic,
    number,
)
from looptx.lower.types import c_element
from looptx.lower.values.arrays.order import MEMORY
from looptx.lower.values.conversions import check_rounded
from looptx.lower.values.literals import as_kind, loaded
from looptx.lower.values.views import Strip
from looptx.model.dtypes import DTYPES
from looptx.model.functions.complexes import REAL
from looptx.model.records import dataclass, field
from looptx.model.types import ScalarType

PLANES = "planes"
"""The rules of what NumPy's loops do with matrices, and with rows."""


@dataclass(slots=True)
class Rows:
    """The arrays that an expression needs.

    Attributes:
        fresh: makes a variable of a name and a type of C.
        lines: what fills them: behind all that may raise. made: their cells.
    """

    fresh: Callable[[str, str], Expr]
    lines: list[Stmt] = field(default_factory=list)
    made: list[Expr] = field(default_factory=list)

    def allocated(self, count: Expr, dtype: str) -> tuple[Expr, list[Stmt]]:
        """The cells of an array without values, and what allocates them.

        Args:
            count: of its elements. dtype: their type.
        """
        cells = self.fresh("cells", f"{c_element(dtype)}*")
        new = intrinsic("temp", of(INT), count, dtype=dtype)
        none = intrinsic("missing", of(BOOL), cells)
        refuse = Run(intrinsic("memory", of(INT), raises=MEMORY))
        self.made.append(cells)
        return cells, [Assign(cells, new), If(none, (refuse,))]

    def filled(self, value: Expr, at: Expr, count: Expr | None, dtype: str) -> Strip:
        """An array of elements, or of a single number, as NumPy converts them.

        Args:
            value: the element at a place, or the number. at: the place.
            count: of the elements; None for a number. dtype: what they become.

        Raises:
            Unsupported: LX504 where an element may raise, or is rounded otherwise.
        """
        check_rounded(value)
        if dangers([value]):
            fail("an element of a complex array that may raise")
        cells, lines = self.allocated(count or number(1), dtype)
        cell = _cell(cells, dtype, number(0) if count is None else at)
        fill: Stmt = Assign(cell, as_kind(value, of(ScalarType(dtype))))
        if count is not None:
            fill = For(at.name, number(0), count, (fill,))
        self.lines += [*lines, fill]
        return _strip(cells, dtype, count or number(1))

    def computed(
        self, operation: str, dtype: str, operands: Sequence[Strip], count: Expr
    ) -> Strip:
        """What NumPy's loop makes of rows.

        Args:
            operation: what NumPy calls it. dtype: of the operands.
            operands: the rows. count: of the elements that it makes.
        """
        own = DTYPES[dtype].part if operation in REAL else dtype
        cells, lines = self.allocated(count, own)
        given = [part for one in operands for part in one.parts]
        whole = _strip(cells, own, count)
        rules = {"dtype": dtype, "rules": PLANES}
        call = intrinsic(operation, of(INT), *given, *whole.parts, **rules)
        self.lines += [*lines, Run(call)]
        return whole


def element(one: Strip, at: Expr, *, far: bool) -> Expr:
    """An element of a computed array.

    Args:
        one: the array. at: the place. far: whether it may have a single element, which
            is that of all places.
    """
    if far:
        several = infix("!=", one.count, number(1), of(BOOL))
        at = Expr("choice", of(INT), (several, at, number(0)))
    return loaded(_cell(one.array, one.dtype, at))


def _cell(cells: Expr, dtype: str, at: Expr) -> Expr:
    return Expr("local cell", of(ScalarType(dtype)), (at,), cells.name)


def _strip(cells: Expr, dtype: str, count: Expr) -> Strip:
    return Strip(cells, dtype, number(0), count, number(1), (), None, number(1))
