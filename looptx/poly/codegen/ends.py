"""Where a region ends that several sizes cut short, as a parameter of isl's loops.

What comes after it begins at the least of several values: no convex set, of which isl
would write several loops, or one with guards. As any region keeps the order, isl is
only told that it ends before each of them; its end is computed while running.
"""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from looptx.model.expr import ONE, IntExpr, Var, add, minimum
from looptx.poly.astexpr import expression
from looptx.poly.spaces import Spaces

_SET, _PARAM = isl.dim_type.set, isl.dim_type.param


class Ends:
    """The ends of the regions of one schedule.

    Args:
        spaces: the nest's, with parameters that mean nothing yet. What is learnt of
            them is added to its context.
        free: these parameters.

    Attributes:
        known: ``{parameter: its value}`` over the others.
    """

    def __init__(self, spaces: Spaces, free: Sequence[str]) -> None:
        self.spaces = spaces
        self.free = list(free)
        self.known: dict[str, IntExpr] = {}

    def least(self, outside: Sequence[isl.Set]) -> isl.Set | None:
        """The values from the least on at which one of some sets begins.

        Args:
            outside: sets of values of a band and those around it, each with all later
                values of the band.

        Returns:
            None where they begin at values that differ from one run of the band to the
            next, or no parameter is left.
        """
        depth = outside[0].dim(_SET) - 1
        if not self.free or any(bad.involves_dims(_SET, 0, depth) for bad in outside):
            return None
        beyond = [bad.project_out(_SET, 0, depth) for bad in outside]
        lasts = [bad.complement().dim_max(0) for bad in beyond]
        if any(last.n_piece() != 1 for last in lasts):
            return None
        parameter = self.free.pop(0)
        value = minimum(*(expression(self.spaces, last) for last in lasts))
        self.known[parameter] = add(value, ONE)
        space = self.spaces.space("", 1)
        at = self.spaces.expr(Var(parameter), space, ())
        band = isl.PwAff.var_on_domain(isl.LocalSpace.from_space(space), _SET, 0)
        early = band.lt_set(at).reset_tuple_id()
        for bad in beyond:
            met = bad.reset_tuple_id() & early
            self.spaces.context &= met.params().complement()
        rest = band.ge_set(at).reset_tuple_id()
        return rest.insert_dims(_SET, 0, depth)
