"""Collapsed loops in isl: a product of run-time sizes is no affine function.

A collapsed loop is one more loop of the statements in it, from 0 to its *count*, the
product of the numbers of rows and columns. Where both are run-time sizes the count is a
parameter of its own. How its value follows from row and column is left to ``pairs``.
(*Loop coalescing*: Polychronopoulos, ICPP 1987.)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import islpy as isl

from looptx.looptree.nodes import Block, Let
from looptx.looptree.passes.bounds import Facts, sizes
from looptx.model.expr import (
    ZERO,
    IntExpr,
    Var,
    maximum,
    mul,
    substitute,
    variables,
)
from looptx.model.moves.cutting import part
from looptx.model.naming import free
from looptx.model.program import Loop
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Schedule, bands, lead, statements
from looptx.model.tree import unfolded
from looptx.poly.astexpr import expression, integer
from looptx.poly.budget import RANGE_OPERATIONS, budget
from looptx.poly.spaces import Spaces

_IN, _OUT, _SET, _PARAM = (
    isl.dim_type.in_,
    isl.dim_type.out,
    isl.dim_type.set,
    isl.dim_type.param,
)


@dataclass(frozen=True, slots=True)
class Range:
    """The positions of a dimension over the whole nest, as functions of parameters."""

    first: isl.PwAff
    count: isl.PwAff

    @property
    def literal(self) -> int | None:
        """The count where it is no run-time size."""
        if self.count.n_piece() == 1 and self.count.is_cst():
            return integer(self.count.max_val())
        return None


@dataclass(frozen=True, slots=True)
class Product:
    """A collapsed loop.

    Attributes:
        rows, columns: the positions of its two dimensions.
        stop: the count over isl's parameters; a parameter of its own where it must be.
        value: that parameter, as it is computed while running.
    """

    rows: Range
    columns: Range
    stop: IntExpr
    value: IntExpr


class Products:
    """The collapsed loops of a schedule, and the pairs of iterations they order.

    Args:
        spaces: of the nest.
        schedule: has the collapsed loops.
        without: those that are of no interest; no other is made of them.
        named: whether numbers of rows and columns that have cases (``max(0, n)``) are
            parameters of their own, so that what is made of them has none.

    Attributes:
        spaces: of the nest with its collapsed loops, which are the last of a statement.
        known: ``{loop id: product}``.
        parameters: ``{loop id: parameter}``, what isl calls the counts.
        names: ``{parameter: name}`` of the counts that are computed while running.
    """

    def __init__(
        self,
        spaces: Spaces,
        schedule: Schedule,
        without: Collection[str] = (),
        *,
        named: bool = False,
    ) -> None:
        self.schedule = schedule
        self.named = named
        self.known: dict[str, Product] = {}
        self.parameters = {
            loop: f"the iterations of {loop}"
            for loop in schedule.collapsed
            if loop not in without
        }
        self.names = dict(self._named())
        self.spaces = spaces
        self.free = tuple(
            f"the end of {band.dim.uid}"
            for band in bands(schedule.tree)
            if band.dim.part
            and len(statements(band)) > 1
            and _coarse(schedule, band.dim.uid)
        )
        if self.parameters or self.free:
            parameters = (*self.parameters.values(), *self.free)
            self.spaces = spaces.extended(spaces.nest, parameters)
        for loop in self.parameters:
            self._add(loop)

    def _add(self, loop: str) -> None:
        """Give the statements inside a collapsed loop that loop; earlier ones have."""
        self.known[loop] = found = self._product(loop)
        inside = self.schedule.position[self.schedule.collapsed[loop].outer.uid]
        nest = self.spaces.nest
        added = Loop(loop, loop, ZERO, found.stop, 1, nest.place)
        longer = {
            name: replace(nest.statements[name], loops=(*loops, loop))
            for name in inside
            for loops in [nest.statements[name].loops]
        }
        nest = replace(
            nest,
            loops={**nest.loops, loop: added},
            statements={**nest.statements, **longer},
        )
        self.spaces = self.spaces.extended(nest, ())

    def _product(self, loop: str) -> Product:
        pair = self.schedule.collapsed[loop]
        with budget(
            RANGE_OPERATIONS,
            f"counting the iterations of {pair.name}",
            "collapse loops whose bounds depend less on others",
        ):
            rows, columns = (self._range(dim.uid) for dim in pair.dims)
        if self.named:
            rows = self._with_names(loop, "row", rows)
            columns = self._with_names(loop, "column", columns)
        counts = [expression(self.spaces, each.count) for each in (rows, columns)]
        stop = mul(*counts)
        if rows.literal is None and columns.literal is None:
            stop = Var(self.parameters[loop])
        facts = sizes(self.spaces.nest)
        facts = Facts(positive=(*facts.positive, *map(Var, self.names)))
        positive = (
            count if facts.nonnegative(count) else maximum(ZERO, count)
            for count in counts
        )
        return Product(rows, columns, stop, self.printed(mul(*positive)))

    def _with_names(self, loop: str, kind: str, found: Range) -> Range:
        """The positions, parameters in the place of functions that have cases."""
        text = f"{kind} of {loop}"
        self.spaces, first = self.spaces.named(f"the first {text}", found.first)
        self.spaces, count = self.spaces.named(f"the number of {text}", found.count)
        return Range(first, count)

    def _named(self) -> Iterator[tuple[str, str]]:
        """A name that is used for nothing else for each count."""
        schedule = self.schedule
        taken = {band.dim.name for band in bands(unfolded(schedule))}
        taken |= schedule.taken
        for loop, parameter in self.parameters.items():
            name = free(f"{schedule.collapsed[loop].name}_count", taken)
            taken.add(name)
            yield parameter, name

    @property
    def counts(self) -> Block:
        """The assignments of the counts that are parameters."""
        return tuple(
            Let(self.names[self.parameters[loop]], found.value)
            for loop, found in self.known.items()
            if found.stop == Var(self.parameters[loop])
        )

    def _range(self, uid: int) -> Range:
        """The positions of a dimension: from 0, or the first below it, to the last."""
        found = isl.Set.empty(self.spaces.space("", 1)).reset_tuple_id()
        for name, value in self.schedule.position[uid].items():
            statement = self.spaces.nest.statements[name]
            own = self.schedule.nest.statements[name].loops
            cut = part(self.schedule.cuts, name)
            used = variables(value) | variables(cut)
            depth = max((at + 1 for at, x in enumerate(own) if x in used), default=0)
            loops = [
                *own[:depth],
                *(x for x in statement.loops[len(own) :] if x in used),
            ]
            around = replace(statement, loops=tuple(loops), guard=cut)
            positions = self.spaces.map(name, loops, [value])
            found |= self.spaces.domain(around).apply(positions)
        zero = isl.PwAff.zero_on_domain(
            isl.LocalSpace.from_space(self.spaces.params_space())
        )
        context = self.spaces.context
        if found.is_empty() or context.is_empty():
            return Range(zero, zero)
        one = isl.Val.one(found.get_ctx())
        first = found.dim_min(0).min(zero)
        last = found.dim_max(0).max(zero.add_constant_val(one.neg()))
        return Range(
            first.gist(context).coalesce(),
            last.sub(first).add_constant_val(one).gist(context).coalesce(),
        )

    def printed(self, expr: IntExpr) -> IntExpr:
        """An expression over isl's parameters as it is computed while running."""
        names = {parameter: Var(name) for parameter, name in self.names.items()}
        return substitute(expr, names)

    def text(self, value: isl.PwAff) -> IntExpr:
        """A function of the parameters as it is computed while running."""
        return self.printed(expression(self.spaces, value))


def _coarse(schedule: Schedule, uid: int) -> bool:
    """Whether a loop chooses blocks that others run through."""
    index = lead(schedule, uid)
    return index is not None and abs(index.weights[uid]) > 1
