"""Products of matrices, and of complex arrays, spelled as calls of NumPy's own loops.

BLAS sums in an order of its own, and NumPy rounds complex products in another way than
those of single numbers: nothing but the same loop gives the same bits.
"""

from __future__ import annotations

import ast

from looptx.source.spelling.whole.elements import Counters
from looptx.source.spelling.whole.maker import Maker
from looptx.source.spelling.whole.reading.axes import Axis, Unlike


class Multiplied(ast.NodeTransformer):
    """Puts arrays in the place of products that loops of NumPy make.

    Args:
        maker: makes them.
    """

    def __init__(self, maker: Maker) -> None:
        self.maker = maker

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """What stands for an operation."""
        self.generic_visit(node)
        if isinstance(node.op, ast.MatMult):
            return self._matrices(node.left, node.right)
        name = {ast.Mult: "multiply", ast.Div: "divide"}.get(type(node.op))
        sides = node.left, node.right
        wide = name is not None and any(map(self.maker.extents.is_complex, sides))
        if wide and name and self.maker.extents.of(node):
            return self._rows(name, *sides)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """What stands for a call."""
        self.generic_visit(node)
        match node:
            case ast.Call(function, [left, right], []):
                if self.maker.scope.resolve(function) == "numpy.matmul":
                    return self._matrices(left, right)
        return node

    def _matrices(self, left: ast.expr, right: ast.expr) -> ast.expr:
        """The product of two matrices, or of one and a row.

        Args:
            left, right: the factors.

        Raises:
            Unlike: it is that of two rows, or of arrays of more axes.
        """
        maker = self.maker
        ours, theirs = maker.extents.of(left), maker.extents.of(right)
        if {len(ours), len(theirs)} not in ({2}, {1, 2}):
            raise Unlike
        whole = ast.copy_location(ast.BinOp(left, ast.MatMult(), right), left)
        element = maker.extents.type_of(whole)
        needs = [f"{ours[-1]} == {theirs[0]}"]
        kept = [*ours[:-1], *theirs[1:]]
        uppers = [
            *maker.extents.of(left, upper=True)[:-1],
            *maker.extents.of(right, upper=True)[1:],
        ]
        one, two = (self._part(x) for x in (left, right))
        name = maker.named("product", uppers, element)
        shown = f"{name}[{', '.join(f':{count}' for count in kept)}]"
        text = f"{maker.numpy}.matmul({one}, {two})"
        maker.fill(maker.counters(["1"]), shown, text, needs=needs)
        return maker.text(shown)

    def _part(self, node: ast.expr) -> str:
        """A factor as a part of an array; one that is computed gets one of its own."""
        maker = self.maker
        counts = maker.extents.of(node)
        shown = maker.operands.read(node)
        rows: Counters = [("", Axis("0", count)) for count in counts]
        plain = shown is not None and not any(axis.new for axis in shown.axes)
        if shown is not None and plain and [*shown.order] == sorted(shown.order):
            return shown.cell(rows)
        return self._computed(node, maker.extents.type_of(node))

    def _computed(self, node: ast.expr, element: str) -> str:
        """A part of an array that holds what is computed.

        Args:
            node: that. element: what makes an array of the same type of elements.
        """
        maker = self.maker
        counts = maker.extents.of(node)
        name = maker.named("factor", maker.extents.of(node, upper=True), element)
        counters = maker.counters(counts)
        cell = f"{name}[{', '.join(counter for counter, _ in counters)}]"
        # BLAS takes another way through a matrix that lies column by column.
        maker.fill(counters, cell, "{}", [(node, counters)], ordered=True)
        return f"{name}[{', '.join(f':{count}' for count in counts)}]"

    def _rows(self, operation: str, left: ast.expr, right: ast.expr) -> ast.expr:
        """The product, or quotient, of complex arrays, row by row.

        Args:
            operation: what NumPy calls it. left, right: the operands.
        """
        maker = self.maker
        whole = ast.copy_location(ast.BinOp(left, ast.Mult(), right), left)
        counts = maker.extents.of(whole)
        element = maker.extents.type_of(whole)
        given = [self._row(one, element) for one in (left, right)]
        name = maker.named("product", maker.extents.of(whole, upper=True), element)
        *outer, last = maker.counters(counts)
        rows: Counters = [*outer, ("", last[1])]
        loops = outer or maker.counters(["1"])
        places = [*(counter for counter, _ in outer), f":{counts[-1]}"]
        cell = f"{name}[{', '.join(places)}]"
        text = f"{maker.numpy}.{operation}({{}}, {{}})"
        maker.fill(loops, cell, text, [(one, rows) for one in given])
        return maker.text(f"{name}[{', '.join(f':{count}' for count in counts)}]")

    def _row(self, node: ast.expr, element: str) -> ast.expr:
        """An operand as it is, or an array that holds it.

        Args:
            node: the operand. element: of the result.
        """
        maker = self.maker
        shown = maker.operands.read(node)
        if shown is not None and maker.extents.is_complex(node):
            return node
        if maker.extents.of(node):
            return maker.text(self._computed(node, element))
        name = maker.named("factor", ["1"], element)
        counters = maker.counters(["1"])
        maker.fill(counters, f"{name}[{counters[0][0]}]", "{}", [(node, counters)])
        return maker.text(f"{name}[0]")
