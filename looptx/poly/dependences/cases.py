"""Iterations of a statement as a statement of their own: those that read one writer."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import islpy as isl

from looptx.model.moves import Case
from looptx.model.records import replace
from looptx.poly.dependences.flows import Flow, kept
from looptx.poly.dependences.memory_based import Dependence
from looptx.poly.dependences.privatization import Dataflow, touched
from looptx.poly.dependences.state import Lifting, State

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


class Cases(Lifting):
    """The same instances, some under another name.

    Args:
        state: what runs before. step: says which.

    Attributes:
        domains: of the statement under both names.
    """

    def __init__(self, state: State, step: Case) -> None:
        super().__init__(state, step.moved)
        self.step = step
        ((self.old, self.new),) = step.moved.items()
        every = state.domains[self.old]
        given = self._given(every)
        self.domains = {
            self.new: given.set_tuple_name(self.new),
            self.old: (every - given).coalesce(),
        }

    @property
    def gone(self) -> Collection[str]:
        """None: the other iterations keep the name."""
        return ()

    def _given(self, every: isl.Set) -> isl.Set:
        """The instances in which all the reads, as far as they happen, are of it."""
        state, step = self.state, self.step
        lives = state.dataflows if step.array in state.dataflows else state.origins
        reader = state.nest.statements[self.old]
        found = every
        for read in reader.accesses:
            if read.write or read.cell not in step.reads:
                continue
            happens = state.spaces.guarded(reader, read, every)
            use = state.map(self.old, step.reads[read.cell])
            use = use.set_tuple_name(_OUT, step.producer).intersect_domain(happens)
            own = every - happens
            for flow in lives[step.array].flow:
                if flow.ends == (step.producer, self.old):
                    cell = touched(state.spaces, reader, read, flow.rank)
                    own |= (use & flow.reading(cell).pairs.reverse()).domain()
            found &= own
        return found.coalesce()

    def _ends(self, name: str) -> list[str]:
        """Under which names a statement runs now."""
        return [self.new, self.old] if name == self.old else [name]

    def _lifted(self, pairs: isl.Map) -> Iterator[isl.Map]:
        """A relation between what runs now."""
        for first in self._ends(pairs.get_tuple_name(_IN)):
            for second in self._ends(pairs.get_tuple_name(_OUT)):
                found = pairs.set_tuple_name(_IN, first).set_tuple_name(_OUT, second)
                if first in self.domains:
                    found = found.intersect_domain(self.domains[first])
                if second in self.domains:
                    found = found.intersect_range(self.domains[second])
                if not found.is_empty():
                    yield found

    def dependences(self, known: Sequence[Dependence]) -> list[Dependence]:
        """The dependences between what runs now."""
        statements = self.state.nest.statements
        return [
            replace(
                one,
                source=statements[pairs.get_tuple_name(_IN)],
                sink=statements[pairs.get_tuple_name(_OUT)],
                relation=pairs,
            )
            for one in known
            for pairs in self._lifted(one.relation)
        ]

    def flows(self, name: str, known: Sequence[Flow]) -> list[Flow]:
        """The flows of an array or scalar, between what runs now."""
        return kept(found for one in known for found in self._ways(one))

    def _ways(self, flow: Flow) -> Iterator[Flow]:
        """A flow between what runs now."""
        for source in self._ends(flow.source):
            one = flow.at(_IN, self._now(source)) if source in self.domains else flow
            for sink in self._ends(flow.sink):
                yield one.at(_OUT, self._now(sink)) if sink in self.domains else one

    def _now(self, name: str) -> isl.Map:
        """From the statement as it was to what runs under one of its names."""
        return isl.Set.identity(self.domains[name]).set_tuple_name(_IN, self.old)

    def dataflow(self, name: str, known: Dataflow) -> Dataflow:
        """The dataflow of an array or scalar as it is now."""
        names = [new for user in known.users for new in self._ends(user.name)]
        around = dict(known.around)
        if self.old in around:
            around[self.new] = around[self.old]
        return replace(
            known,
            users=tuple(self.state.nest.statements[x] for x in names),
            flow=tuple(self.flows(name, known.flow)),
            around=around,
        )
