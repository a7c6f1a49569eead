"""Arrays put one behind the other, spelled as loops that fill one array."""

from __future__ import annotations

import ast

from looptx.source.spelling.whole.maker import Maker
from looptx.source.spelling.whole.reading.joined import joined
from looptx.source.spelling.whole.temporaries.multiplying import Multiplied


class Joining(ast.NodeTransformer):
    """Puts an array in the place of those that are joined.

    Args:
        maker: makes it. products: puts arrays in the place of what NumPy's loops make.
    """

    def __init__(self, maker: Maker, products: Multiplied) -> None:
        self.maker = maker
        self.products = products

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """What stands for a call."""
        self.generic_visit(node)
        maker = self.maker
        found = joined(node, maker.scope)
        if found is None:
            return node
        shapes = [maker.extents.of(one) for one in found.parts]
        at = found.along(shapes)
        uppers = found.extents([maker.extents.of(x, upper=True) for x in found.parts])
        name = maker.named("joined", uppers, maker.extents.type_of(node))
        if maker.extents.is_complex(node):
            maker.ranks.complex.add(name)
        before = "0"
        for part, counts in zip(found.parts, shapes, strict=True):
            counters = maker.counters(counts)
            places = [counter for counter, _ in counters]
            places[at] = places[at] if before == "0" else f"{places[at]} + {before}"
            pairs = enumerate(zip(counts, shapes[0], strict=True))
            needs = [f"{one} == {two}" for k, (one, two) in pairs if k != at]
            cell = f"{name}[{', '.join(places)}]"
            # The whole lies as its parts do.
            of = [(self.products.visit(part), counters)]
            maker.fill(counters, cell, "{}", of, needs, ordered=True)
            before = counts[at] if before == "0" else f"{before} + {counts[at]}"
        shown = ", ".join(f":{count}" for count in found.extents(shapes))
        return maker.text(f"{name}[{shown}]")
