"""Elements of rows and slices, of which reductions compute arrays."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TypeAlias

from looptx.lower import tree
from looptx.lower.kinds import BOOL, INT, fail, of
from looptx.lower.scope import Scope
from looptx.lower.tree import Assign, Expr, Run, Stmt, infix, intrinsic, number
from looptx.lower.values.arrays.masks import Mask
from looptx.lower.values.arrays.rows import Rows, element
from looptx.lower.values.literals import loaded
from looptx.lower.values.views import Place, Strip, Value, is_array, stands, strip
from looptx.model.functions.complexes import hangs_on_direction
from looptx.model.records import dataclass, field
from looptx.model.trees import brackets, dotted
from looptx.model.types import ScalarType

Make = Callable[[bool], Expr]
"""An element; the argument says whether arrays may have one only, for all others."""

Operand: TypeAlias = tuple[ast.expr, Make, Expr | None]
"""An expression, an element of it, and how many there are; None for a number."""

BY_LOOP = {
    **{"*": "multiply", "/": "divide", "abs": "absolute", "numpy.abs": "absolute"},
    **{"numpy.absolute": "absolute", "numpy.square": "square"},
}
"""What complex numbers are rounded by NumPy's own loop in, and what that is called."""


@dataclass(slots=True)
class Cells:
    """What elements are read of, in front of the statement that needs them.

    Attributes:
        scope: the nest.
        value: makes values of expressions. place: makes places of subscripts.
        note: is told of the element that an array stands for.
        before: what runs in front of the statement; None where nothing can.
        declared: its variables: their types in C, by name.
    """

    scope: Scope
    value: Value
    place: Place
    note: Callable[[ast.expr, Expr], None]
    before: list[Stmt] | None
    declared: dict[str, str]
    _counts: list[Expr] = field(default_factory=list)
    _looked: list[Expr] = field(default_factory=list)
    _mask: Mask | None = None
    _beside: bool = False
    _at: Expr = field(init=False)
    _rows: Rows = field(init=False)

    def __post_init__(self) -> None:
        self._rows = Rows(self._fresh)

    @property
    def lines(self) -> list[Stmt]:
        """What runs in front of the statement."""
        assert self.before is not None
        return self.before

    def _used(self, value: Expr) -> Expr:
        """A number that is made of the arrays, which nothing else needs."""
        made = self._fresh("made", value.kind.c)
        self.lines.append(Assign(made, value))
        for cells in self._rows.made:
            self.lines.append(Run(intrinsic("release", of(INT), cells)))
        return tree.variable(made.name, value.kind)

    def _fresh(self, stem: str, c_type: str) -> Expr:
        name = self.scope.names.fresh(stem)
        self.declared[name] = c_type
        return tree.variable(name)

    def _held(self, value: Expr, stem: str) -> Expr:
        """A value that is computed once, in front of all elements."""
        if value.op in ("number", "name") or value.literal is not None:
            return value
        held = self._fresh(stem, value.kind.c)
        self.lines.append(Assign(held, value))
        return tree.variable(held.name, value.kind)

    def _strip(self, node: ast.expr) -> Strip:
        return strip(node, self.scope, self.value, self.place)

    def _rounded(
        self, name: str, dtype: str, count: Expr, operands: Sequence[Operand]
    ) -> tuple[Make, Expr]:
        """What NumPy's own loop makes of rows of complex numbers.

        Args:
            name: what NumPy calls it. dtype: of what it computes with.
            count: of the elements. operands: the rows.
        """
        if self._mask is not None:
            fail("elements of complex arrays that a mask tells")
        straight = hangs_on_direction(name, dtype)
        rows = [self._row(*one, dtype, straight=straight) for one in operands]
        whole = self._rows.computed(name, dtype, rows, count)
        self._beside = True
        self._counts.append(count)
        return (lambda far: element(whole, self._at, far=far)), count

    def _row(
        self,
        node: ast.expr,
        make: Make,
        count: Expr | None,
        dtype: str,
        *,
        straight: bool,
    ) -> Strip:
        """An operand of such a loop.

        Args:
            node: what it is. make: makes an element. count: of its elements.
            dtype: of what the loop computes with.
            straight: whether it must not lie backwards.
        """
        if not (stands(node) and is_array(node, self.scope)):
            return self._rows.filled(make(True), self._at, count, dtype)
        given = self._strip(node)
        if given.dtype != dtype:
            return self._rows.filled(make(True), self._at, count, dtype)
        if straight:
            if not isinstance(given.by.number, int) or given.by.number < 1:
                fail(f"`{ast.unparse(node)}`, which may lie backwards")
            self.scope.checks.straight.add(dotted(brackets(node)[0]))
        return given

    def _cell(self, node: ast.expr) -> tuple[Make, Expr]:
        """An element of a row or a slice; an only one is repeated for all others."""
        given = self._strip(node)
        if given.axis is None:
            fail(f"`{ast.unparse(node)}`, an array of several axes")
        self._beside = True
        places = [self._held(place, "first") for place in given.places]
        count = given.count
        if count.op != "index":
            count = self._held(count, "count")
        self._counts.append(count)

        def make(far: bool) -> Expr:
            moved = (
                self._at if given.by == number(1) else infix("*", self._at, given.by)
            )
            if far:
                several = infix("!=", count, number(1), of(BOOL))
                moved = Expr("choice", of(INT), (several, moved, number(0)))
            own = [*places]
            axis = given.axis or 0
            own[axis] = (
                moved if own[axis] == number(0) else infix("+", own[axis], moved)
            )
            kind = of(ScalarType(given.dtype))
            return loaded(self.scope.cell(dotted(brackets(node)[0]), own, kind))

        return make, count
