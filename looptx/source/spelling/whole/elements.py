"""What an expression on arrays is of one element, in loops over all of them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeAlias

from looptx.model.functions import Kind, Native, lookup
from looptx.model.functions.powers import is_power
from looptx.source.names.calls import is_constant
from looptx.source.names.scope import Scope
from looptx.source.spelling.whole.reading.axes import (
    MOST_BITS,
    Axis,
    Ranks,
    Reader,
    Unlike,
)
from looptx.source.spelling.whole.reading.operands import Operand, Operands
from looptx.source.spelling.whole.reading.operations import (
    ABS,
    COMPARISONS,
    WHOLE,
    Outer,
    cast,
    outer,
    simple,
)

_OF_NUMBERS = (*WHOLE, ast.FloorDiv, ast.Mod, ast.Pow)
"""What may be computed of numbers alone, as everywhere."""

_NUMBERS = (int, float, bool, complex)

Counters: TypeAlias = Sequence[tuple[str, Axis]]
"""Variables of loops, and the axes that they count through; without a variable all
positions are meant, as a slice."""


class Elements:
    """Reads the elements of expressions.

    Args:
        scope: of the function. ranks: how many axes its arrays have, as far as known.
        place: where what is made stands.
        number: a part that is one number, whatever it looks like.

    Attributes:
        reader: the conditions under which elements are what the expression says.
        laid: the arrays whose layout says that of what is computed of them.
        turned: whether the axes of one of them are shown in another order.
        shown: the operands that were read. parts: how many of them are no numbers.
    """

    def __init__(
        self,
        scope: Scope,
        ranks: Ranks,
        place: ast.expr,
        number: ast.expr | None = None,
    ) -> None:
        self.scope = scope
        self.place = place
        self.number = number
        self.reader = Reader(ranks)
        self.operands = Operands(scope, ranks, self.reader)
        self.laid: dict[str, None] = {}
        self.turned = False
        self.shown: list[Operand] = []
        self.parts = 0

    def text(self, text: str) -> ast.expr:
        """An expression in the place of all that is made."""
        found = ast.parse(text, mode="eval").body
        for node in ast.walk(found):
            if isinstance(node, ast.expr):
                ast.copy_location(node, self.place)
        return found

    def layout(self) -> tuple[str, ...]:
        """The arrays that lie row by row where what is computed of them does.

        Raises:
            Unlike: that never does, as NumPy keeps the order of axes in memory.
        """
        if self.turned:
            raise Unlike
        return (*self.laid,)

    def of(self, node: ast.expr, counters: Counters) -> ast.expr:
        """What a part of an expression is of one element.

        Args:
            node: the part. counters: of the loops over the elements of the whole.

        Raises:
            Unlike: it is not computed element by element, to the last bit.
        """
        if node is self.number:
            return node
        plain = simple(node, self.scope)
        if plain is not node:
            return self._called(plain, counters)
        pair = outer(node, self.scope)
        if pair is not None:
            return self._pair(pair, counters)
        made_of = cast(node, self.scope)
        if made_of is not None:
            return self._cast(node, *made_of, counters)
        match node:
            case ast.Constant(value=value) if type(value) in _NUMBERS:
                if isinstance(value, int) and value.bit_length() > MOST_BITS:
                    raise Unlike
                if isinstance(value, complex) and not self.reader.arrays.complex:
                    # An array of real numbers takes none, even if it has no elements.
                    raise Unlike
                return node
            case ast.Subscript(ast.Attribute(attr="shape"), ast.Constant(int())):
                return node
            case ast.UnaryOp(ast.USub() | ast.Invert() as op, operand):
                made: ast.expr = ast.UnaryOp(op, self.of(operand, counters))
                return ast.copy_location(made, node)
            case ast.BinOp(left, ast.Pow(), right) if is_power(right):
                return self._power(node, left, right, counters)
            case ast.BinOp(left, op, right) if isinstance(op, _OF_NUMBERS):
                made = self._operation(left, op, right, counters)
                return ast.copy_location(made, node)
            case ast.Compare(left, [op], [right]) if isinstance(op, COMPARISONS):
                one, two = (self.of(x, counters) for x in (left, right))
                return ast.copy_location(ast.Compare(one, [op], [two]), node)
        shown = self.operands.read(node)
        if shown is not None:
            return ast.copy_location(self._read(shown, counters), node)
        match node:
            case ast.Name():
                return node
            case ast.Attribute() if is_constant(self.scope.resolve(node)):
                return node
            case ast.Attribute(of, "real" | "imag" as part):
                made = ast.Attribute(self.of(of, counters), part, ast.Load())
                return ast.copy_location(made, node)
            case ast.Call(function, [one], []) if self.scope.resolve(function) == ABS:
                made = ast.Call(function, [self.of(one, counters)], [])
                return ast.copy_location(made, node)
            case ast.Call(function, args, []) if self._is_exact(function, args):
                values = [self.of(x, counters) for x in args]
                return ast.copy_location(ast.Call(function, values, []), node)
        raise Unlike

    def _called(self, plain: ast.expr, counters: Counters) -> ast.expr:
        """What a function of NumPy is of one element that has a plain form.

        Args:
            plain: that form. counters: as of ``of``.
        """
        before = self.parts
        made = self.of(plain, counters)
        if self.parts == before and not isinstance(plain, ast.Call):
            # Of numbers alone NumPy makes numbers of its own, an operator Python's.
            raise Unlike
        return made

    def _cast(
        self, node: ast.expr, of: ast.expr, name: str, counters: Counters
    ) -> ast.expr:
        """An element of an array as a number of another type.

        Args:
            node: the array. of: what it is made of. name: the type.
            counters: as of ``of``.
        """
        before = self.parts
        one = self.of(of, counters)
        if self.parts == before:
            raise Unlike
        kind = self.text(f"{self._numpy()}.{'bool_' if name == 'bool' else name}")
        return ast.copy_location(ast.Call(kind, [one], []), node)

    def _operation(
        self, left: ast.expr, op: ast.operator, right: ast.expr, counters: Counters
    ) -> ast.expr:
        """An operation on elements, or on numbers; NumPy squares by a product.

        Args:
            left, op, right: the operation. counters: as of ``of``.
        """
        before = self.parts
        one, two = self.of(left, counters), self.of(right, counters)
        if isinstance(op, WHOLE) or self.parts == before:
            return ast.BinOp(one, op, two)
        if not (isinstance(op, ast.Pow) and _is_two(right)):
            raise Unlike
        if _is_number(one):
            return ast.BinOp(one, ast.Mult(), one)
        return ast.Call(self.text(f"{self._numpy()}.square"), [one], [])

    def _power(
        self, node: ast.expr, left: ast.expr, right: ast.expr, counters: Counters
    ) -> ast.expr:
        """A power that NumPy has no other function for; of numbers it is Python's.

        Args:
            node: the power. left, right: its parts. counters: as of ``of``.
        """
        before = self.parts
        one = self.of(left, counters)
        if self.parts == before:
            return ast.copy_location(ast.BinOp(one, ast.Pow(), right), node)
        power = self.text(f"{self._numpy()}.power")
        if not self._is_exact(power, [left, right]):
            raise Unlike
        return ast.copy_location(ast.Call(power, [one, right], []), node)

    def _pair(self, pair: Outer, counters: Counters) -> ast.expr:
        """What an operation makes of an element of one array and one of another.

        Args:
            pair: it. counters: as of ``of``.
        """
        shown = [self.operands.read(x) for x in (pair.left, pair.right)]
        left, right = (len(one.order) if one is not None else 0 for one in shown)
        if not left or not right or left + right > len(counters):
            raise Unlike
        own = counters[len(counters) - left - right :]
        one = self.of(pair.left, own[:left])
        two = self.of(pair.right, own[left:])
        match pair.operation:
            case ast.BinOp(_, op, _) if isinstance(op, WHOLE):
                made: ast.expr = ast.BinOp(one, op, two)
            case ast.Compare(_, signs, _):
                made = ast.Compare(one, signs, [two])
            case ast.Call(function, args) if self._is_exact(function, args):
                made = ast.Call(function, [one, two], [])
            case _:
                raise Unlike
        return ast.copy_location(made, pair.left)

    def _numpy(self) -> str:
        """What the function calls NumPy."""
        known = (name for name, full in self.scope.imports.items() if full == "numpy")
        for name in known:
            if name.isidentifier() and self.scope.resolve(ast.Name(name)) == "numpy":
                return name
        raise Unlike

    def _is_exact(self, function: ast.expr, args: Sequence[ast.expr]) -> bool:
        """Whether a function of arrays is that of their elements, to the last bit.

        Where NumPy's loop goes backwards it may be another one than for one element.

        Args:
            function: it. args: what it is given.
        """
        row = lookup(self.scope.resolve(function))
        numpy = row.name.startswith("numpy.") and not row.is_type
        known = numpy and row.kind is Kind.ELEMENTWISE and row.takes(len(args))
        if not known:
            return False
        if row.native is Native.UFUNC:
            shown = [one for one in map(self.operands.read, args) if one is not None]
            return all(axis.step > 0 for one in shown for axis in one.axes)
        return row.native is Native.OWN

    def _read(self, shown: Operand, counters: Counters) -> ast.expr:
        """The element of an operand.

        Args:
            shown: the operand. counters: as of ``of``.
        """
        axes = shown.shown
        if len(axes) > len(counters):
            raise Unlike
        self.shown.append(shown)
        self.parts += bool(axes)
        if sum(not axis.new for axis in axes) > 1:
            self.laid[shown.array] = None
            self.turned |= [*shown.order] != sorted(shown.order)
        own = counters[len(counters) - len(axes) :]
        for axis, (_, other) in zip(axes, own, strict=True):
            if not axis.fixed:
                self.reader.need(f"{other.count} == {axis.count}")
        return self.text(shown.cell(own))


def _is_two(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Constant) and type(node.value) is int and node.value == 2
    )


def _is_number(element: ast.expr) -> bool:
    """Whether an element is surely no bool, whose square is an integer."""
    match element:
        case ast.BinOp(_, ast.Div() | ast.Sub()) | ast.UnaryOp(ast.USub()):
            return True
    return False
