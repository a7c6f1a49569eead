"""Which instance of the source each instance is a run of, and their order there."""

from __future__ import annotations

from copy import copy

import islpy as isl

from looptx.poly.dependences.order import SourceTimes
from looptx.poly.dependences.state import Lifting
from looptx.poly.spaces import Spaces


class Origins:
    """What runs after some steps, as runs of instances of the source.

    Args:
        source: the spaces of the source.
    """

    def __init__(self, source: Spaces) -> None:
        self._source = source
        self._order = SourceTimes(source)
        self._known = {
            name: isl.Set.identity(source.domain(one))
            for name, one in source.nest.statements.items()
        }

    def followed(self, lifting: Lifting) -> Origins:
        """What runs after a step."""
        result = copy(self)
        result._known = dict(self._known)
        for old, new in lifting.names.items():
            if old in self._known:
                before = lifting.before(old)
                result._known[new] = before.apply_range(self._known[old])
        return result

    def of(self, name: str) -> isl.Map:
        """``{ statement[x] -> source[y] }`` of a statement that the source has."""
        return self._known[name]

    def before(self, first: str, second: str) -> isl.Map | None:
        """The pairs of runs of which the first comes before the second in the source.

        None for statements that the source does not have.
        """
        if not {first, second} <= self._known.keys():
            return None
        ours, theirs = self._known[first], self._known[second]
        known = self._source.nest.statements
        names = (x.get_tuple_name(isl.dim_type.out) for x in (ours, theirs))
        order = self._order.before(*(known[name] for name in names))
        return ours.apply_range(order).apply_range(theirs.reverse())
