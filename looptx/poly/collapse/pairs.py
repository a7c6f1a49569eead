"""Pairs of iterations in collapsed loops: what isl knows about their order.

Of the value ``row * width + column`` of a loop whose width is a run-time size this much
is kept:

- it is inside its range, and never less than the row or the column;
- for two iterations, what their rows and columns tell about the difference of their
  values: all, when the rows are a literal number apart, else a bound.

That holds for every iteration, so what is proven from it is proven; what is not may be
legal nevertheless. Where the width is a literal, or given, the value is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import islice, product

import islpy as isl

from looptx.model.expr import Var
from looptx.model.program import Statement
from looptx.poly.astexpr import integer
from looptx.poly.collapse.products import Products

_IN, _OUT, _SET, _PARAM = (
    isl.dim_type.in_,
    isl.dim_type.out,
    isl.dim_type.set,
    isl.dim_type.param,
)

MOST_EXACT = 4
"""How many distances of rows are told apart."""

MOST_SAMPLES = 48
"""How many combinations of widths are tried before the verdict is *unknown*."""


class Pairs:
    """Relations of iterations, with the values of their collapsed loops.

    Args:
        products: the collapsed loops.
        widths: those that are given a literal width.
    """

    def __init__(
        self, products: Products, widths: Mapping[str, int] | None = None
    ) -> None:
        self.products = products
        self.spaces = products.spaces
        self.schedule = products.schedule
        self.widths = widths or {}

    @property
    def exact(self) -> bool:
        """Whether the value of every collapsed loop is exact."""
        return all(self._width(loop) is not None for loop in self.products.known)

    def _width(self, loop: str) -> int | None:
        return self.widths.get(loop, self.products.known[loop].columns.literal)

    def samples(self) -> Iterator[Pairs]:
        """The same loops, exact, for some widths each."""
        loops = [loop for loop in self.products.known if self._width(loop) is None]
        blocks = {
            abs(weight) + more
            for index in self.schedule.index.values()
            for weight in index.weights.values()
            for more in (0, 1)
        }
        tried = sorted({1, 2, 3, 4, 5, *blocks})
        for widths in islice(product(tried, repeat=len(loops)), MOST_SAMPLES):
            yield Pairs(self.products, dict(zip(loops, widths, strict=True)))

    def lift(self, relation: isl.Map, source: Statement, sink: Statement) -> isl.Map:
        """A relation of iterations with the values of their collapsed loops.

        Args:
            relation: pairs of iterations.
            source, sink: their statements.

        Returns:
            The relation between longer iterations; a superset of the pairs that exist.
        """
        if not self.products.known:
            return relation
        ours, theirs = self._values(source.name), self._values(sink.name)
        lifted = ours.reverse().apply_range(relation).apply_range(theirs)
        for loop in self.products.known:
            shared = all(
                loop in self.spaces.nest.statements[each.name].loops
                for each in (source, sink)
            )
            if shared and self._width(loop) is None:
                first = self._place(loop, source.name)
                second = self._place(loop, sink.name)
                places = first.reverse().apply_range(lifted).apply_range(second)
                known = self._ordered(loop, *_rows_apart(places))
                lifted &= first.apply_range(known).apply_range(second.reverse())
        return lifted

    def ground(self, relation: isl.Map) -> isl.Map:
        """A relation without the collapsed loops and the parameters that were added."""
        for kind, name in (
            (_IN, relation.get_tuple_name(_IN)),
            (_OUT, relation.get_tuple_name(_OUT)),
        ):
            own = len(self.schedule.nest.statements[name].loops)
            count = relation.dim(kind) - own
            relation = relation.project_out(kind, own, count).set_tuple_name(kind, name)
        given = self.spaces.given
        return relation.project_out(_PARAM, given, relation.dim(_PARAM) - given)

    def _values(self, name: str) -> isl.Map:
        """From iterations to the same with the values that collapsed loops may have."""
        statement = self.spaces.nest.statements[name]
        values = self.spaces.domain(statement)
        for loop in statement.loops:
            if loop in self.products.known:
                linked = self._place(loop, name).intersect_range(self._linked(loop))
                values &= linked.domain()
        own = len(self.schedule.nest.statements[name].loops)
        result = isl.Set.identity(values)
        return result.project_out(_IN, own, len(statement.loops) - own).set_tuple_name(
            _IN, name
        )

    def _place(self, loop: str, name: str) -> isl.Map:
        """From iterations to ``[row, column, value]``, rows and columns from 0 on."""
        pair, found = self.schedule.collapsed[loop], self.products.known[loop]
        loops = self.spaces.nest.statements[name].loops
        space = self.spaces.space(name, len(loops))
        places: isl.Map | None = None
        for dim, positions in zip(pair.dims, (found.rows, found.columns), strict=True):
            position = self.schedule.position[dim.uid][name]
            place = self.spaces.expr(position, space, loops)
            place = place.sub(positions.first.insert_domain(space))
            one = isl.Map.from_pw_aff(place)
            places = one if places is None else places.flat_range_product(one)
        value = self.spaces.expr(Var(loop), space, loops)
        assert places is not None
        return places.flat_range_product(isl.Map.from_pw_aff(value))

    def _linked(self, loop: str) -> isl.Set:
        """``{ [row, column, value] }`` as far as they are known to belong together."""
        space = self.spaces.space("", 3).reset_tuple_id(_SET)
        row, column, value, width = self._functions(loop, space)
        fixed = self._width(loop)
        zero = column.sub(column)
        result = column.ge_set(zero) & column.lt_set(width)
        if fixed is None:
            return result & value.ge_set(row) & value.ge_set(column)
        scale = isl.Val(fixed, space.get_ctx())
        result &= value.eq_set(row.scale_val(scale).add(column))
        result &= width.eq_set(zero.add_constant_val(scale))
        if self.products.known[loop].stop == Var(self.products.parameters[loop]):
            rows = self.products.known[loop].rows.count.insert_domain(space)
            count = self.spaces.expr(self.products.known[loop].stop, space, ())
            result &= count.eq_set(rows.scale_val(scale))
        return result

    def _functions(self, loop: str, space: isl.Space) -> tuple[isl.PwAff, ...]:
        """The coordinates of a space, and the width."""
        local = isl.LocalSpace.from_space(space)
        width = self.products.known[loop].columns.count.insert_domain(space)
        return (
            *(
                isl.PwAff.var_on_domain(local, _SET, at)
                for at in range(space.dim(_SET))
            ),
            width,
        )

    def _ordered(self, loop: str, least: int, most: int, whole: bool) -> isl.Map:
        """``{ [row, column, value] -> [row', column', value'] }``, as far as known.

        Args:
            loop: the collapsed loop.
            least, most: exact for rows so far apart.
            whole: whether no rows are further apart.
        """
        space = self.spaces.space("", 6).reset_tuple_id(_SET)
        row, column, value, other, beside, later, width = self._functions(loop, space)
        rows, columns, values = other.sub(row), beside.sub(column), later.sub(value)
        context = space.get_ctx()

        def apart(count: int) -> tuple[isl.PwAff, isl.PwAff]:
            """Rows further on than a number, and values than those of that row."""
            number = isl.Val(count, context)
            first = width.scale_val(number).add(columns)
            return rows.add_constant_val(number.neg()), values.sub(first)

        zero = rows.sub(rows)
        cases = []
        for count in range(least, most + 1):
            below, further = apart(count)
            cases.append(below.eq_set(zero) & further.eq_set(zero))
        if not whole:
            # A row has a width of at least 1.
            below, further = apart(most + 1)
            cases.append(below.ge_set(zero) & further.ge_set(below))
            below, further = apart(least - 1)
            cases.append(below.le_set(zero) & further.le_set(below))
        known = reduce(isl.Set.union, cases)
        return isl.Map.from_range(known).move_dims(_IN, 0, _OUT, 0, 3)


def _rows_apart(places: isl.Map) -> tuple[int, int, bool]:
    """How far the rows of pairs of places are apart: least, most, and whether always.

    Neighbours, and all others, where there is no literal bound or it is a large one.
    """
    if not places.is_empty():
        apart = places.deltas()
        ends = apart.dim_min_val(0), apart.dim_max_val(0)
        if all(end.is_int() for end in ends):
            least, most = map(integer, ends)
            if most - least <= MOST_EXACT:
                return least, most, True
    return -1, 1, False
