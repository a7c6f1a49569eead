"""Reductions of arrays along some of their axes, as they are written."""

from __future__ import annotations

import ast

from looptx.model.records import dataclass
from looptx.source.names.scope import Scope
from looptx.source.spelling.whole.reading.axes import Unlike

REDUCTIONS = {
    **{name: name for name in ("sum", "prod", "min", "max", "mean", "std", "var")},
    **{"amin": "min", "amax": "max"},
}
"""What is reduced along axes, by the names of NumPy's functions."""


@dataclass(frozen=True)
class Along:
    """A reduction of an array along some of its axes.

    Attributes:
        operation: one of the values of ``REDUCTIONS``. of: the array.
        axes: the numbers of the axes. keeps: whether it keeps them, of one position.
    """

    operation: str
    of: ast.expr
    axes: tuple[int, ...]
    keeps: bool

    def gone(self, count: int) -> frozenset[int]:
        """The axes from the first on, of so many.

        Raises:
            Unlike: there are no such, or all are reduced.
        """
        found = {at % count for at in self.axes if -count <= at < count}
        if len(found) != len(self.axes) or len(found) == count:
            raise Unlike
        return frozenset(found)

    def extents(self, of: list[str]) -> list[str]:
        """The extents of the result, by those of the array."""
        gone = self.gone(len(of))
        if self.keeps:
            return ["1" if at in gone else one for at, one in enumerate(of)]
        return [one for at, one in enumerate(of) if at not in gone]


def along(node: ast.expr, scope: Scope) -> Along | None:
    """The reduction that an expression is, if it says along which axes.

    Args:
        node: the expression. scope: what its names mean.
    """
    if not isinstance(node, ast.Call):
        return None
    full = scope.resolve(node.func)
    match node:
        case ast.Call(_, [of, *rest]) if full.startswith("numpy."):
            name = full.removeprefix("numpy.")
        case ast.Call(ast.Attribute(of, name), rest) if not full:
            pass
        case _:
            return None
    given = {one.arg: one.value for one in node.keywords}
    if name not in REDUCTIONS or given.keys() - {"axis", "keepdims"} or len(rest) > 1:
        return None
    axes = _numbers(rest[0] if rest else given.get("axis"))
    keeps = given.get("keepdims", ast.Constant(False))
    if axes is None or not isinstance(keeps, ast.Constant):
        return None
    return Along(REDUCTIONS[name], of, axes, bool(keeps.value))


def _numbers(node: ast.expr | None) -> tuple[int, ...] | None:
    """The axes that an argument names."""
    if node is None:
        return None
    try:
        found = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return None
    numbers = found if isinstance(found, tuple) else (found,)
    return numbers if all(type(one) is int for one in numbers) else None


def element_of(operation: str, of: str, numpy: str) -> str:
    """What makes numbers of the type of those that a reduction gives.

    Args:
        operation: it. of: what makes an array like that which is reduced.
        numpy: the name of NumPy.
    """
    match operation:
        case "sum":
            return f"{numpy}.add.reduce({of})"
        case "prod":
            return f"{numpy}.multiply.reduce({of})"
        case "mean" | "std" | "var":
            # Of halves NumPy sums singles, and complex numbers it divides as such.
            return f"{numpy}.mean(({of},)[({of}).dtype.char in 'eFD'])"
    return of
