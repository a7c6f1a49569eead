"""Sums and the like along axes, spelled as loops that fill an array.

NumPy goes through an array in the order in which it lies in memory. So each number is
added to a sum of its own, one after the other, where the last axis is not reduced;
where it is, NumPy's own loop reduces each row. An axis of one position is none for
NumPy: then those beside it are one.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.model.records import dataclass
from looptx.source.spelling.whole.maker import Maker
from looptx.source.spelling.whole.reading.along import Along, element_of
from looptx.source.spelling.whole.reading.axes import Unlike

_OF_SOME = ("min", "max", "mean")
"""Those of which NumPy has something to say where there are no numbers."""


@dataclass
class Reducer:
    """Spells the reductions in the expressions of one statement.

    Args:
        maker: makes the arrays that stand for them.
    """

    maker: Maker

    def reduced(self, one: Along) -> ast.expr:
        """What stands for a reduction: an array that is filled before.

        Raises:
            Unlike: it is not known in which order NumPy combines the numbers.
        """
        counts = self.maker.extents.of(one.of)
        gone = one.gone(len(counts))
        match one.operation:
            case "std" | "var":
                name = self._spread(one.of, gone)
            case operation:
                name = self._filled(operation, one.of, gone)
        shown = self._shown(name, counts, gone, keeps=one.keeps)
        if one.operation != "std":
            return shown
        root = self.maker.text(f"{self.maker.numpy}.sqrt")
        return ast.copy_location(ast.Call(root, [shown], []), shown)

    def _spread(self, of: ast.expr, gone: frozenset[int]) -> str:
        """The mean of squared distances from the mean.

        Args:
            of: the array. gone: the axes that are reduced.
        """
        mean = self._filled("mean", of, gone)
        centre = self._shown(mean, self.maker.extents.of(of), gone, keeps=True)
        apart = ast.copy_location(ast.BinOp(of, ast.Sub(), centre), of)
        square = ast.copy_location(ast.BinOp(apart, ast.Mult(), apart), of)
        return self._filled("mean", square, gone)

    def _shown(
        self, name: str, counts: Sequence[str], gone: frozenset[int], *, keeps: bool
    ) -> ast.expr:
        """What is filled of an array that stands for a reduction.

        Args:
            name: of the array. counts: the extents of what is reduced.
            gone: along which axes. keeps: as of ``Along``.
        """
        kept = enumerate(counts)
        indices = ["None" if at in gone else f":{count}" for at, count in kept]
        known = [one for one in indices if keeps or one != "None"]
        return self.maker.text(f"{name}[{', '.join(known)}]")

    def _filled(self, operation: str, of: ast.expr, gone: frozenset[int]) -> str:
        """The array that a reduction fills.

        Args:
            operation: it. of: what is reduced. gone: along which axes.
        """
        maker = self.maker
        counts = maker.extents.of(of)
        uppers = maker.extents.of(of, upper=True)
        kept = [at for at in range(len(counts)) if at not in gone]
        element = element_of(operation, maker.extents.type_of(of), maker.numpy)
        name = maker.named(operation, [uppers[at] for at in kept], element)
        counters = maker.counters(counts)
        cell = f"{name}[{', '.join(counters[at][0] for at in kept)}]"
        last = len(counts) - 1
        if last in gone:
            if len(gone) > 1:
                raise Unlike
            rows = [*counters[:last], ("", counters[last][1])]
            text = f"{maker.numpy}.{operation}({{}})"
            needs = [f"{counts[last]} > 0"] if operation in _OF_SOME else []
            maker.fill(counters[:last], cell, text, [(of, rows)], needs, ordered=True)
            return name
        self._check_order(of, gone, counts)
        inner = [counters[at] for at in kept]
        if operation in ("min", "max"):
            first = [
                ("0", one[1]) if at in gone else one for at, one in enumerate(counters)
            ]
            maker.fill(inner, cell, "{}", [(of, first)])
            text = f"{maker.numpy}.{operation}imum({cell}, {{}})"
        else:
            start, sign = ("1", "*") if operation == "prod" else ("0", "+")
            maker.fill(inner, cell, start)
            text = f"{cell} {sign} {{}}"
        alone = [counts[at] for at in kept if at > max(gone)]
        needs = [" or ".join(f"{count} != 1" for count in alone)]
        if operation in _OF_SOME:
            needs += [f"{counts[at]} > 0" for at in gone]
        maker.fill(counters, cell, text, [(of, counters)], needs, ordered=True)
        if operation == "mean":
            number = " * ".join(f"({counts[at]})" for at in sorted(gone))
            maker.fill(inner, cell, f"{cell} / {maker.numpy}.int64({number})")
        return name

    def _check_order(
        self, of: ast.expr, gone: frozenset[int], counts: Sequence[str]
    ) -> None:
        """Check that NumPy goes through an array from its first element to its last.

        Args:
            of: the array. gone: the axes that are reduced. counts: its extents.
        """
        shown = self.maker.operands.read(of)
        if shown is not None:
            forwards = all(axis.step > 0 for axis in shown.axes)
            if not forwards or [*shown.order] != sorted(shown.order):
                raise Unlike
        alone = [count for at, count in enumerate(counts) if at > max(gone)]
        if all(count == "1" for count in alone):
            raise Unlike
