"""The ranges of integer arrays: the entry finds them in one pass over these.

``x[col[p]]`` stays inside ``x`` if the least and the greatest element of ``col`` do;
``p`` of ``for p in range(row[i], row[i + 1])`` lies between the elements of ``row``.
"""

from __future__ import annotations

import ast

from looptx.lower.intervals.reach import Reach
from looptx.lower.kinds import RANGES
from looptx.lower.limits import INDICES
from looptx.lower.scope import Scope
from looptx.lower.tree import Expr, infix, number, variable
from looptx.lower.values.expressions import Expressions
from looptx.model.dtypes import INTEGERS
from looptx.model.intervals.symbolic import Interval, within
from looptx.model.records import dataclass
from looptx.model.trees import dotted, element
from looptx.model.types import ArrayType


@dataclass(frozen=True, slots=True)
class Span:
    """The range of what an integer array holds.

    Attributes:
        array: its name.
        low, high: the least and the greatest element.
        reach: what neither of them exceeds at any entry.
    """

    array: str
    low: Expr
    high: Expr
    reach: int


def elements(e: Expressions, node: ast.Subscript) -> Span | None:
    """The range of an array of integers that nothing changes meanwhile."""
    base, _ = element(node)
    scope, name = e.scope, dotted(base)
    nest, kind = scope.planned.nest, scope.types.get(name)
    if not isinstance(kind, ArrayType) or kind.dtype not in INTEGERS:
        return None
    if name not in nest.live_in or name in scope.buffers:
        return None
    if nest.written & {name, *nest.others(name)}:
        return None
    ends = _variable(scope, name)
    low, high = variable(f"{ends}.low"), variable(f"{ends}.high")
    return Span(name, low, high, min(INDICES, RANGES[kind.dtype][1] + 1))


def measure(scope: Scope, array: str) -> None:
    """Let the entry find the range of what an array holds."""
    scope.checks.reaches[array] = _variable(scope, array)


def of_numpy(e: Expressions, reach: Reach, node: ast.expr, dtype: str) -> Interval:
    """The bound of an integer of NumPy: of an array that is measured it is an index.

    Args:
        e: the expressions of its statement. reach: whether arrays are measured.
        node: it. dtype: its type.
    """
    low, high = RANGES[dtype]
    if reach.measured and isinstance(node, ast.Subscript) and high >= INDICES:
        found = elements(e, node)
        if found is not None:
            measure(e.scope, found.array)
            e.scope.checks.test(
                infix("<=", found.low, number(-INDICES)),
                infix(">=", found.high, number(INDICES)),
                reason=f"{found.array} holds integers too large",
                sure=True,
                statement=e.statement.name,
            )
            return within(-INDICES, INDICES)
    return within(low, high)


def _variable(scope: Scope, array: str) -> str:
    return f"lx_{scope.names(array)}_reach"
