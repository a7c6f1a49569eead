"""What isl is told of sizes, where there are many.

It looks at a loop around several others as at a union: of the iterations at which each
of them runs. With a set for each of a dozen sizes that none is less than 0, all these
are cones with as many facets at one point, where the simplex method hardly gets on: the
time grows exponentially, and much faster than the operations that are counted. Nearly
all of that is said twice, as a loop over ``range(n)`` runs only where ``n`` is above 0.
"""

from __future__ import annotations

from collections.abc import Iterable

import islpy as isl

_PARAM = isl.dim_type.param

MOST_SIZES = 12
"""With more of them isl is told less."""


def alone(positions: isl.Set, context: isl.Set) -> isl.Set:
    """Positions without what is known of sizes anyway, where there are many.

    Args:
        positions: of a statement. context: what is known.
    """
    if context.dim(_PARAM) <= MOST_SIZES:
        return positions
    return positions.gist_params(context)


def told(context: isl.Set, domains: Iterable[isl.Set]) -> isl.Set:
    """What is known of sizes, but for least values that all loops over them imply.

    Args:
        context: what is known. domains: of the statements, as ``alone`` leaves them.
    """
    if context.dim(_PARAM) <= MOST_SIZES:
        return context
    runs = [domain.params() for domain in domains]
    for at in range(context.dim(_PARAM)):
        rest, own = context.eliminate(_PARAM, at, 1), _only(context, at)
        asked = (one for one in runs if one.involves_dims(_PARAM, at, 1))
        if all(one.is_subset(own) for one in asked) and context.is_equal(rest & own):
            context = rest
    return context


def _only(context: isl.Set, at: int) -> isl.Set:
    """What is known of one size alone."""
    after = context.dim(_PARAM) - at - 1
    return context.eliminate(_PARAM, at + 1, after).eliminate(_PARAM, 0, at)
