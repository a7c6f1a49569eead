"""Arrays that are put one behind the other along an axis, as they are written."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.model.records import dataclass
from looptx.source.names.scope import Scope
from looptx.source.spelling.whole.reading.axes import Unlike

_AXES = {"numpy.concatenate": 0, "numpy.hstack": 1, "numpy.vstack": 0}
"""The functions that join arrays, and along which axis of those of two."""


@dataclass(frozen=True)
class Joined:
    """Arrays that become one.

    Attributes:
        parts: the arrays. axis: along which axis they are joined.
        rows: whether those of one axis are rows of the result.
        flat: whether those of one axis are joined along that, whatever ``axis`` is.
    """

    parts: Sequence[ast.expr]
    axis: int
    rows: bool = False
    flat: bool = False

    def along(self, shapes: Sequence[Sequence[str]]) -> int:
        """The number of the axis, from the first on.

        Args:
            shapes: of the arrays.

        Raises:
            Unlike: they have not as many axes, or none of that number.
        """
        count = len(shapes[0])
        if not count or any(len(one) != count for one in shapes):
            raise Unlike
        if count == 1 and (self.rows or self.flat):
            if self.rows:
                raise Unlike
            return 0
        if not -count <= self.axis < count:
            raise Unlike
        return self.axis % count

    def extents(self, shapes: Sequence[Sequence[str]]) -> list[str]:
        """Those of the result, by those of the arrays."""
        at = self.along(shapes)
        whole = " + ".join(f"({one[at]})" for one in shapes)
        return [*shapes[0][:at], whole, *shapes[0][at + 1 :]]


def joined(node: ast.expr, scope: Scope) -> Joined | None:
    """The arrays that an expression joins, if it does.

    Args:
        node: the expression. scope: what its names mean.
    """
    match node:
        case ast.Call(function, [ast.Tuple(parts) | ast.List(parts), *rest], named):
            name = scope.resolve(function)
        case _:
            return None
    given = {one.arg: one.value for one in named}
    if name not in _AXES or not parts or given.keys() - {"axis"} or len(rest) > 1:
        return None
    if any(isinstance(one, ast.Starred) for one in parts):
        return None
    if name != "numpy.concatenate":
        plain = not (rest or given)
        flat, rows = name == "numpy.hstack", name == "numpy.vstack"
        return Joined(parts, _AXES[name], rows, flat) if plain else None
    try:
        axis = ast.literal_eval(rest[0] if rest else given.get("axis", _FIRST))
    except (ValueError, TypeError, SyntaxError):
        return None
    return Joined(parts, axis) if type(axis) is int else None


_FIRST = ast.Constant(0)
