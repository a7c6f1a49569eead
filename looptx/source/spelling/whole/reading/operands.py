"""What a part of an expression shows of an array: which positions, on which axes."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from looptx.model.records import dataclass, replace
from looptx.model.trees import dotted
from looptx.source.names.scope import Scope
from looptx.source.names.subscripts import index_list
from looptx.source.spelling.whole.reading.axes import (
    MOST_AXES,
    Axis,
    Ranks,
    Reader,
    Unlike,
)


@dataclass(frozen=True)
class Operand:
    """Elements of an array.

    Attributes:
        array: its name. axes: what is selected on each of its axes, and new ones.
        order: the numbers of those that are shown, in the order in which they are.
    """

    array: str
    axes: tuple[Axis, ...]
    order: tuple[int, ...]

    @property
    def shown(self) -> list[Axis]:
        """The axes of what is shown."""
        return [self.axes[at] for at in self.order]

    @property
    def counts(self) -> list[str]:
        """How many positions are shown on each of them."""
        return ["1" if axis.new else axis.count for axis in self.shown]

    @property
    def uppers(self) -> list[str]:
        """Numbers that these are not above, and that are made of extents alone."""
        axes = zip(self.shown, self.counts, strict=True)
        return ["1" if n == "1" else axis.extent or n for axis, n in axes]

    def cell(self, counters: Sequence[tuple[str, Axis]]) -> str:
        """The element of it that goes with one of others.

        Args:
            counters: for each axis that is shown a variable, and the axis that it
                counts through.
        """
        found = dict(zip(self.order, counters, strict=True))
        places = [
            axis.start if axis.fixed else axis.among(*found[at])
            for at, axis in enumerate(self.axes)
            if not axis.new
        ]
        return f"{self.array}[{', '.join(places)}]"

    def reversed(self, *axes: int) -> Operand:
        """The same with the positions on some of the axes that are shown backwards."""
        if any(at >= len(self.order) for at in axes):
            raise Unlike
        turned = {self.order[at] for at in axes}
        found = (
            axis.reversed() if at in turned else axis
            for at, axis in enumerate(self.axes)
        )
        return replace(self, axes=(*found,))

    def transposed(self) -> Operand:
        """The same with the axes in the opposite order."""
        return replace(self, order=self.order[::-1])


class Operands:
    """Reads the operands of expressions.

    Args:
        scope: of the function. ranks: how many axes its arrays have, as far as known.
        reader: reads subscripts, and notes under which conditions they mean that; if
            there is none, nobody asks for these.
    """

    def __init__(
        self, scope: Scope, ranks: Ranks, reader: Reader | None = None
    ) -> None:
        self.scope = scope
        self.ranks = ranks
        self.reader = reader or Reader(ranks, loose=True)

    def read(self, node: ast.expr) -> Operand | None:
        """What an expression shows of an array; None where it computes something.

        Raises:
            Unlike: it selects elements in some other way.
        """
        match node:
            case ast.Subscript(of, index) if is_backwards(index) and not dotted(of):
                found = self.read(of)
                return found and found.reversed(0)
            case ast.Subscript(ast.Subscript() as of):
                found = self.read(of)
                return found and self._within(found, index_list(node))
            case ast.Subscript():
                return self._selected(dotted(node.value), index_list(node))
            case ast.Name() | ast.Attribute() if dotted(node) in self.ranks:
                return self._selected(dotted(node), [])
            case ast.Attribute(of, "T"):
                found = self.read(of)
                return found and found.transposed()
            case ast.Call(function, [of], []):
                return self._turned(self.scope.resolve(function), of)
            case ast.Call(ast.Attribute(of, "transpose"), [], []):
                found = None if self.scope.resolve(node.func) else self.read(of)
                return found and found.transposed()
        return None

    def written(self, target: ast.expr, strided: bool) -> Operand:
        """What an assignment writes.

        Args:
            target: of it. strided: whether steps may be others than literals.

        Raises:
            Unlike: no elements of an array.
        """
        self.reader.strided = strided
        try:
            found = self.read(target)
        finally:
            self.reader.strided = False
        if found is None or not found.order:
            raise Unlike
        return found

    def _turned(self, function: str, of: ast.expr) -> Operand | None:
        """What a function of NumPy shows of an array in another order.

        Args:
            function: its full name. of: the array.
        """
        if function not in _TURNS:
            return None
        found = self.read(of)
        if found is None or function == "numpy.transpose":
            return found and found.transposed()
        axes = _TURNS[function]
        count = len(found.order)
        if axes is None:
            return found.reversed(*range(count))
        return found.reversed(*axes)

    def _within(self, of: Operand, indices: Sequence[ast.expr]) -> Operand:
        """What subscripts select of a part of an array.

        Args:
            of: the part. indices: the subscripts.
        """
        if len(indices) > len(of.order):
            raise Unlike
        axes = [*of.axes]
        for at, index in zip(of.order, indices, strict=False):
            axes[at] = self.reader.within(axes[at], _unnamed(index, self.scope))
        order = (at for at in of.order if not axes[at].plain)
        return Operand(of.array, (*axes,), (*order,))

    def _selected(self, array: str, indices: Sequence[ast.expr]) -> Operand:
        if not array:
            raise Unlike
        indices = [_unnamed(one, self.scope) for one in indices]
        known = self.ranks.get(array, 0)
        if known > MOST_AXES:
            raise Unlike
        axes = self.reader.axes(array, indices, known)
        if not axes:
            # An array without axes, such as np.array(0.5), has no subscripts.
            raise Unlike
        shown = (at for at, axis in enumerate(axes) if not axis.plain)
        return Operand(array, (*axes,), (*shown,))


def is_backwards(index: ast.expr) -> bool:
    """Whether a subscript takes all of an axis, from its end to its start."""
    match index:
        case ast.Slice(None, None, ast.UnaryOp(ast.USub(), ast.Constant(1))):
            return True
    return False


def _unnamed(node: ast.expr, scope: Scope) -> ast.expr:
    """A subscript in its plain form, where it has another name.

    Args:
        node: the subscript. scope: what its names mean.
    """
    if scope.resolve(node) == "numpy.newaxis":
        return ast.copy_location(ast.Constant(None), node)
    return node


_TURNS: Mapping[str, tuple[int, ...] | None] = {
    "numpy.transpose": None,
    "numpy.flip": None,
    "numpy.flipud": (0,),
    "numpy.fliplr": (1,),
}
"""The functions that show an array in another order: the axes that they turn round."""
