"""Expressions and conditions of the model as functions and sets of isl."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import reduce

import islpy as isl

from looptx.errors import Unproven
from looptx.model.expr import (
    Add,
    And,
    Compare,
    Cond,
    Const,
    FloorDiv,
    IntExpr,
    Max,
    Min,
    Mod,
    Mul,
    Not,
    Or,
    Select,
    Start,
    Var,
)
from looptx.model.expr.algebra import linear
from looptx.model.expr.convex import convex
from looptx.poly.budget import constant, named_space

_COMPARED: Mapping[str, Callable[[isl.PwAff, isl.PwAff], isl.Set]] = {
    "<": isl.PwAff.lt_set,
    "<=": isl.PwAff.le_set,
    "==": isl.PwAff.eq_set,
    "!=": isl.PwAff.ne_set,
    ">=": isl.PwAff.ge_set,
    ">": isl.PwAff.gt_set,
}

_LINEAR: Mapping[str, Callable[[isl.Aff, isl.Aff], isl.Set]] = {
    "<": isl.Aff.lt_set,
    "<=": isl.Aff.le_set,
    "==": isl.Aff.eq_set,
    "!=": isl.Aff.ne_set,
    ">=": isl.Aff.ge_set,
    ">": isl.Aff.gt_set,
}


class Affine(ABC):
    """What is expressed over some parameters.

    They get the isl names ``p0``, ``p1`` ...: their texts may be any expression.

    Attributes:
        parameters: their texts.
    """

    parameters: tuple[str, ...] = ()

    @abstractmethod
    def start(self, loop: str) -> isl.PwAff:
        """The first value a loop takes over the whole nest, over parameters."""

    def parameter(self, text: str) -> str:
        """What isl calls a parameter."""
        return f"p{self.parameters.index(text)}"

    def _names(self) -> list[str]:
        return [f"p{at}" for at in range(len(self.parameters))]

    def params_space(self) -> isl.Space:
        """The space of parameters alone."""
        return named_space(self._names(), []).params()

    def space(self, name: str, dims: int) -> isl.Space:
        """``[params] -> { name[i0, ..., i(dims-1)] }``."""
        iterators = [f"i{k}" for k in range(dims)]
        space = named_space(self._names(), iterators)
        return space.set_tuple_name(isl.dim_type.set, name)

    def expr(self, expr: IntExpr, space: isl.Space, loops: Sequence[str]) -> isl.PwAff:
        """An expression as an isl function.

        Args:
            expr: the expression.
            space: the domain of the function.
            loops: what its iterators are, in their order.

        Returns:
            The function, defined everywhere.

        Raises:
            Unproven: LX203 when it is not quasi-affine.
        """

        def visit(node: IntExpr) -> isl.PwAff:
            known = self._linear(node, space, loops)
            if known is not None:
                return isl.PwAff.from_aff(known)
            match node:
                case Start(loop):
                    return self.start(loop).insert_domain(space)
                case Add(terms):
                    return reduce(isl.PwAff.add, map(visit, terms))
                case Mul((Const(factor), rest)):
                    return visit(rest).scale_val(constant(factor))
                case FloorDiv(dividend, Const(number)):
                    scaled = visit(dividend).scale_down_val(constant(number))
                    return scaled.floor()
                case Mod(dividend, Const(number)):
                    return visit(dividend).mod_val(constant(number))
                case Min(args):
                    return reduce(isl.PwAff.min, map(visit, args))
                case Max(args):
                    return reduce(isl.PwAff.max, map(visit, args))
                case Select(cond, then, other):
                    chosen = self.cond(cond, space, loops)
                    yes = visit(then).intersect_domain(chosen)
                    return yes.union_add(
                        visit(other).intersect_domain(chosen.complement())
                    )
            raise Unproven(
                "LX203", "unknown: an index is not affine in the loops and sizes"
            )

        return visit(expr)

    def _linear(
        self, expr: IntExpr, space: isl.Space, loops: Sequence[str]
    ) -> isl.Aff | None:
        """A linear form of loops and sizes, as most expressions are: a row of numbers.

        isl looks for cases in what it is given as a sum of functions.

        Args:
            expr, space, loops: as for ``expr``.

        Returns:
            It, or None for any other expression.
        """
        coefficients, number = linear(expr)
        result = isl.Aff.zero_on_domain_space(space)
        if number:
            result = result.set_constant_val(constant(number))
        for term, factor in coefficients.items():
            if not isinstance(term, Var):
                return None
            if term.name in loops:
                kind, at = isl.dim_type.in_, loops.index(term.name)
            else:
                kind, at = isl.dim_type.param, self.parameters.index(term.name)
            result = result.set_coefficient_val(kind, at, constant(factor))
        return result

    def cond(self, cond: Cond, space: isl.Space, loops: Sequence[str]) -> isl.Set:
        """A condition as a set.

        Args:
            cond: the condition.
            space: the space of the set.
            loops: what its iterators are, in their order.

        Returns:
            The points at which it holds.
        """

        def visit(node: Cond) -> isl.Set:
            match node:
                case Compare(op, left, right):
                    one = self._linear(left, space, loops)
                    two = self._linear(right, space, loops) if one is not None else None
                    if one is not None and two is not None:
                        return _LINEAR[op](one, two)
                    parts = convex(node)
                    if parts != node:
                        return visit(parts)
                    return _COMPARED[op](
                        self.expr(left, space, loops), self.expr(right, space, loops)
                    )
                case And(args):
                    return reduce(
                        isl.Set.intersect, map(visit, args), isl.Set.universe(space)
                    )
                case Or(args):
                    return reduce(isl.Set.union, map(visit, args), isl.Set.empty(space))
                case Not(arg):
                    return visit(arg).complement()

        return visit(cond)

    def map(
        self,
        name: str,
        loops: Sequence[str],
        values: Sequence[IntExpr],
        target: str = "",
    ) -> isl.Map:
        """A map from the iterations of a statement.

        Args:
            name: of the statement.
            loops: its loops.
            values: expressions over them.
            target: the name of the range, if it has one.

        Returns:
            ``{ name[loops] -> target[values] }``.
        """
        space = self.space(name, len(loops))
        known = [self._linear(value, space, loops) for value in values]
        rows = [row for row in known if row is not None]
        if len(rows) == len(values):
            whole = isl.Space.from_domain(space).add_dims(isl.dim_type.out, len(rows))
            all_rows = isl.MultiAff.zero(whole)
            for at, row in enumerate(rows):
                all_rows = all_rows.set_aff(at, row)
            result = isl.Map.from_multi_aff(all_rows)
        else:
            parts = (isl.Map.from_pw_aff(self.expr(x, space, loops)) for x in values)
            result = reduce(isl.Map.flat_range_product, parts)
        return result.set_tuple_name(isl.dim_type.out, target) if target else result
