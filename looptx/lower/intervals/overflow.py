"""Overflow checks of the entry: Python ints of the nest stay within 64 bits."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from looptx.errors import LooptxError, Unsupported
from looptx.looptree.text import format_expr
from looptx.lower import advice
from looptx.lower.intervals.ranges import Ranges
from looptx.lower.intervals.reach import Demand, Reach
from looptx.lower.intervals.recurrences import bindings, solve
from looptx.lower.intervals.widths import terms
from looptx.lower.kinds import BOOL, FLOAT, INT, RANGES, fail, of
from looptx.lower.limits import EXACT, NEAR, WORD
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Expr,
    constant,
    infix,
    intrinsic,
    variable,
)
from looptx.model.dtypes import INTEGERS, promoted
from looptx.model.expr import (
    FALSE,
    TRUE,
    Cond,
    Const,
    IntExpr,
    Mul,
    Var,
    disj,
    variables,
)
from looptx.model.intervals.symbolic import ZERO, UpperBound
from looptx.model.program import Statement
from looptx.model.types import ScalarType, Type

_BITS = {WORD: "64 bits", EXACT: "the 53 bits of a float", NEAR: "62 bits"}
TOO_LARGE = "an integer may outgrow 64 bits, or those of its type"

_MARGIN = 1 - 2**-12
"""What a limit is less, by far more than rounding takes off a bound."""

_PICKS = {"max": ">", "min": "<"}


class Overflow:
    """Bounds the Python ints of a nest.

    Args:
        scope: the nest; its scalars' kinds are known.

    Raises:
        Unsupported: LX504 for an integer without a bound that fits.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.nest = scope.planned.nest
        self.sizes: dict[tuple[UpperBound, int], Cond] = {}
        reach = Reach.of_source(scope)
        try:
            self._find(reach)
        except Unsupported:
            reach.measured = True
            self._find(reach)

    def _find(self, reach: Reach) -> None:
        """Find the bounds that the entry tests, with their limits."""
        scope = self.scope
        self.sizes = {(size, WORD): TRUE for size in scope.wide}
        scalars = solve(scope, reach)
        for statement in scope.statements:
            ranges = Ranges(scope, reach, scalars, statement)
            for _ in bindings(ranges, statement):
                pass
            try:
                self._demand(ranges.demands, scope.checks.runs[statement.name])
            except LooptxError as error:
                raise error.at(statement.place) from None
        self._parameters(reach)
        self._narrow(reach)
        finals = {final.var for final in scope.planned.finals}
        for name in self.nest.live_out:
            bound = scalars.get(name, ZERO)
            if name not in finals and not bound.closed:
                self._demand([Demand(bound.reach, WORD, ast.Name(name))])

    def _parameters(self, reach: Reach) -> None:
        """The integer parameters that the entry computes."""
        alone = Statement("", (), TRUE, (), (), self.nest.place)
        for text in self.scope.computed:
            ranges = Ranges(self.scope, reach, {}, alone)
            ranges.of(ast.parse(text, mode="eval").body)
            # Where a power is complex the entry leaves the nest to Python itself.
            self._demand(x for x in ranges.demands if not ranges.leaves(x.node))

    def _narrow(self, reach: Reach) -> None:
        """Where NumPy would wrap a small parameter around, and the loops do not."""
        types = self.scope.types
        for expr in self._exprs():
            own = variables(expr) & set(self.nest.parameters)
            sizes = {types[name].dtype for name in own if _is_numpy(types.get(name))}
            if sizes and promoted(*sizes) not in INTEGERS:
                fail(f"`{format_expr(self.scope.native(expr))}` is no integer in NumPy")
            for name in own:
                kind = types.get(name)
                if isinstance(expr, Var) or not isinstance(kind, ScalarType):
                    continue
                if kind.weak or kind.dtype == INT.dtype:
                    continue
                low, high = RANGES[kind.dtype]
                bound = reach.of(expr)
                node = ast.Name(format_expr(self.scope.native(expr)))
                self._demand([Demand(bound.down, -low, node)])
                self._demand([Demand(bound.up, high, node)])

    def _exprs(self) -> Iterator[IntExpr]:
        """The bounds, the conditions and the subscripts of the source."""
        for loop in self.nest.loops.values():
            yield from (loop.start, loop.stop, *terms(loop.guard))
        for statement in self.nest.statements.values():
            yield from terms(statement.guard)
            for access in statement.accesses:
                yield from filter(None, access.subscripts)
                yield from (one.expr for one in access.products if one is not None)

    def _demand(self, demands: Iterable[Demand], runs: Cond = TRUE) -> None:
        """Note what the entry tests; ``runs`` says for which sizes it must hold."""
        for demand in demands:
            size, limit = demand.size, demand.limit
            if demand.is_hopeless:
                text = ast.unparse(demand.node)
                if limit in _BITS:
                    fail(
                        f"`{text}` may be a Python int that outgrows {_BITS[limit]}",
                        hint=advice.SMALL,
                    )
                fail(
                    f"`{text}` may wrap around as a small NumPy integer",
                    hint=advice.WIDER,
                )
            if size.most is not None and size.most > limit:
                before = self.sizes.get((size, limit), FALSE)
                self.sizes[size, limit] = disj(before, runs)

    def tests(self) -> tuple[dict[str, Expr], list[Expr]]:
        """Doubles that the entry computes, by name, and where C cannot do the nest."""
        known: dict[Expr | UpperBound, Expr] = {}
        computed: dict[str, Expr] = {}
        tests: dict[Expr, Cond] = {}
        for (size, limit), runs in self.sizes.items():
            most = constant(limit * _MARGIN, of(FLOAT))
            test = infix("<=", self._value(size, known, computed), most)
            tests[test] = disj(tests.get(test, FALSE), runs)
        return computed, [
            self.scope.where(Expr("not", of(BOOL), (test,)), runs)
            for test, runs in tests.items()
        ]

    def _value(
        self,
        size: UpperBound,
        known: dict[Expr | UpperBound, Expr],
        computed: dict[str, Expr],
    ) -> Expr:
        """A bound: the variable that holds it."""
        if size in known:
            return known[size]
        if size.most is not None and size.constant:
            return constant(float(size.most), of(FLOAT))
        parts = [self._value(part, known, computed) for part in size.parts]
        value = self._leaf(size.leaf) if size.leaf else _combined(size.op, parts)
        if value not in known:
            held = self.scope.names.fresh("reach")
            computed[held] = value
            known[value] = variable(held, of(FLOAT))
        known[size] = known[value]
        return known[size]

    def _leaf(self, expr: IntExpr) -> Expr:
        """A double that is not less than an integer, and not negative."""
        match expr:
            case Mul((Const(-1), value)):
                return intrinsic("below", of(FLOAT), self.scope.integer(value))
        return intrinsic("above", of(FLOAT), self.scope.integer(expr))


def _is_numpy(kind: Type | None) -> bool:
    return isinstance(kind, ScalarType) and not kind.weak


def _combined(op: str, parts: Sequence[Expr]) -> Expr:
    if op == "sqrt":
        return intrinsic(op, of(FLOAT), *parts, dtype=FLOAT.dtype, rules="c")
    left, right = parts
    if op in _PICKS:
        cond = infix(_PICKS[op], left, right)
        return Expr("choice", of(FLOAT), (cond, left, right))
    return infix(op, left, right, of(FLOAT))
