"""Arrays that a statement on arrays needs on the way: sums along axes, copies."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from looptx.model.naming import Taken, free
from looptx.model.records import dataclass, replace
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Filled, elementwise, making, placed
from looptx.source.spelling.whole.elements import Counters, Elements
from looptx.source.spelling.whole.reading.axes import Axis, Ranks, Unlike
from looptx.source.spelling.whole.reading.extents import Extents
from looptx.source.spelling.whole.reading.operands import Operands
from looptx.source.spelling.whole.reading.ranks import known_ranks
from looptx.source.spelling.whole.statement import around

Statement: TypeAlias = ast.Assign | ast.AugAssign


@dataclass
class Known:
    """What is known of a function while its statements on arrays are respelled.

    Attributes:
        ranks: how many axes its arrays have. numpy: its name for NumPy, if it has one.
        taken: all its names, and those that were given to others.
    """

    ranks: Ranks
    numpy: str
    taken: Taken

    @staticmethod
    def of(function: Function, scope: Scope, axes: Mapping[str, int]) -> Known:
        """What is known of a function.

        Args:
            function: it. scope: its names.
            axes: how many arguments have, where no text says so.
        """
        named = (x for x, full in scope.imports.items() if full == "numpy")
        numpy = next((x for x in named if x.isidentifier()), "")
        return Known(
            known_ranks(function, scope, axes), numpy, Taken(scope.identifiers)
        )


def target(stmt: Statement) -> ast.expr:
    """What a statement assigns."""
    return stmt.targets[0] if isinstance(stmt, ast.Assign) else stmt.target


class Maker:
    """Makes arrays for one statement, and the loops that fill them.

    Args:
        scope: of the function. known: of it.
        stmt: the statement; what it assigns is the place of all that is made.

    Attributes:
        ranks: with the arrays that were made.
        fills: the loops.
    """

    def __init__(self, scope: Scope, known: Known, stmt: Statement) -> None:
        self.scope = scope
        self.ranks = Ranks(known.ranks)
        self.numpy = known.numpy
        self.taken = known.taken
        self.stmt = stmt
        self.place = target(stmt)
        self.fills: list[ast.stmt] = []
        self.extents = Extents(scope, self.ranks, self.numpy)
        self.operands = Operands(scope, self.ranks)
        self._made: dict[str, Filled] = {}
        self._first: dict[str, ast.stmt] = {}

    def text(self, text: str) -> ast.expr:
        """An expression in the place of the statement."""
        return Elements(self.scope, self.ranks, self.place).text(text)

    def named(self, stem: str, shape: Sequence[str], element: str) -> str:
        """The name of a new array.

        Args:
            stem: what the name is made of. shape: the texts of its extents.
            element: the text of an array with the same type of elements.

        Raises:
            Unlike: the function has no NumPy.
        """
        if not self.numpy:
            raise Unlike
        name = self.taken.free(f"{stem}_")
        self.ranks[name] = len(shape)
        self._made[name] = Filled(name, "", (*shape,), element)
        return name

    def finish(self) -> None:
        """Note with the loops what they fill."""
        for name, inner in self._first.items():
            making(inner, self._made[name])

    def counters(self, counts: Sequence[str]) -> Counters:
        """Variables that count through axes."""
        names = (free(f"ax{at}", self.taken) for at in range(len(counts)))
        axes = (Axis("0", count) for count in counts)
        return [*zip(names, axes, strict=True)]

    def fill(
        self,
        counters: Counters,
        cell: str,
        text: str,
        of: Sequence[tuple[ast.expr, Counters]] = (),
        needs: Sequence[str] = (),
        ordered: bool = False,
    ) -> None:
        """Add loops that give cells of an array values.

        Args:
            counters: of the loops. cell: what is assigned.
            text: the value, with ``{}`` for elements of others.
            of: these, and which elements are meant.
            needs: where this is what NumPy does.
            ordered: whether it hangs on how arrays lie in memory.

        Raises:
            Unlike: an element is not computed as NumPy does.
        """
        elements = Elements(self.scope, self.ranks, self.place)
        values = [ast.unparse(elements.of(one, places)) for one, places in of]
        elements.reader.need(*needs)
        line = f"{cell} = {text.format(*(f'({value})' for value in values))}"
        inner = placed(line, self.place)
        if ":" not in cell:
            inner = elementwise(inner, ())
        name = cell.partition("[")[0]
        self._first.setdefault(name, inner)
        if ordered:
            made = self._made[name]
            laid = dict.fromkeys((*made.laid, *elements.layout()))
            self._made[name] = replace(made, laid=(*laid,))
        self.fills.append(around(inner, counters, elements, self.stmt))
