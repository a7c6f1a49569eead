"""Products of matrices, and what complex arrays make, spelled as NumPy's own loops.

BLAS sums in an order of its own, and NumPy rounds products and absolute values of
complex arrays in another way than those of single numbers: nothing but the same loop
gives the same bits.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.model.functions.complexes import OF_COMPLEX, REAL
from looptx.source.spelling.whole.elements import Counters
from looptx.source.spelling.whole.maker import Maker
from looptx.source.spelling.whole.reading.axes import Axis, Unlike
from looptx.source.spelling.whole.reading.operations import of_complex


class Multiplied(ast.NodeTransformer):
    """Puts arrays in the place of products that loops of NumPy make.

    Args:
        maker: makes them. in_place: whether the statement overwrites an operand.
    """

    def __init__(self, maker: Maker, *, in_place: bool = False) -> None:
        self.maker = maker
        self.in_place = in_place

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """What stands for an operation."""
        self.generic_visit(node)
        if isinstance(node.op, ast.MatMult):
            return self._matrices(node.left, node.right)
        name = {ast.Mult: "multiply", ast.Div: "divide"}.get(type(node.op))
        sides = node.left, node.right
        wide = name is not None and any(map(self.maker.extents.is_complex, sides))
        if wide and name and self.maker.extents.of(node):
            if name == "multiply":
                self._check_straight(sides)
            return self._rows(name, node, sides)
        return self._function(node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """What stands for a call."""
        self.generic_visit(node)
        match node:
            case ast.Call(function, [left, right], []):
                if self.maker.scope.resolve(function) == "numpy.matmul":
                    return self._matrices(left, right)
        return self._function(node)

    def _function(self, node: ast.expr) -> ast.expr:
        """What stands for a function of a complex array; other expressions stay."""
        maker = self.maker
        found = of_complex(node, maker.scope)
        if found is None:
            return node
        name, of = found
        if not maker.extents.is_complex(of) or not maker.extents.of(of):
            return node
        self._check_straight([of])
        return self._rows(name, node, [of])

    def _check_straight(self, operands: Sequence[ast.expr]) -> None:
        """Backwards through memory NumPy takes another way.

        Raises:
            Unlike: an operand is taken backwards.
        """
        for shown in map(self.maker.operands.read, operands):
            if shown is not None and any(axis.step < 0 for axis in shown.axes):
                raise Unlike

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

    def _rows(
        self, operation: str, whole: ast.expr, operands: Sequence[ast.expr]
    ) -> ast.expr:
        """What is made of complex arrays, row by row.

        Args:
            operation: what NumPy calls it. whole: the expression.
            operands: what it is made of.
        """
        maker = self.maker
        counts = maker.extents.of(whole)
        element = maker.extents.type_of(whole)
        own = maker.extents.type_of(operands[0]) if operation in OF_COMPLEX else element
        given = [self._row(one, own) for one in operands]
        name = maker.named("product", maker.extents.of(whole, upper=True), element)
        if operation not in REAL:
            maker.ranks.complex.add(name)
        # NumPy goes along the last axis that is one.
        wide = [at for at, count in enumerate(counts) if count != "1"]
        along = wide[-1] if wide else len(counts) - 1
        counters = [*maker.counters(counts)]
        loops = [one for at, one in enumerate(counters) if at != along]
        places = [counter for counter, _ in counters]
        places[along] = f":{counts[along]}"
        rows: Counters = [
            ("", one[1]) if at == along else one for at, one in enumerate(counters)
        ]
        cell = f"{name}[{', '.join(places)}]"
        text = f"{maker.numpy}.{operation}({', '.join('{}' for _ in given)})"
        # Other ways through memory have other bits of all but these two.
        ordered = operation in OF_COMPLEX
        several = " or ".join(f"{count} != 1" for count in counts)
        needs = [several] if self.in_place else []
        of = [(one, rows) for one in given]
        maker.fill(
            loops or maker.counters(["1"]), cell, text, of, needs, ordered=ordered
        )
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
