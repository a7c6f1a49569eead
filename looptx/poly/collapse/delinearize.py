"""Delinearization: row and column of a collapsed loop from its value, while running.

isl does not know how row and column follow from the value, so it writes two loops over
all of them below the loop of the value. Of their iterations one is wanted: the loops
become the assignments ``row = value // width`` and ``column = value % width``, and what
their bounds say beyond the range of all rows and columns becomes a condition.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

import islpy as isl

from looptx.looptree.nodes import Let
from looptx.looptree.passes.bounds import sizes
from looptx.model.expr import (
    ONE,
    ZERO,
    Compare,
    Cond,
    Const,
    IntExpr,
    Max,
    Min,
    Var,
    add,
    conj,
    floordiv,
    mod,
    mul,
    sub,
    substitute,
)
from looptx.model.naming import free
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Dim, bands
from looptx.model.tree import unfolded, with_dims
from looptx.poly.astexpr import texts, to_expr
from looptx.poly.collapse.products import Products

_PLACE = "row or column"
"""Stands for the position of a dimension in an expression."""

Value: TypeAlias = tuple[IntExpr, IntExpr]
"""A value over a statement's iterations, and what is printed for it."""

Around: TypeAlias = Sequence[tuple[Dim, Value]]
"""What the loops around a place show, outermost first."""


@dataclass(frozen=True, slots=True)
class Case:
    """A statement at which a value is asked for.

    Attributes:
        statement: its name.
        value: the value, over its iterations.
        around: values that determine it, for all iterations or only for ``instances``.
        instances: the iterations it is asked for; all when None.
    """

    statement: str
    value: IntExpr
    around: Sequence[IntExpr]
    instances: isl.Set | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """A loop as isl wrote it: ``sign * value`` from ``start`` to before ``stop``."""

    start: IntExpr
    stop: IntExpr
    step: int
    sign: int


@dataclass(frozen=True, slots=True)
class _Located:
    """What a hidden dimension shows: now, first and last, from one to the next.

    ``more`` is the number of its positions behind the first.
    """

    value: IntExpr
    low: IntExpr
    high: IntExpr
    stride: IntExpr
    more: IntExpr


class Delinearization:
    """Turns the loops of hidden dimensions into assignments.

    Args:
        products: the collapsed loops.
        whole: those whose rows and columns are loops; they are merged later.

    Attributes:
        tree: the order, with the dimensions of collapsed loops.
    """

    def __init__(
        self,
        products: Products,
        whole: Collection[str],
        ends: Mapping[str, IntExpr],
    ) -> None:
        self.products = products
        self.ends = ends
        self.spaces = products.spaces
        schedule = products.schedule
        self.loops = {
            dim.uid: loop
            for loop, pair in schedule.collapsed.items()
            for dim in pair.dims
            if loop not in whole
        }
        tree = unfolded(schedule, whole)
        seen = {band.dim.name for band in bands(tree) if not self.hides(band.dim)}
        hidden = {band.dim for band in bands(tree) if self.hides(band.dim)}
        taken = set(schedule.taken) | seen | {dim.name for dim in hidden}
        names: dict[int, str] = {}

        def renamed(dim: Dim) -> Dim:
            if not self.hides(dim) or dim.name not in seen:
                return dim
            if dim.uid not in names:
                names[dim.uid] = free(dim.name, taken, 2)
                taken.add(names[dim.uid])
            return replace(dim, name=names[dim.uid])

        self.tree = with_dims(tree, renamed)

    def hides(self, dim: Dim) -> bool:
        """Whether a dimension is a row or a column."""
        return dim.uid in self.loops

    def printed(self) -> Mapping[str, IntExpr]:
        """What is printed for isl's parameters."""
        return {
            name: self.products.printed(substitute(value, self.ends))
            for name, value in texts(self.spaces).items()
        }

    def value(self, cases: Sequence[Case], known: Sequence[IntExpr]) -> IntExpr:
        """A value that is the same in all cases, from those that are known.

        Args:
            cases: where it is asked for.
            known: what is printed for the values around it.
        """
        spaces = self.spaces
        relation: isl.Map | None = None
        for case in cases:
            loops = spaces.nest.statements[case.statement].loops
            given = spaces.map(case.statement, loops, case.around)
            if case.instances is not None:
                given = given.intersect_domain(case.instances)
            wanted = spaces.map(case.statement, loops, [case.value])
            one = given.reverse().apply_range(wanted)
            relation = one if relation is None else relation.union(one)
        assert relation is not None
        printed = dict(self.printed())
        for at, text in enumerate(known):
            relation = relation.set_dim_name(isl.dim_type.in_, at, f"k{at}")
            printed[f"k{at}"] = text
        parameters = relation.dim(isl.dim_type.param)
        relation = relation.move_dims(
            isl.dim_type.param, parameters, isl.dim_type.in_, 0, len(known)
        )
        function = relation.range().dim_min(0)
        domain = function.domain()
        build = isl.AstBuild.from_context(domain)
        return to_expr(build.expr_from_pw_aff(function.gist(domain)), printed)

    def assigned(
        self, dim: Dim, name: str, shown: IntExpr, around: Around, written: Written
    ) -> tuple[Let, Cond]:
        """A hidden dimension's value, and whether its loop has it.

        Args:
            dim: the dimension.
            name: a statement inside.
            shown: what isl's loop runs through, over the statement's iterations.
            around: the same for the loops around, and what is printed for it.
            written: isl's loop.

        Returns:
            The assignment, and the condition under which its body runs.
        """
        found = self._located(dim, name, shown, around)
        sign = Const(written.sign)
        condition = self._inside(mul(sign, Var(dim.name)), found, written)
        return Let(dim.name, mul(sign, found.value)), condition

    def checked(self, dim: Dim, name: str, value: Value, around: Around) -> Cond:
        """Whether a hidden dimension has the one value that isl wrote no loop for.

        Args:
            dim: the dimension.
            name: a statement inside.
            value: the value, over the statement's iterations, and what is printed.
            around: the same for the loops around.

        Returns:
            The condition.
        """
        shown, only = value
        found = self._located(dim, name, shown, around)
        return self._inside(found.value, found, Written(only, add(only, ONE), 1, 1))

    def _located(self, dim: Dim, name: str, shown: IntExpr, around: Around) -> _Located:
        loop = self.loops[dim.uid]
        product = self.products.known[loop]
        values = [value for _, (value, _) in around]
        printed = [text for _, (_, text) in around]
        value = self.value([Case(name, Var(loop), values)], printed)
        width = self.products.text(product.columns.count)
        if dim.uid == self.products.schedule.collapsed[loop].outer.uid:
            positions, place = product.rows, floordiv(value, width)
        else:
            positions, place = product.columns, mod(value, width)
        first = self.products.text(positions.first)
        last = add(first, self.products.text(positions.count), Const(-1))
        position = self.products.schedule.position[dim.uid][name]
        case = Case(name, shown, [*values, position])
        formula = self.value([case], [*printed, Var(_PLACE)])

        def at(place: IntExpr) -> IntExpr:
            return substitute(formula, {_PLACE: place})

        low = at(first)
        return _Located(
            value=at(add(first, place)),
            low=low,
            high=at(last),
            stride=sub(at(add(first, ONE)), low),
            more=sub(last, first),
        )

    def _inside(self, value: IntExpr, found: _Located, written: Written) -> Cond:
        """That isl's loop has a value; what holds for all of them is left out."""
        facts = sizes(self.spaces.nest).behind(self.products.counts)
        facts = replace(facts, positive=(*facts.positive, found.more))
        parts: list[Cond] = []
        start, stop = written.start, written.stop
        for bound in start.args if isinstance(start, Max) else (start,):
            if not facts.nonnegative(sub(found.low, bound)):
                parts.append(_compare(value, bound, ">=", written.sign))
        for bound in stop.args if isinstance(stop, Min) else (stop,):
            if not facts.nonnegative(sub(bound, add(found.high, ONE))):
                parts.append(_compare(value, bound, "<", written.sign))
        if written.step != 1 and found.stride != Const(written.step):
            phase = mod(sub(value, start), written.step)
            parts.append(Compare("==", phase, ZERO))
        return conj(*parts)


def _compare(value: IntExpr, bound: IntExpr, op: str, sign: int) -> Cond:
    if sign > 0:
        return Compare(op, value, bound)
    mirrored = {">=": "<=", "<": ">"}[op]
    return Compare(mirrored, mul(Const(-1), value), mul(Const(-1), bound))
