"""What isl counts in, and what the loops show.

Statement instances are given to isl by their positions: then the bounds of blocks, and
of loops skewed along others, are affine inequalities without divisions. A band counts
in the values its loop shows (``i`` in steps of 32, say), so that isl's bounds are those
to be printed, with two changes that keep the order: falling values are negated, and
what other loops or run-time starts add to a value in steps counts as 0, or isl would
guard each iteration with the phase of the steps, and lose some. Both are undone when a
loop is printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

import islpy as isl

from looptx.model.dims import shift
from looptx.model.expr import (
    ZERO,
    Compare,
    Const,
    IntExpr,
    Start,
    Var,
    add,
    mul,
    neg,
    rewrite,
    sub,
    substitute,
    variables,
)
from looptx.model.schedule import Band, Dim, Index, Schedule, Tree, lead, path
from looptx.poly.astexpr import expression
from looptx.poly.codegen.strides import Strides
from looptx.poly.spaces import Spaces


class Coordinates:
    """The positions of every statement, and the values that its loops show.

    Args:
        spaces: the nest.
        schedule: its positions.
        tree: its order, with the rows and columns of collapsed loops.
        values: whether loops show values of source loops, or count from 0.

    Attributes:
        dims: the dimensions of every statement that are loops, outermost first.
        very: see ``Strides``.
    """

    def __init__(
        self, spaces: Spaces, schedule: Schedule, tree: Tree, *, values: bool = True
    ) -> None:
        self.values = values
        self.spaces = spaces
        around = {
            name: [node.dim for node, _ in path(tree, name) if isinstance(node, Band)]
            for name in spaces.nest.statements
        }
        # A nest has its place in a fusing dimension: no loop counts it.
        self._around = {
            name: [dim.uid for dim in dims] for name, dims in around.items()
        }
        self.dims = {
            name: tuple(dim for dim in dims if not dim.fusing)
            for name, dims in around.items()
        }
        strides = Strides(schedule, self.dims)
        self.schedule = strides.schedule
        self.very = {
            uid: loop
            for uid, loop in strides.very.items()
            if values and (uid in strides.free or _one_piece(spaces, loop))
        }
        self._back = {name: self._instances(name) for name in self.dims}

    def _names(self, name: str) -> tuple[str, ...]:
        """What the positions of a statement are called in expressions."""
        return tuple(map(_name, self.dims[name]))

    def positions(self, name: str, bounded: frozenset[str] | None = None) -> isl.Set:
        """The positions of a statement's instances.

        Args:
            name: the statement.
            bounded: the loops whose bounds count; all by default.
        """
        statement = self.spaces.nest.statements[name]
        instances = (
            self.spaces.domain(statement)
            if bounded is None
            else self.spaces.lattice(statement, bounded)
        )
        return self._back[name].intersect_range(instances).domain()

    def instances(self, name: str) -> isl.Map:
        """From the positions of a statement to its instances."""
        return self._back[name]

    def _instances(self, name: str) -> isl.Map:
        """From the positions of a statement to its instances: the way back.

        It has divisions only for loops in steps whose first value differs from one run
        to the next.
        """
        names, loops = self._names(name), self._values(name)
        values: dict[IntExpr, IntExpr] = {Var(x): y for x, y in loops.items()}
        result = self.spaces.map(name, names, [*values.values()], name)
        space = self.spaces.space(name, len(names))
        for dim in self.dims[name]:
            position = rewrite(self.schedule.position[dim.uid][name], values)
            if position != Var(_name(dim)):
                same = Compare("==", position, Var(_name(dim)))
                result = result.intersect_domain(self.spaces.cond(same, space, names))
        return result

    def _values(self, name: str) -> dict[str, IntExpr]:
        """The values of a statement's loops, as functions of its positions."""
        nest = self.spaces.nest
        values: dict[IntExpr, IntExpr] = {}
        loops = nest.statements[name].loops
        for loop in loops:
            index = self.schedule.index[name, loop]
            start = rewrite(index.start, values)
            steps = self._steps(index, name)
            own = rewrite(shift(nest, loop, index), values)
            values[Var(loop)] = add(start, steps, own)
        return {loop: values[Var(loop)] for loop in loops}

    def _steps(self, index: Index, name: str) -> IntExpr:
        """How far a loop's value is from its first, as a function of positions."""
        own = {dim.uid: Var(_name(dim)) for dim in self.dims[name]}
        steps = [
            mul(Const(weight), own.get(uid) or self.schedule.position[uid][name])
            for uid, weight in index.weights.items()
        ]
        return mul(Const(index.step), add(index.offset, *steps))

    def falls(self, dim: Dim) -> bool:
        """Whether the loop of a dimension shows falling values."""
        index = self._lead(dim)
        return index is not None and index.step < 0

    def _lead(self, dim: Dim) -> Index | None:
        """The index a loop shows; none where its values would be multiples of nothing.

        ``skew i j | skew j i`` has i at twice the position of its loop.
        """
        index = lead(self.schedule, dim.uid) if self.values else None
        if index is None or (index.weights[dim.uid] > 1 and not dim.part):
            return None
        return index

    def _terms(self, dim: Dim, name: str) -> tuple[IntExpr, dict[int, int]]:
        """The shown value of a dimension: a constant part and weights of positions.

        It is the index once the loop and those around it fix that. A block shows where
        it starts in its own loop: what the loops add that it is skewed along counts
        further in.
        """
        index = self._lead(dim)
        if index is None:
            return ZERO, {dim.uid: 1}
        uids = self._around[name]
        fixed = set(uids[: uids.index(dim.uid) + 1])
        if not fixed.issuperset(index.weights):
            own = set(self.schedule.owner[dim.uid].values())
            owner = self.schedule.owner
            fixed = {uid for uid in fixed if own & set(owner.get(uid, {}).values())}
        counted = {other.uid for other in self.dims[name]}
        weights: dict[int, int] = {}
        base = add(index.start, mul(Const(index.step), index.offset))
        for uid, weight in index.weights.items():
            if uid in fixed and uid in counted:
                weights[uid] = index.step * weight
            elif uid in fixed:
                place = self.schedule.position[uid][name]
                base = add(base, mul(Const(index.step * weight), place))
        return base, weights

    def counted(self, dim: Dim, name: str) -> IntExpr:
        """What isl counts in the band of a dimension, over a statement's loops."""
        places = {uid: values[name] for uid, values in self._places(name)}
        loops = self.spaces.nest.statements[name].loops
        return self._counted(dim, name, places, {loop: Var(loop) for loop in loops})

    def partial(self, dim: Dim, name: str) -> isl.PwAff:
        """The same as a function of the statement's positions."""
        places = {uid: values[name] for uid, values in self._places(name)}
        places |= {own.uid: Var(_name(own)) for own in self.dims[name]}
        value = self._counted(dim, name, places, self._values(name))
        names = self._names(name)
        return self.spaces.expr(value, self.spaces.space(name, len(names)), names)

    def _places(self, name: str) -> Iterator[tuple[int, Mapping[str, IntExpr]]]:
        """The dimensions in which a statement has a position."""
        for uid, values in self.schedule.position.items():
            if name in values:
                yield uid, values

    def _counted(
        self,
        dim: Dim,
        name: str,
        places: Mapping[int, IntExpr],
        loops: Mapping[str, IntExpr],
    ) -> IntExpr:
        """What isl counts in the band of a dimension.

        Args:
            dim: the dimension. name: a statement in it.
            places: the positions of the statement. loops: the values of its loops.
        """
        if dim.uid in self.very:
            value = loops[self.very[dim.uid]]
        else:
            base, weights = self._terms(dim, name)
            terms = [mul(Const(w), places[uid]) for uid, w in weights.items()]
            value = add(base, *terms)
        value = sub(value, self._origin(dim, name))
        for other, factor in self.phases(dim, name).items():
            inner = self._counted(other, name, places, loops)
            value = add(value, mul(Const(-factor), inner))
        return neg(value) if self.falls(dim) else value

    def _origin(self, dim: Dim, name: str) -> IntExpr:
        """Where the values of a loop in steps start, unless that is a literal.

        isl need not know it: the phase of the steps would be a function of sizes, and
        isl loses iterations of loops that are skewed along others in such steps.
        """
        base, weights = self._terms(dim, name)
        literal = isinstance(base, Const) or abs(weights[dim.uid]) == 1 or dim.merged
        return ZERO if literal else base

    def origin(self, dim: Dim, name: str) -> IntExpr:
        """What has to be added to what isl counts.

        Over parameters, and the loops around a loop that is counted from its own start.
        """
        names = {loop: f"start of {loop}" for loop in self.spaces.nest.loops}
        starts: dict[IntExpr, IntExpr] = {
            Start(loop): Var(name) for loop, name in names.items()
        }
        origin = rewrite(self._origin(dim, name), starts)
        firsts = {
            text: expression(self.spaces, self.spaces.first(loop))
            for loop, text in names.items()
            if text in variables(origin)
        }
        return substitute(origin, firsts)

    def phases(self, dim: Dim, name: str) -> dict[Dim, int]:
        """The loops around a loop in steps that shift it by part of a step.

        What isl counts for them, times these factors, is left out of what it counts.
        """
        _, weights = self._terms(dim, name)
        step = 1 if dim.merged else weights[dim.uid]
        if abs(step) == 1:
            return {}
        left = {uid: Fraction(w) for uid, w in weights.items() if uid != dim.uid}
        result = {}
        for other in reversed(self.dims[name]):
            if left.get(other.uid):
                _, inside = self._terms(other, name)
                factor = left[other.uid] / inside[other.uid]
                for uid, weight in inside.items():
                    left[uid] = left.get(uid, Fraction(0)) - weight * factor
                whole = factor.denominator == 1
                if whole and factor * inside[other.uid] % step:
                    result[other] = int(-factor if self.falls(other) else factor)
        return result


def _name(dim: Dim) -> str:
    """What the position of a dimension is called in expressions."""
    return f"@{dim.uid}"


def _one_piece(spaces: Spaces, loop: str) -> bool:
    """Whether one formula tells where a loop starts; isl sees no steps in several."""
    return bool(spaces.first(loop).n_piece() == 1)
