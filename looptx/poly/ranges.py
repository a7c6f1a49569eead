"""The values that several loops take together, of one nest and of another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

import islpy as isl

from looptx.model.expr import Cond, IntExpr, sub, variables
from looptx.model.program import Nest, Statement
from looptx.model.records import dataclass
from looptx.poly.astexpr import integer
from looptx.poly.budget import RANGE_OPERATIONS, budget
from looptx.poly.spaces import Spaces

_SET, _PARAM = isl.dim_type.set, isl.dim_type.param


@dataclass(frozen=True, slots=True)
class Only:
    """Values that only one of two nests takes.

    Attributes:
        sizes: at which it does. values: of the loops, outermost first.
        first: whether it is the first of the two.
    """

    sizes: dict[str, int]
    values: tuple[int, ...]
    first: bool


class Ranges:
    """The values of loops, under what is assumed.

    Args:
        nest: the nest.
        assumes: conditions that hold on entry.
    """

    def __init__(self, nest: Nest, assumes: Sequence[Cond]) -> None:
        self.nest = nest
        self.assumes = assumes

    def difference(
        self,
        ours: Iterable[tuple[str, Sequence[IntExpr]]],
        theirs: Iterable[tuple[str, Sequence[IntExpr]]],
    ) -> Only | None:
        """Values that only some loops take, or others; None where there are none.

        Args:
            ours: statements in the loops, each with the values as expressions over its
                own loops.
            theirs: those of the others.

        Raises:
            Unproven: LX203, LX204.
        """
        with budget(RANGE_OPERATIONS):
            spaces = Spaces(self.nest, self.assumes, known=True)
            mine, other = (self._taken(spaces, each) for each in (ours, theirs))
            for first, values in ((True, mine - other), (False, other - mine)):
                if not values.is_empty():
                    return _sample(spaces, values, first)
        return None

    def equal(self, one: IntExpr, other: IntExpr) -> bool:
        """Whether two functions of the sizes are the same."""
        if one == other:
            return True
        with budget(RANGE_OPERATIONS):
            spaces = Spaces(self.nest, self.assumes, known=True)
            apart = spaces.expr(sub(one, other), spaces.space("", 0), ())
            return bool(spaces.context.is_subset(apart.zero_set().params()))

    def _taken(
        self, spaces: Spaces, loops: Iterable[tuple[str, Sequence[IntExpr]]]
    ) -> isl.Set:
        """All that some loops take."""
        found = [
            self._values(spaces, self.nest.statements[name], values)
            for name, values in loops
        ]
        return reduce(isl.Set.union, found).coalesce()

    def _values(
        self, spaces: Spaces, statement: Statement, values: Sequence[IntExpr]
    ) -> isl.Set:
        """What the loops around a statement take, whatever the others do."""
        taken = spaces.lattice(statement, self._needed(statement, values))
        found = spaces.map(statement.name, statement.loops, values)
        inside = taken.intersect_params(spaces.context)
        return found.intersect_domain(inside).range()

    def _needed(
        self, statement: Statement, values: Sequence[IntExpr]
    ) -> frozenset[str]:
        """The loops that values depend on, and those that these depend on."""
        loops, found = self.nest.loops, set[str]()
        left = set().union(*map(variables, values)) & {*statement.loops}
        while left:
            loop = loops[left.pop()]
            found.add(loop.id)
            known = (loop.start, loop.stop, loop.guard)
            used = set().union(*map(variables, known)) & {*statement.loops}
            left |= used - found
        return frozenset(found)


def _sample(spaces: Spaces, values: isl.Set, first: bool) -> Only:
    """Some of the values, at small sizes if there are any."""
    small = values
    for at in range(values.dim(_PARAM)):
        small = small.lower_bound_val(_PARAM, at, 0).upper_bound_val(_PARAM, at, 12)
    if not small.is_empty():
        values = small
    sizes = values.dim(_PARAM)
    values = values.move_dims(_SET, 0, _PARAM, 0, sizes)
    point = values.sample_point()
    numbers = [
        integer(point.get_coordinate_val(_SET, at)) for at in range(values.dim(_SET))
    ]
    named = dict(zip(spaces.parameters, numbers[:sizes], strict=False))
    return Only(named, tuple(numbers[sizes:]), first)
