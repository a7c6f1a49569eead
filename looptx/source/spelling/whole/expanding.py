"""A statement on arrays as loops, with those that fill what it needs on the way.

That is what it reduces along axes, and what it reads of the array that it writes while
the loops may have written it: NumPy has computed all of the right side by then.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from typing import TypeAlias

from looptx.model.functions import Native, lookup
from looptx.model.records import replace
from looptx.source.names.scope import Scope
from looptx.source.spelling.edits import elementwise
from looptx.source.spelling.whole.chained import assignments
from looptx.source.spelling.whole.maker import Known, Maker, target
from looptx.source.spelling.whole.reading.along import along
from looptx.source.spelling.whole.reading.axes import Unlike
from looptx.source.spelling.whole.reading.operands import Operand, Operands
from looptx.source.spelling.whole.statement import Statement, is_surely_late
from looptx.source.spelling.whole.temporaries.joining import Joining
from looptx.source.spelling.whole.temporaries.multiplying import Multiplied
from looptx.source.spelling.whole.temporaries.reducing import Reducer

Assignment: TypeAlias = ast.Assign | ast.AugAssign


def expanded(
    scope: Scope,
    known: Known,
    stmt: Assignment,
    number: ast.expr | None = None,
    *,
    ordered: bool = False,
    strided: bool = False,
) -> tuple[ast.stmt, tuple[str, ...]]:
    """A statement as loops, and the arrays whose layout that of its value is.

    Args:
        scope: of its function. known: of that. stmt: the statement.
        number: its right side, if that is one number, whatever it looks like.
        ordered: whether others see how its value lies in memory.
        strided: whether what it assigns may be as far apart as no literal says, which
            no schedule knows.

    Raises:
        Unlike: it is none on elements, as far as its text says.
    """
    maker = Maker(scope, known, stmt)
    given, stmt = stmt, _of_complex(maker, stmt)
    made = copy.copy(stmt)
    if number is None:
        products = Multiplied(maker, in_place=given is not stmt)
        value = _Reduced(maker, products).visit(copy.deepcopy(stmt.value))
        value = products.visit(Joining(maker, products).visit(value))
        if isinstance(stmt, ast.Assign) and len(stmt.targets) > 1:
            return _joined(maker, assignments(maker, stmt, value)), ()
        if maker.numpy:
            value = _Copied(maker, target(stmt), strided).visit(value)
        assert isinstance(value, ast.expr)
        made.value = value
    one = Statement(scope, maker.ranks, made, maker.taken, number, strided)
    loops = one.loops()
    laid = one.elements.layout() if ordered else ()
    return (_joined(maker, [loops]) if maker.fills else loops), laid


def _of_complex(maker: Maker, stmt: Assignment) -> Assignment:
    """A statement that multiplies or divides complex arrays in place, as it computes.

    NumPy's loop computes the same of an array whether it overwrites that or not, but
    for one of a single element.

    Args:
        maker: of the statement. stmt: it.
    """
    match stmt:
        case ast.AugAssign(of, ast.Mult() | ast.Div() as op, value):
            whole = copy.deepcopy(of)
            whole.ctx = ast.Load()
            if maker.extents.is_complex(whole):
                made = ast.copy_location(ast.BinOp(whole, op, value), value)
                return ast.copy_location(ast.Assign([of], made), stmt)
    return stmt


def _joined(maker: Maker, loops: Sequence[ast.stmt]) -> ast.stmt:
    """Loops behind those that fill what they need, as one statement.

    Args:
        maker: of what is filled. loops: the loops.
    """
    maker.finish()
    whole = ast.If(ast.Constant(True), [*maker.fills, *loops], [])
    ast.fix_missing_locations(ast.copy_location(whole, maker.stmt))
    return elementwise(whole, ())


class _Reduced(ast.NodeTransformer):
    """Puts arrays in the place of reductions along axes.

    Args:
        maker: makes them. products: does so of what is reduced.
    """

    def __init__(self, maker: Maker, products: Multiplied) -> None:
        self.maker = maker
        self.products = products
        self.reducer = Reducer(maker)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """What stands for a call."""
        self.generic_visit(node)
        one = along(node, self.maker.scope)
        if one is None:
            return node
        return self.reducer.reduced(replace(one, of=self.products.visit(one.of)))


class _Copied(ast.NodeTransformer):
    """Puts copies in the place of what is read too late.

    Args:
        maker: makes them. assigned: what the statement assigns.
        strided: as of ``expanded``.
    """

    def __init__(self, maker: Maker, assigned: ast.expr, strided: bool) -> None:
        self.maker = maker
        self.operands = Operands(maker.scope, maker.ranks)
        self.own = self.operands.written(assigned, strided)

    def visit(self, node: ast.AST) -> ast.AST:
        """What stands for a part of an expression."""
        if isinstance(node, ast.Call) and any(map(self._late, node.args)):
            called = lookup(self.maker.scope.resolve(node.func))
            if called.native is Native.UFUNC:
                # NumPy's loop goes through memory as the array lies; a copy may not.
                raise Unlike
        shown = self.operands.read(node) if isinstance(node, ast.expr) else None
        if shown is None:
            return self.generic_visit(node)
        assert isinstance(node, ast.expr)
        return self._copy(node, shown) if self._late(node) else node

    def _late(self, node: ast.expr) -> bool:
        """Whether an expression is a part of the array that is written too soon."""
        shown = self.operands.read(node)
        own = shown is not None and shown.array == self.own.array
        return own and shown is not None and is_surely_late(self.own, shown)

    def _copy(self, node: ast.expr, shown: Operand) -> ast.expr:
        """The name of a copy, or its only element.

        Args:
            node: what is copied. shown: what that is.
        """
        maker = self.maker
        element = f"{maker.numpy}.empty(0, {shown.array}.dtype)"
        name = maker.named("copy", shown.uppers or ["1"], element)
        counters = maker.counters(shown.counts or ["1"])
        cell = f"{name}[{', '.join(counter for counter, _ in counters)}]"
        maker.fill(counters, cell, "{}", [(node, counters)])
        places = ", ".join(f":{count}" for count in shown.counts) or "0"
        return maker.text(f"{name}[{places}]")
