"""A reduction that collects in parts, and the statement that collects the parts.

Each instance of the reduction has a part, and each part is collected at once: what
depends on a term's access to the target depends on the instance that collects its part.
Terms of one part keep their dependences on each other; those of different parts are
dependences of what collects, and stay those of a reduction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import islpy as isl

from looptx.model.elements import Access
from looptx.model.expr import Const, IntExpr, Var, mul, substitute, variables
from looptx.model.moves import Factor
from looptx.model.records import replace
from looptx.poly.dependences.caching.flows import shared
from looptx.poly.dependences.flows import Flow, kept, renamed
from looptx.poly.dependences.memory_based import Dependence
from looptx.poly.dependences.privatization import Dataflow
from looptx.poly.dependences.state import Lifting, State

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


class Factored(Lifting):
    """The instances that collect, and what relates them to all others.

    Args:
        state: what runs before.
        factor: the reduction.

    Attributes:
        domains: of what runs under a new name, and of what begins and collects parts.
    """

    def __init__(self, state: State, factor: Factor) -> None:
        super().__init__(state, factor.moved)
        self.factor = factor
        ((self.old, self.new),) = factor.moved.items()
        part = state.map(self.old, factor.inside)
        self.part = part.set_tuple_name(_OUT, factor.total).coalesce()
        parts = self.part.range().coalesce()
        self.domains = {
            self.new: state.domains[self.old].set_tuple_name(self.new),
            factor.start: parts.set_tuple_name(factor.start),
            factor.total: parts,
        }

    def places(self) -> dict[str, dict[str, isl.PwAff]]:
        """What statements need besides loops: what collects, a cell of the target."""
        factor, spaces = self.factor, self.state.spaces
        space = spaces.space(factor.total, len(factor.coordinates))
        own = {
            place: spaces.expr(one, space, factor.coordinates)
            for place, one in zip(factor.places, factor.cell, strict=True)
        }
        return {**super().places(), factor.total: own}

    def dependences(self, known: Sequence[Dependence]) -> list[Dependence]:
        """The dependences between what runs now."""
        lifted = (one for old in known for one in self._lifted(old))
        return [*lifted, *self._parts()]

    def _ends(self, name: str, access: Access) -> bool:
        """Whether an access is one to what is reduced into."""
        return name == self.old and access.cell == self.factor.target.cell

    def _one(self, name: str, array: str, *, write: bool) -> Access:
        """The access of a statement to an array that it uses in one place."""
        return next(
            access
            for access in self.state.nest.statements[name].accesses
            if (access.array, access.write) == (array, write)
        )

    def _lifted(self, one: Dependence) -> Iterator[Dependence]:
        """A dependence between what runs now."""
        known, factor = self.state.nest.statements, self.factor
        source, sink = one.source.name, one.sink.name
        ours = self._ends(source, one.source_access)
        theirs = self._ends(sink, one.sink_access)
        if ours and theirs:
            same = one.relation & self.part.apply_range(self.part.reverse())
            yield from self._with(one, same, one.source_access, one.sink_access)
        pairs, ends, accesses = one.relation, [], []
        for side, name, access, own in (
            (_IN, source, one.source_access, ours),
            (_OUT, sink, one.sink_access, theirs),
        ):
            if own:
                array = factor.array
                access = self._one(factor.total, array, write=access.write)
                pairs = self._at_total(pairs, side)
                name = factor.total
            else:
                name = self.names.get(name, name)
                pairs = pairs.set_tuple_name(side, name)
            ends.append(known[name])
            accesses.append(access)
        if ours and theirs:
            pairs -= isl.Map.identity(pairs.get_space())
            if one.reduction is not None:
                # In any order: that of the positions is as good, and there is no other.
                later = isl.Map.lex_lt(pairs.get_space().domain())
                pairs = (pairs | pairs.reverse()) & later
        if not pairs.is_empty():
            reduction = one.reduction
            if reduction is not None and (ours or theirs):
                reduction = known[factor.total].reduction
            yield replace(
                one,
                source=ends[0],
                sink=ends[1],
                source_access=accesses[0],
                sink_access=accesses[1],
                relation=pairs.coalesce(),
                reduction=reduction,
            )

    def _with(
        self, one: Dependence, pairs: isl.Map, ours: Access, theirs: Access
    ) -> Iterator[Dependence]:
        """A dependence between terms of one part."""
        if pairs.is_empty():
            return
        terms, partial = self.state.nest.statements[self.new], self.factor.buffer
        yield replace(
            one,
            source=terms,
            sink=terms,
            source_access=self._one(self.new, partial, write=ours.write),
            sink_access=self._one(self.new, partial, write=theirs.write),
            relation=renamed(pairs, self.names).coalesce(),
            reduction=terms.reduction if one.reduction is not None else None,
        )

    def _at_total(self, pairs: isl.Map, side: isl.dim_type) -> isl.Map:
        """Pairs with what collects a part in the place of its terms."""
        if side == _IN:
            return self.part.reverse().apply_range(pairs)
        return pairs.apply_range(self.part)

    def _flow(self) -> Iterator[tuple[str, str, isl.Map]]:
        """From what writes a part to what reads it."""
        factor = self.factor
        part = self.part.set_tuple_name(_IN, self.new)
        begun = part.set_tuple_name(_OUT, factor.start)
        yield factor.start, self.new, begun.reverse()
        yield self.new, factor.total, part

    def _parts(self) -> Iterator[Dependence]:
        """What keeps the beginning of a part before its terms, and these before it."""
        known, partial = self.state.nest.statements, self.factor.buffer
        for source, sink, pairs in self._flow():
            yield Dependence(
                known[source],
                known[sink],
                self._one(source, partial, write=True),
                self._one(sink, partial, write=False),
                pairs,
                exact=True,
            )

    def made(self) -> dict[str, Dataflow]:
        """From writes of parts to their reads."""
        known, factor = self.state.nest.statements, self.factor
        own = tuple(map(Var, factor.coordinates))
        around = {factor.start: own, self.new: factor.inside, factor.total: own}
        parts = Dataflow(
            users=tuple(known[name] for name in around),
            loops=(),
            flow=tuple(
                Flow.by(pairs, self.state.cell(sink, read))
                for _, sink, pairs in self._flow()
                for read in [self._one(sink, factor.buffer, write=False)]
            ),
            # A scalar has no subscripts that tell its parts apart.
            around={} if factor.target.subscripts else around,
        )
        return {factor.buffer: parts}

    def flows(self, name: str, known: Sequence[Flow]) -> list[Flow]:
        """The flows of an array or scalar, between what runs now."""
        found = [*known]
        for side in (_IN, _OUT):
            found = [new for one in found for new in self._at(name, one, side)]
        total = self.factor.total
        for at, one in enumerate(found):
            if one.ends == (total, total):
                found[at] = one.without(isl.Map.identity(one.pairs.get_space()))
        return kept(found)

    def _at(self, name: str, flow: Flow, side: isl.dim_type) -> Iterator[Flow]:
        """Flows with what runs now on one side."""
        if flow.ends[side == _OUT] != self.old:
            yield flow
            return
        if name == self.factor.array:
            again = side == _OUT and flow.source == self.factor.total
            part = self.part.intersect_domain(self._first()) if again else self.part
            yield flow.at(side, part)
        if self._uses(name, write=side == _IN):
            yield flow.at(side, self.before(self.old).reverse())

    def _first(self) -> isl.Set:
        """The terms that are the first of their parts.

        Parts are collected in any order. Flows from one to another are kept for these
        alone, as if each part were collected where its first term was: so the part that
        gets the value of before the reduction gets none from a later one.
        """
        nest = self.state.nest
        loops = nest.statements[self.old].loops
        upward = (nest.loops[loop].step > 0 for loop in loops)
        signs = zip(loops, upward, strict=True)
        times = [Var(loop) if up else mul(Const(-1), Var(loop)) for loop, up in signs]
        at = self.state.map(self.old, times)
        earlier = isl.Map.lex_lt(at.get_space().range())
        before = at.apply_range(earlier).apply_range(at.reverse())
        same = self.part.apply_range(self.part.reverse())
        return self.state.domains[self.old] - (before & same).range()

    def _uses(self, name: str, *, write: bool | None = None) -> bool:
        """Whether what collects terms uses an array or scalar in a way."""
        return any(
            access.array == name and write in (None, access.write)
            for access in self.state.nest.statements[self.new].accesses
        )

    def dataflow(self, name: str, known: Dataflow) -> Dataflow:
        """The dataflow of another temporary, or of the target, as it is now."""
        if self.old not in {user.name for user in known.users}:
            return known
        factor = self.factor
        own = name == factor.array
        users: list[str] = []
        for user in known.users:
            if user.name != self.old:
                users.append(user.name)
                continue
            users += [factor.total] if own else []
            users += [self.new] if self._uses(name) else []
        around = {user.name: known.prefix(user) for user in known.users}
        before = around.pop(self.old)
        around[self.new] = before
        if own:
            around[factor.total] = tuple(map(self._at_part, before))
        return replace(
            known,
            users=tuple(self.state.nest.statements[x] for x in users),
            loops=(),
            flow=tuple(self.flows(name, known.flow)),
            around={user: around[user] for user in users},
        )

    def _at_part(self, value: IntExpr) -> IntExpr:
        """An expression over the loops of a term over the coordinates of its part.

        Raises:
            Unproven: LX203 where the part does not tell.
        """
        factor = self.factor
        if value in factor.inside:
            return Var(factor.coordinates[factor.inside.index(value)])
        values = factor.values
        own = set(self.state.nest.statements[self.old].loops)
        if not variables(value) & own <= values.keys():
            raise shared(self.factor.array)
        return substitute(value, values)
