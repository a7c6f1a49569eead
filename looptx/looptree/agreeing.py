"""What has to be so for statements on arrays to mean their loops, as tests in Python.

Rewritten files know no types. The loops stand where arrays hold floats, have the axes
that the loops count, and sizes that agree; elsewhere stand the statements as written.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from looptx.errors import Unsupported
from looptx.looptree.planned import Planned
from looptx.model.expr import variables
from looptx.model.shapes import axis_of


def tests(planned: Planned, made: Container[str]) -> list[str]:
    """The tests but for those of sizes; none where there are no such statements.

    Args:
        planned: the nest. made: the arrays that are made where the nest stands.

    Raises:
        Unsupported: LX106 where it makes an array that has to be looked at first.
    """
    if not planned.whole:
        return []
    sizes = (axis_of(name) for name in variables(planned.inside()))
    asked = {*planned.whole, *(size[0] for size in sizes if size)}
    for array in sorted(asked):
        if array in made:
            raise Unsupported(
                "LX106",
                f"`{array}` is made in the nest, and statements on it are loops only"
                " where it is known to hold floats",
                planned.nest.place,
                hint=f"write the loops over the elements of `{array}`",
            )
    found = [f'{array}.dtype.kind == "f"' for array in planned.whole]
    found += (f"{array}.ndim == {axes}" for array, axes in _axes(planned))
    found += (f"isinstance({name}, (int, float))" for name in _numbers(planned))
    return found


def _axes(planned: Planned) -> Iterator[tuple[str, int]]:
    """The arrays from outside that statements on arrays use, with their axes."""
    axes: dict[str, int] = {}
    parts = (one for one in planned.nest.statements.values() if one.elementwise)
    for access in (access for one in parts for access in one.accesses):
        axes[access.array] = max(axes.get(access.array, 0), len(access.subscripts))
    own = {one.array for one in planned.nest.allocations.values() if one.made}
    for name in planned.nest.live_in:
        if axes.get(name) and name not in own:
            yield name, axes[name]


def _numbers(planned: Planned) -> Iterator[str]:
    """The names from outside that statements on arrays compute with."""
    nest = planned.nest
    arrays = {x.array for one in nest.statements.values() for x in one.accesses}
    parts = [one for one in nest.statements.values() if one.elementwise]
    nodes = (x for one in parts for line in one.code for x in ast.walk(line))
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    for name in nest.live_in:
        if name in used - arrays - {*nest.parameters}:
            yield name
