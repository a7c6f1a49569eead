"""The iteration spaces of a nest in isl: parameters, loops, domains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy

import islpy as isl

from looptx.model.elements import Access
from looptx.model.expr import (
    TRUE,
    ZERO,
    Compare,
    Cond,
    Const,
    Var,
    conj,
    mod,
    sub,
    variables,
)
from looptx.model.program import Loop, Nest, Statement
from looptx.model.shapes import extent, is_extent
from looptx.poly.affine import Affine


class Spaces(Affine):
    """The isl spaces of one nest, and everything expressed in them.

    Args:
        nest: the nest.
        assumes: conditions that hold on entry.
        shapes: arrays whose extents are parameters, too.
        known: whether what the function says of the parameters holds, too.

    Attributes:
        domains: the iterations of statements that have no loops of the source.
        places: by statement and name what calls need besides loops: functions of its
            iterations.
        meanings: the sizes at which parameters that stand for functions of others have
            their values.
        given: the number of parameters before those that were added.
    """

    def __init__(
        self,
        nest: Nest,
        assumes: Sequence[Cond] = (),
        shapes: frozenset[str] = frozenset(),
        *,
        known: bool = False,
    ) -> None:
        self.nest = nest
        self.shapes = shapes
        self.assumes = tuple(assumes)
        texts = list(nest.parameters)
        for cond in assumes:
            texts.extend(sorted(variables(cond)))
        for statement in nest.statements.values():
            for access in statement.accesses:
                texts.extend(sorted(variables(access.where) - nest.loops.keys()))
                if access.array in shapes:
                    axes = range(len(access.subscripts))
                    texts.extend(self.shape_text(access.array, axis) for axis in axes)
        self.parameters = tuple(dict.fromkeys(texts))
        self._starts: dict[str, isl.PwAff] = {}
        self._totals: dict[str, isl.PwAff] = {}
        self._loop_sets: dict[str, isl.Set] = {}
        self._guarded: dict[tuple[str, tuple[str, ...], Cond], isl.Set] = {}
        self.domains: Mapping[str, isl.Set] = {}
        self.places: Mapping[str, Mapping[str, isl.PwAff]] = {}
        self.meanings: Mapping[str, isl.Set] = {}
        self.given = len(self.parameters)
        self.context = self._context_set(assumes)
        if known:
            self.context &= self._known()

    def extended(self, nest: Nest, parameters: Sequence[str]) -> Spaces:
        """The same spaces for a nest with more loops and more parameters."""
        result = copy(self)
        result.nest = nest
        result.parameters = (*self.parameters, *parameters)
        space = result.params_space()
        result._starts, result._totals = (
            {loop: value.align_params(space) for loop, value in known.items()}
            for known in (self._starts, self._totals)
        )
        result._loop_sets = {}
        result._guarded = {}
        return result

    def named(self, text: str, function: isl.PwAff) -> tuple[Spaces, isl.PwAff]:
        """A parameter in the place of a function of the sizes that has cases.

        What is made of it has none, then. A function without is itself, wherever that
        is; it only counts where it is defined.
        """
        (_, first), *more = function.get_pieces()
        if not more:
            return self, isl.PwAff.from_aff(first)
        result = self.extended(self.nest, (text,))
        parameter = result.expr(Var(text), result.params_space(), ())
        result.meanings = {**self.meanings, text: parameter.eq_set(function)}
        return result, parameter

    def with_starts(self) -> Spaces:
        """The same spaces, the first values of loops that have cases as parameters."""
        result = self
        for loop in self.nest.loops.values():
            if variables(loop.start) & self.nest.loops.keys():
                start = self.start(loop.id)
                result, one = result.named(f"the first {loop.id}", start)
                result._totals[loop.id] = one
        return result

    def meant(self, relation: isl.Map) -> isl.Map:
        """A relation with what its parameters stand for.

        That has many cases: of a relation that is empty anyway it need not be said.
        """
        kind = isl.dim_type.param
        for text, meaning in reversed([*self.meanings.items()]):
            at = relation.find_dim_by_name(kind, self.parameter(text))
            if at >= 0 and relation.involves_dims(kind, at, 1):
                relation = relation.coalesce().intersect_params(meaning)
        return relation

    def at(self, sizes: isl.Set) -> Spaces:
        """The same spaces for some of the sizes."""
        result = copy(self)
        result.context = self.context & sizes
        result._starts = {}
        result._totals = {}
        return result

    def shape_text(self, array: str, axis: int) -> str:
        """The parameter that holds the extent of an array's axis."""
        text = extent(array, axis)
        return self.nest.entry.equal.get(text, text)

    def told(self, wider: Spaces, sizes: isl.Set) -> isl.Set:
        """What sizes of spaces with more parameters say of these parameters."""
        kind = isl.dim_type.param
        for at in reversed(range(len(wider.parameters))):
            # Of each its own name first: the same one may stand for another text.
            sizes = sizes.set_dim_name(kind, at, f"wider{at}")
            if wider.parameters[at] not in self.parameters:
                sizes = sizes.project_out(kind, at, 1)
        kept = [text for text in wider.parameters if text in self.parameters]
        for at, text in enumerate(kept):
            sizes = sizes.set_dim_name(kind, at, self.parameter(text))
        return sizes

    def _context_set(self, assumes: Sequence[Cond]) -> isl.Set:
        space = self.space("C", 0)
        context = isl.Set.universe(space)
        never_negative = frozenset(self.nest.sizes)
        for text in self.parameters:
            if is_extent(text) or text in never_negative:
                context &= self.cond(Compare(">=", Var(text), ZERO), space, ())
        for assumed in assumes:
            context &= self.cond(assumed, space, ())
        return context.params()

    def _known(self) -> isl.Set:
        """What is known of the parameters before the nest, other values projected out.

        Only what is connected with a parameter says something.
        """
        texts, left = dict.fromkeys(self.parameters), list(self.nest.entry.known)
        found: list[Cond] = []
        while more := [cond for cond in left if variables(cond) & texts.keys()]:
            found += more
            left = [cond for cond in left if not variables(cond) & texts.keys()]
            texts.update(dict.fromkeys(name for x in more for name in variables(x)))
        wider = self.extended(self.nest, list(texts)[len(self.parameters) :])
        space = wider.space("C", 0)
        context = isl.Set.universe(space)
        for cond in found:
            context &= wider.cond(cond, space, ())
        count = len(self.parameters)
        context = context.params()
        return context.project_out(isl.dim_type.param, count, len(texts) - count)

    def start(self, loop: str) -> isl.PwAff:
        """The first value a loop takes over the whole nest, over parameters.

        Other loops may be aligned with it: where it never runs it is 0.
        """
        total = self._totals.get(loop)
        if total is None:
            known = self.first(loop)
            empty = self.expr(Const(0), known.domain().get_space(), ())
            rest = known.domain().complement()
            total = known.union_add(empty.intersect_domain(rest)).coalesce()
            if total.n_piece() == 1:
                # It is defined everywhere, in whatever pieces isl says that.
                total = isl.PwAff.from_aff(total.get_pieces()[0][1])
            self._totals[loop] = total
        return total

    def first(self, loop: str) -> isl.PwAff:
        """The first value a loop takes over the whole nest, where it runs at all."""
        known = self._starts.get(loop)
        if known is None:
            values = self.loop_set(loop).intersect_params(self.context)
            last = values.dim(isl.dim_type.set) - 1
            upward = self.nest.loops[loop].step > 0
            known = values.dim_min(last) if upward else values.dim_max(last)
            known = known.gist(self.context).coalesce()
            self._starts[loop] = known
        return known

    def outer_loops(self, loop: str) -> tuple[Loop, ...]:
        """The loops around a loop, and the loop itself."""
        for node, outer in self.nest.walk():
            if hasattr(node, "loop") and node.loop.id == loop:
                return (*outer, node.loop)
        raise KeyError(loop)

    def loop_set(self, loop: str) -> isl.Set:
        """The iterations of a loop with those around it."""
        known = self._loop_sets.get(loop)
        if known is None:
            known = self._iterations("L", self.outer_loops(loop))
            self._loop_sets[loop] = known
        return known

    def _iterations(
        self, name: str, loops: Sequence[Loop], bounded: frozenset[str] | None = None
    ) -> isl.Set:
        space = self.space(name, len(loops))
        ids = tuple(loop.id for loop in loops)
        result = isl.Set.universe(space)
        for loop in loops:
            index = Var(loop.id)
            if bounded is None or loop.id in bounded:
                begins, ends = (">=", "<") if loop.step > 0 else ("<=", ">")
                inside = conj(
                    loop.guard,
                    Compare(begins, index, loop.start),
                    Compare(ends, index, loop.stop),
                )
                result &= self.cond(inside, space, ids)
            if abs(loop.step) != 1:
                phase = mod(sub(index, loop.start), abs(loop.step))
                result &= self.cond(Compare("==", phase, Const(0)), space, ids)
        return result

    def domain(self, statement: Statement) -> isl.Set:
        """The iterations at which a statement runs."""
        if statement.name in self.domains:
            return self._given(statement)
        key = statement.name, statement.loops, statement.guard
        known = self._guarded.get(key)
        if known is None:
            loops = [self.nest.loops[loop] for loop in statement.loops]
            result = self._iterations(statement.name, loops)
            guard = self.cond(statement.guard, result.get_space(), statement.loops)
            known = self._guarded[key] = result & guard
        return known.intersect_params(self.context)

    def _given(self, statement: Statement) -> isl.Set:
        """The iterations in ``domains``, for fewer loops or for collapsed ones, too."""
        known = self.domains[statement.name]
        count = known.dim(isl.dim_type.set)
        own = self.nest.statements[statement.name].loops[:count]
        for at in reversed(range(count)):
            if own[at] not in statement.loops:
                known = known.project_out(isl.dim_type.set, at, 1)
        added = frozenset(statement.loops) - frozenset(own)
        loops = [self.nest.loops[loop] for loop in statement.loops]
        known = known.add_dims(isl.dim_type.set, len(added))
        bounds = self._iterations(statement.name, loops, added)
        return known.set_tuple_name(statement.name) & bounds

    def guarded(self, statement: Statement, access: Access, domain: isl.Set) -> isl.Set:
        """The instances of a statement at which an access may happen.

        Args:
            statement: the statement.
            access: one of its accesses.
            domain: its instances.
        """
        if access.where == TRUE:
            return domain
        return domain & self.cond(access.where, domain.get_space(), statement.loops)

    def lattice(self, statement: Statement, bounded: frozenset[str]) -> isl.Set:
        """The iterations of a statement with the bounds of some of its loops only."""
        if statement.name in self.domains:
            return self._given(statement)
        loops = [self.nest.loops[loop] for loop in statement.loops]
        return self._iterations(statement.name, loops, bounded)
