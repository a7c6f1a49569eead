"""The check that no index leaves its array, and which array it would be."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from looptx.looptree.text import format_cond
from looptx.model.expr import And, Compare, Cond, Or, variables
from looptx.model.shapes import axis_of, owner


def outside(in_bounds: Cond, fails: Callable[[Cond], str]) -> list[str]:
    """The lines of an entry that leave it when an index may leave its array.

    What names the array is computed only then.

    Args:
        in_bounds: true only if all accesses are inside (``Planned.in_bounds``).
        fails: the Cython condition that a condition does not hold.
    """
    lines = []
    for cond in in_bounds.args if isinstance(in_bounds, And) else (in_bounds,):
        lines.append(f"if {fails(cond)}:")
        for need in sorted(_needs(cond), key=format_cond):
            names = " or ".join(sorted(_arrays(need)))
            reason = f"an index would leave {names}, which needs {format_cond(need)}"
            lines += [f"    if {fails(need)}:", f"        return {reason!a}"]
        lines.append('    return "an index would leave an array"')
    return lines


def _needs(cond: Cond) -> Iterator[Compare]:
    """What a condition asks of shapes when all loops run.

    The other alternatives, the shorter ones, are that some loop does not.
    """
    if isinstance(cond, Or) and cond.args:
        yield from _needs(max(cond.args, key=_size))
    elif isinstance(cond, And):
        for arg in cond.args:
            yield from _needs(arg)
    elif isinstance(cond, Compare) and any(map(axis_of, variables(cond))):
        yield cond


def _arrays(need: Compare) -> set[str]:
    """The arrays that are asked to be large enough."""
    larger = need.left if need.op in (">", ">=") else need.right
    named = list(filter(axis_of, variables(larger)))
    return {owner(name) for name in named or filter(axis_of, variables(need))}


def _size(cond: Cond) -> int:
    return sum(map(_size, cond.args)) if isinstance(cond, And | Or) else 1
