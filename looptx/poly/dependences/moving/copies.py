"""The instances of statements that moved, and what relates them to all others.

A relation of instances of the source is *lifted* to those that run: to all copies of
each. But the cells that the moved statements write are as good as private to each
iteration of the loop (array expansion: Feautrier, ICS 1988), so what goes by them is
lifted to pairs inside one iteration only, as far as both are in the loop.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import islpy as isl

from looptx.errors import Malformed, Unproven
from looptx.model.expr import IntExpr, Var
from looptx.model.moves import Move, When
from looptx.model.program import ANYTHING, OUTPUT, Statement
from looptx.model.records import replace
from looptx.poly.dependences.flows import Flow
from looptx.poly.dependences.memory_based import Dependence
from looptx.poly.dependences.moving.placing import left, runs
from looptx.poly.dependences.privatization import Dataflow
from looptx.poly.dependences.state import Lifting, State

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


class Copies(Lifting):
    """The instances of statements that move.

    Args:
        state: what runs before.
        move: the statements, and where they move.

    Attributes:
        written: the arrays and scalars that they write.
        domains: their instances, under their new names, and those that stay where they
            were, under the old ones.
        unique: whether each runs once.
        tags: in which iteration of the loop statements run, of all that are in it.
        expanded: which of ``written`` have cells of their own in every iteration.

    Raises:
        Malformed: LX106 where nothing moves.
        Unproven: LX203 where what runs again may do anything.
    """

    def __init__(self, state: State, move: Move) -> None:
        super().__init__(state, move.moved)
        self.move = move
        self.written = state.accessed(move.moved, write=True)
        found = runs(state, move)
        self.unique = all(one.reverse().is_single_valued() for one in found.values())
        rest = left(state, move, {name: one.range() for name, one in found.items()})
        copied = {
            new: found[old].wrap().flatten().set_tuple_name(new)
            for old, new in move.moved.items()
        }
        self.domains = {**copied, **rest}
        self._check()
        self._now: dict[str, list[tuple[str, isl.Map]]] = {}
        for old, new in move.moved.items():
            self._now[old] = [(new, self.before(old).reverse())]
            if not rest[old].is_empty():
                self._now[old].append((old, isl.Set.identity(rest[old])))
        at = dict.fromkeys(copied, tuple(map(Var, move.coordinates)))
        self._at: Mapping[str, tuple[IntExpr, ...]] = {**move.inside, **at}
        back = {new: old for old, new in move.moved.items()}
        self._level = {x: move.common[back.get(x, x)] for x in self._at}
        self.tags = {x: (*self._level[x], *one) for x, one in self._at.items()}
        self.expanded = self._expanded()

    def _check(self) -> None:
        """See that something moves, and that it may run as often as it does."""
        move = self.move
        if all(self.domains[new].is_empty() for new in move.moved.values()):
            waits = move.when is When.COMPLETE
            does, other = ("reads", "writes") if waits else ("writes", "reads")
            raise Malformed(
                "LX106",
                f"the nest {does} nothing that an iteration of the loop {other}",
                hint=f"name a nest that {does} what the loop {other},"
                " or leave this directive out",
            )
        if self.written & {ANYTHING, OUTPUT} and not self.unique:
            known = self.state.nest.statements
            raise Unproven(
                "LX203",
                "unknown: what happens where an iteration runs again",
                detail=tuple(filter(None, {known[x].effects for x in move.moved})),
                hint="write `sliding`, or leave this directive out",
            )

    @property
    def gone(self) -> Collection[str]:
        """None: what is left of a statement keeps its name."""
        return ()

    def before(self, old: str) -> isl.Map:
        """``{ new[coordinates, x] -> old[x] }`` for the instances of a statement."""
        own = isl.Set.identity(self.domains[self.names[old]])
        own = own.project_out(_OUT, 0, len(self.move.coordinates))
        return own.set_tuple_name(_OUT, old)

    def _lifted(self, known: Iterable[Flow], *, own: bool) -> Iterator[Flow]:
        """What flows between what runs now.

        Args:
            known: between what ran before.
            own: whether it is by cells that the moved statements write.
        """
        for one in known:
            for first, ours in self._now.get(one.source, [(one.source, None)]):
                for second, theirs in self._now.get(one.sink, [(one.sink, None)]):
                    flow = one if ours is None else one.at(_IN, ours)
                    flow = flow if theirs is None else flow.at(_OUT, theirs)
                    if own and self._are_inside(first, second):
                        flow = flow.without(self._apart(first, second))
                    if not flow.is_empty():
                        yield flow

    def _are_inside(self, first: str, second: str) -> bool:
        """Whether what moved and runs again, and another, are both in the loop."""
        moved = first in self.names.values() and second in self.tags
        return moved and not self.unique

    def _apart(self, first: str, second: str) -> isl.Map:
        """The pairs that are in different iterations of the loop.

        They are in one iteration of the loops that were around before.
        """
        level = self._equal(self._level, first, second)
        return level - self._equal(self._at, first, second)

    def _equal(
        self, values: Mapping[str, Sequence[IntExpr]], first: str, second: str
    ) -> isl.Map:
        """Pairs of instances with equal values."""
        known, spaces = self.state.nest.statements, self.state.spaces
        one, other = (
            spaces.map(name, known[name].loops, values[name])
            for name in (first, second)
        )
        return one.apply_range(other.reverse())

    def dependences(self, known: Sequence[Dependence]) -> list[Dependence]:
        """The dependences between what runs now."""
        statements = self.state.nest.statements
        return [
            replace(
                one,
                source=statements[flow.source],
                sink=statements[flow.sink],
                relation=flow.pairs,
            )
            for one in known
            for own in [one.source_access.array in self.written]
            for flow in self._lifted([Flow.between(one.relation)], own=own)
        ]

    def flows(self, name: str, known: Sequence[Flow]) -> list[Flow]:
        """The flows of an array or scalar, between what runs now."""
        return list(self._lifted(known, own=name in self.written))

    def values(self, name: str, known: Sequence[Flow]) -> list[Flow]:
        """The same for all runs of an instance that runs several times."""
        return list(self._lifted(known, own=False))

    def _expanded(self) -> frozenset[str]:
        """What of their own all users have in every iteration: no value leaves it."""
        if self.unique:
            return frozenset()
        known = self.state.dataflows
        return frozenset(
            name
            for name in self.written & known.keys()
            if all(
                x in self.tags for user in known[name].users for x in self._names(user)
            )
            and all(
                flow.pairs.is_subset(self._equal(self.tags, *flow.ends))
                for flow in self._lifted(known[name].inner, own=True)
            )
        )

    def _names(self, user: Statement) -> list[str]:
        """Under which names a statement runs now."""
        now = self._now.get(user.name)
        return [user.name] if now is None else [name for name, _ in now]

    def dataflow(self, name: str, known: Dataflow) -> Dataflow:
        """The dataflow of a temporary or private scalar between what runs now."""
        own = name in self.expanded
        around = {
            new: (
                *(self._at[new] if own else ()),
                *known.around.get(user.name, ()),
            )
            for user in known.users
            for new in self._names(user)
        }
        return replace(
            known,
            users=tuple(self.state.nest.statements[x] for x in around),
            flow=tuple(self._lifted(known.flow, own=own)),
            around=around,
        )
