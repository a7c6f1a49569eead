"""Subscripts that data decide: the entry tests the ends of all that they may be."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable
from typing import TypeAlias

from looptx.lower.intervals.ends import Ends
from looptx.lower.intervals.facts import Facts, Value, Walk
from looptx.lower.intervals.indices import measure
from looptx.lower.intervals.sums import End, written
from looptx.lower.kinds import INT, RANGES
from looptx.lower.scope import Scope
from looptx.lower.tree import Expr, index, infix, inside, number
from looptx.lower.values.expressions import Expressions
from looptx.model import shapes
from looptx.model.expr import Var
from looptx.model.schedule import in_source_order
from looptx.model.trees import Form, dotted, element, form

Place: TypeAlias = tuple[str, str, int, Form]
"""A subscript: statement, array, axis and how it is written."""


class Positions:
    """Tests of the entry of a nest.

    Args:
        scope: the nest, as for ``Ends``.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.ends = Ends(scope)

    def settle(self, statements: Container[str]) -> None:
        """Let the entry test subscripts of statements, all of those written alike."""
        found: dict[Place, list[tuple[End, End] | None]] = {}
        for statement, e in self.ends.at:
            walk = Walk(e, self.ends)
            _exhaust(walk.block(statement.code))
            for node, facts in walk.seen if statement.name in statements else ():
                base, places = element(node)
                for axis, place in enumerate(places):
                    if e.integer(place) is None:
                        before = len(self.ends.may_wrap)
                        span = self.ends.span(e, self.ends.of(e, place, facts), facts)
                        if self.ends.wrapped(before):
                            span = None
                        at = statement.name, dotted(base), axis, form(place)
                        found.setdefault(at, []).append(span)
        settled = False
        for at, spans in found.items():
            if at[1] not in self.scope.buffers and None not in spans:
                self.scope.checks.within.add(at)
                ends = [*filter(None, spans)]
                if all(map(self._is_forward, ends)):
                    self.scope.checks.forward.add(at)
                settled = True
                for up, down in ends:
                    self._inside(at, up, down)
        for told in self.ends.may_wrap if settled else ():
            self._unwrapped(*told)

    def _inside(self, at: Place, up: End, down: End) -> None:
        """Let the entry test a subscript."""
        statement, array, axis, _ = at
        extent = index(Var(shapes.extent(self.scope.names(array), axis)))
        least = Expr("neg", extent.kind, (extent,))
        if at in self.scope.checks.forward and not _is_none_below(down):
            least = number(0)
        self.scope.checks.test(
            infix("<", self._low(down), least),
            infix(">=", self._high(up), extent),
            reason=f"an index into {array} is out of bounds",
            sure=False,
            statement=statement,
        )

    def _is_forward(self, ends: tuple[End, End]) -> bool:
        """Whether a subscript is to count from the front.

        What arrays hold may be anything, but seldom goes around an axis: the loops that
        check as they go are as good for that, where no order depends on it.
        """
        down = ends[1]
        if _is_none_below(down) or not in_source_order(self.scope.planned.schedule):
            return _is_none_below(down)
        return not self.ends.arrays.keys().isdisjoint(inside(written(down)))

    def _unwrapped(
        self, node: ast.expr, e: Expressions, value: Value, facts: Facts
    ) -> None:
        """Let the entry test that a small integer of NumPy holds a result.

        Args:
            node: the operation. e: of its statement. value, facts: what is known of it.
        """
        dtype = e.value(node).kind.dtype
        span = self.ends.span(e, value, facts)
        if dtype != INT.dtype and span is not None:
            low, high = RANGES[dtype]
            self.scope.checks.test(
                infix("<", self._low(span[1]), number(low)),
                infix(">", self._high(span[0]), number(high)),
                reason=f"{ast.unparse(node)} may wrap around",
                sure=False,
                statement=e.statement.name,
            )

    def _low(self, down: End) -> Expr:
        return self._computed(written(down.times(-1)))

    def _high(self, up: End) -> Expr:
        return self._computed(written(up))

    def _computed(self, expr: Expr) -> Expr:
        """What the entry computes: it has the sizes, and measures the arrays, in it."""
        for part in inside(expr):
            self.scope.checks.sizes |= self.ends.sizes.get(part, frozenset())
            if part in self.ends.arrays:
                measure(self.scope, self.ends.arrays[part])
        return expr


def _is_none_below(down: End) -> bool:
    """Whether what this bounds from below is never negative."""
    return not down.terms and down.constant <= 0


def _exhaust(items: Iterable[object]) -> None:
    for _ in items:
        pass
