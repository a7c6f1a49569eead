"""A statement on arrays as loops around the same statement on their elements.

The conditions under which that means the same are on its outermost loop: no bound or
number is beyond its axis, the extents agree, and no element is written before another
one needs it, as NumPy evaluates all of the right side first. Where one of them does not
hold Python runs the statement.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from looptx.model.naming import free
from looptx.source.names.scope import Scope
from looptx.source.spelling.edits import elementwise, placed
from looptx.source.spelling.whole.elements import Counters, Elements
from looptx.source.spelling.whole.reading.axes import Axis, Ranks, Unlike
from looptx.source.spelling.whole.reading.operands import Operand
from looptx.source.spelling.whole.reading.operations import EXACT


class Statement:
    """One statement, while it is respelled.

    Args:
        scope: of its function. ranks: how many axes its arrays have, as far as known.
        stmt: the statement. taken: names that there are.
        number: a part of its right side that is one, whatever it looks like.
        strided: whether what it assigns may be as far apart as no literal says.
    """

    def __init__(
        self,
        scope: Scope,
        ranks: Ranks,
        stmt: ast.Assign | ast.AugAssign,
        taken: Collection[str],
        number: ast.expr | None = None,
        strided: bool = False,
    ) -> None:
        target = stmt.targets[0] if isinstance(stmt, ast.Assign) else stmt.target
        self.stmt = stmt
        self.target = target
        self.elements = Elements(scope, ranks, target, number)
        own = self.elements.operands.written(target, strided)
        if any(axis.new for axis in own.axes):
            raise Unlike
        self.own = own
        self.counters: Counters = [
            (free(f"ax{at}", taken), axis) for at, axis in enumerate(own.shown)
        ]

    def loops(self) -> ast.For:
        """The loops over its elements."""
        stmt, elements = self.stmt, self.elements
        value = elements.of(stmt.value, self.counters)
        for shown in elements.shown:
            if shown.array == self.own.array:
                elements.reader.need(" or ".join(_apart(self.own, shown)))
        cell = elements.text(self.own.cell(self.counters))
        assert isinstance(cell, ast.Subscript)
        cell.ctx = ast.Store()
        made: ast.stmt
        if isinstance(stmt, ast.Assign):
            made = ast.Assign([cell], value)
        else:
            made = ast.AugAssign(cell, stmt.op, value)
            if not isinstance(stmt.op, EXACT):
                raise Unlike
        text = ast.unparse(ast.copy_location(made, stmt))
        inner = elementwise(placed(text, self.target), ())
        return around(inner, self.counters, elements, stmt)


def around(
    inner: ast.stmt, counters: Counters, elements: Elements, stmt: ast.stmt
) -> ast.For:
    """Loops around a statement on elements, with the conditions of these.

    Args:
        inner: the statement. counters: of the loops, the outermost first.
        elements: what it was made of. stmt: the statement of the source.
    """
    made = inner
    assert isinstance(stmt, ast.Assign | ast.AugAssign | ast.Return)
    conditions = [elements.text(text) for text in elements.reader.needs]
    for at, (counter, axis) in reversed([*enumerate(counters)]):
        loop = ast.For(
            ast.copy_location(ast.Name(counter, ast.Store()), elements.place),
            elements.text(f"range({axis.numbers})"),
            [made],
            [],
        )
        # Comments are those of the outermost loop.
        place = stmt.value or stmt if at else stmt
        made = ast.copy_location(loop, place)
        made = elementwise(made, () if at else conditions)
    assert isinstance(made, ast.For)
    return made


def is_surely_late(own: Operand, shown: Operand) -> bool:
    """Whether loops over elements surely would read what they have written.

    Args:
        own: what is written. shown: what is read of the same array.
    """
    try:
        cases = _apart(own, shown)
    except Unlike:
        return True
    values = [_value(text) for text in cases]
    if True in values:
        return False
    return not _is_alike(own, shown) or values[0] is False


def _value(text: str) -> bool | None:
    """Whether a condition holds, if it is one on numbers that are written out."""
    tree = ast.parse(text, mode="eval")
    if any(isinstance(node, ast.Name) for node in ast.walk(tree)):
        return None
    return bool(eval(compile(tree, "<condition>", "eval"), {}))


def _is_alike(own: Operand, shown: Operand) -> bool:
    """Whether loops go through two operands in the same way.

    Only one of them stays where it is on an axis of a single position.
    """
    ways = [
        [(axis.plain, axis.fixed, axis.step, axis.by) for axis in operand.axes]
        for operand in (own, shown)
    ]
    return ways[0] == ways[1] and shown.order == own.order


def _apart(own: Operand, shown: Operand) -> list[str]:
    """The conditions of which one holds where no element is written too early.

    Args:
        own: what is written. shown: what is read of the same array.

    Raises:
        Unlike: that cannot be said.
    """
    axes = shown.axes
    if len(axes) != len(own.axes) or any(axis.new for axis in axes):
        raise Unlike
    pairs = [*zip(own.axes, axes, strict=True)]
    cases = []
    if _is_alike(own, shown):
        cases.append(_ahead([pair for pair in pairs if not pair[0].plain]))
    for one, two in pairs:
        low, high = one.ends
        other_low, other_high = two.ends
        cases.append(f"{high} <= {other_low}")
        cases.append(f"{other_high} <= {low}")
    return cases


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
