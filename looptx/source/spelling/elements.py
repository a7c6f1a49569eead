"""A statement on arrays as loops around the same statement on their elements.

The conditions under which that means the same are on its outermost loop: no bound is
beyond the start of its axis, the extents agree, and no element is written before
another one needs it, as NumPy evaluates all of the right side first. Where one of them
does not hold Python runs the statement. Bounds beyond the end, and numbers beyond
either, are those of elements outside of the array.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from looptx.model.functions import Kind, Native, lookup
from looptx.model.naming import free
from looptx.model.trees import dotted
from looptx.source.names.scope import Scope
from looptx.source.names.subscripts import index_list
from looptx.source.spelling.axes import MOST_BITS, Axis, Reader, Unlike
from looptx.source.spelling.edits import elementwise, placed

_OPERATIONS = (ast.Add, ast.Sub, ast.Mult, ast.Div)
"""What NumPy computes of arrays as it does of their elements, to the last bit."""

_OF_NUMBERS = (*_OPERATIONS, ast.FloorDiv, ast.Mod, ast.Pow)
"""What may be computed of numbers alone, as everywhere."""

_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


class Statement:
    """One statement, while it is respelled.

    Args:
        scope: of its function. ranks: how many axes its arrays have, as far as known.
        stmt: the statement. target: what it assigns.
        number: a part of its right side that is one, whatever it looks like.
    """

    def __init__(
        self,
        scope: Scope,
        ranks: Mapping[str, int],
        stmt: ast.Assign | ast.AugAssign,
        target: ast.expr,
        number: ast.expr | None = None,
    ) -> None:
        self.number = number
        self.scope = scope
        self.ranks = ranks
        self.stmt = stmt
        self.target = target
        self.reader = Reader(ranks)
        self.parts = 0
        self.base, self.axes = self._selected(target)
        self.slices = [axis for axis in self.axes if not axis.plain]
        if not self.slices or any(axis.new for axis in self.axes):
            raise Unlike
        taken = {*scope.identifiers}
        self.counters = [free(f"ax{at}", taken) for at in range(len(self.slices))]

    def loops(self) -> ast.For:
        """The loops over its elements."""
        stmt = self.stmt
        value = self._element(stmt.value)
        cell = self._cell(self.base, self.axes)
        cell.ctx = ast.Store()
        ast.copy_location(cell, self.target)
        made: ast.stmt
        if isinstance(stmt, ast.Assign):
            made = ast.Assign([cell], value)
        else:
            made = ast.AugAssign(cell, stmt.op, value)
            if not isinstance(stmt.op, _OPERATIONS):
                raise Unlike
        text = ast.unparse(ast.copy_location(made, stmt))
        made = elementwise(placed(text, self.target), ())
        conditions = [self._expr(text) for text in self.reader.needs]
        for counter, axis in reversed([*zip(self.counters, self.slices, strict=True)]):
            loop = ast.For(
                ast.copy_location(ast.Name(counter, ast.Store()), self.target),
                self._expr(f"range({axis.numbers})"),
                [made],
                [],
            )
            first = counter == self.counters[0]
            # Comments are those of the outermost loop.
            place = stmt if first else stmt.value
            made = elementwise(
                ast.copy_location(loop, place), conditions if first else ()
            )
        assert isinstance(made, ast.For)
        return made

    def _expr(self, text: str) -> ast.expr:
        """An expression in the place of what is assigned."""
        found = ast.parse(text, mode="eval").body
        for node in ast.walk(found):
            if isinstance(node, ast.expr):
                ast.copy_location(node, self.target)
        return found

    def _selected(self, node: ast.expr) -> tuple[str, list[Axis]]:
        """The array that is meant, and what of it."""
        array, indices = dotted(node), list[ast.expr]()
        if isinstance(node, ast.Subscript):
            array, indices = dotted(node.value), index_list(node)
        if not array:
            raise Unlike
        return array, self.reader.axes(array, indices, self.ranks.get(array, 0))

    def _cell(self, array: str, axes: Sequence[Axis]) -> ast.Subscript:
        """The element of what is selected, in the innermost loop."""
        first = len(self.slices) - sum(not axis.plain for axis in axes)
        left = iter([*zip(self.counters, self.slices, strict=True)][first:])
        places = []
        for axis in axes:
            counter, other = ("", axis) if axis.plain else next(left)
            if axis.plain:
                places.append(axis.start)
            elif not axis.new:
                places.append(axis.at(counter, other))
        cell = self._expr(f"{array}[{', '.join(places)}]")
        assert isinstance(cell, ast.Subscript)
        return cell

    def _element(self, node: ast.expr) -> ast.expr:
        """What a part of the right side is of one element."""
        if node is self.number:
            return node
        match node:
            case ast.Constant(value=value) if type(value) in (int, float):
                if isinstance(value, int) and value.bit_length() > MOST_BITS:
                    raise Unlike
                return node
            case ast.Subscript(ast.Attribute(attr="shape"), ast.Constant(int())):
                return node
            case ast.Subscript():
                return self._read(node)
            case ast.Name() | ast.Attribute() if dotted(node) in self.ranks:
                return self._read(node)
            case ast.Name():
                return node
            case ast.UnaryOp(ast.USub(), operand):
                made: ast.expr = ast.UnaryOp(node.op, self._element(operand))
            case ast.BinOp(left, op, right) if isinstance(op, _OF_NUMBERS):
                made = self._operation(left, op, right)
            case ast.Compare(left, [op], [right]) if isinstance(op, _COMPARISONS):
                made = ast.Compare(self._element(left), [op], [self._element(right)])
            case ast.Call(function, args, []) if self._is_exact(function, len(args)):
                made = ast.Call(function, [*map(self._element, args)], [])
            case _:
                raise Unlike
        return ast.copy_location(made, node)

    def _operation(self, left: ast.expr, op: ast.operator, right: ast.expr) -> ast.expr:
        """An operation on elements, or on numbers; NumPy squares by a product."""
        parts = self.parts
        one, two = self._element(left), self._element(right)
        if isinstance(op, _OPERATIONS) or self.parts == parts:
            return ast.BinOp(one, op, two)
        if not (isinstance(op, ast.Pow) and _is_two(right)):
            raise Unlike
        if _is_number(one):
            return ast.BinOp(one, ast.Mult(), one)
        return ast.Call(self._expr(f"{self._numpy()}.square"), [one], [])

    def _numpy(self) -> str:
        """What the function calls NumPy."""
        known = (name for name, full in self.scope.imports.items() if full == "numpy")
        for name in known:
            if name.isidentifier() and self.scope.resolve(ast.Name(name)) == "numpy":
                return name
        raise Unlike

    def _is_exact(self, function: ast.expr, count: int) -> bool:
        """Whether a function of arrays is that of their elements, to the last bit."""
        row = lookup(self.scope.resolve(function))
        numpy = row.name.startswith("numpy.") and not row.is_type
        own = row.kind is Kind.ELEMENTWISE and row.native is Native.OWN
        return numpy and own and row.inputs == count

    def _read(self, node: ast.expr) -> ast.expr:
        """The element of an operand."""
        array, axes = self._selected(node)
        slices = [axis for axis in axes if not axis.plain]
        if len(slices) > len(self.slices):
            raise Unlike
        self.parts += bool(slices)
        own = self.slices[len(self.slices) - len(slices) :]
        for axis, other in zip(slices, own, strict=True):
            if not axis.new:
                self.reader.need(f"{other.count} == {axis.count}")
        if array == self.base:
            self.reader.need(self._apart(axes))
        return ast.copy_location(self._cell(array, axes), node)

    def _apart(self, axes: Sequence[Axis]) -> str:
        """Where no element is written before another one needs it."""
        if len(axes) != len(self.axes) or any(axis.new for axis in axes):
            raise Unlike
        pairs = [*zip(self.axes, axes, strict=True)]
        cases = []
        if all((one.plain, one.step) == (two.plain, two.step) for one, two in pairs):
            cases.append(_ahead([pair for pair in pairs if not pair[0].plain]))
        for one, two in pairs:
            low, high = one.ends
            other_low, other_high = two.ends
            cases.append(f"{high} <= {other_low}")
            cases.append(f"{other_high} <= {low}")
        return " or ".join(cases)


def _ahead(pairs: Sequence[tuple[Axis, Axis]]) -> str:
    """Where the loops come to what is read when they write it, or behind that.

    Args:
        pairs: what is written and read on each axis, in steps alike.
    """
    (one, two), *inner = pairs
    later = ">" if one.step > 0 else "<"
    if not inner:
        return f"{two.start} {later}= {one.start}"
    same = f"({two.start} == {one.start} and ({_ahead(inner)}))"
    return f"{two.start} {later} {one.start} or {same}"


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
