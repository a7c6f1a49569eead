"""What runs after some steps of a schedule, and what the next one makes of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence

import islpy as isl

from looptx.model.elements import Access
from looptx.model.expr import IntExpr
from looptx.model.program import Nest
from looptx.model.records import dataclass, field
from looptx.poly.dependences.flows import Flow
from looptx.poly.dependences.memory_based import Dependence
from looptx.poly.dependences.privatization import Dataflow, touched
from looptx.poly.spaces import Spaces

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


@dataclass(slots=True)
class State:
    """What runs, after some of the steps.

    Attributes:
        nest: with the statements before and after all steps.
        spaces: of it, with the instances of what runs.
        flows: by array or scalar, from which writes to which reads its values flow.
        dataflows: of temporaries and private scalars. origins: of others, whose values
            are computed where they are read, with what is read at the ``END``.
    """

    nest: Nest
    spaces: Spaces
    flows: dict[str, list[Flow]] = field(default_factory=dict)
    dataflows: dict[str, Dataflow] = field(default_factory=dict)
    origins: dict[str, Dataflow] = field(default_factory=dict)

    @property
    def domains(self) -> Mapping[str, isl.Set]:
        """The instances of what runs."""
        return self.spaces.domains

    def map(self, name: str, values: Sequence[IntExpr]) -> isl.Map:
        """``{ statement[x] -> [values] }`` for its instances."""
        loops = self.nest.statements[name].loops
        found = self.spaces.map(name, loops, values)
        return found.intersect_domain(self.domains[name])

    def cell(self, name: str, access: Access) -> isl.Map:
        """``{ statement[x] -> cell[c] }`` of an access of a statement."""
        statement, rank = self.nest.statements[name], len(access.coordinates)
        return touched(self.spaces, statement, access, rank)

    def accessed(self, names: Collection[str], *, write: bool) -> frozenset[str]:
        """The arrays and scalars that some statements write, or read."""
        return frozenset(
            access.array
            for name in names
            for access in self.nest.statements[name].accesses
            if access.write == write
        )


class Lifting(ABC):
    """What relates the instances that run after a step, by what did before it.

    Args:
        state: what runs before; its nest has the statements that the step changes.
        names: of those, before and now.

    Attributes:
        domains: the instances that are others now, by the name of their statement.
    """

    domains: dict[str, isl.Set]

    def __init__(self, state: State, names: Mapping[str, str]) -> None:
        self.state = state
        self.names = names

    @property
    def gone(self) -> Collection[str]:
        """The statements that run no more."""
        return self.names

    @abstractmethod
    def dependences(self, known: Sequence[Dependence]) -> list[Dependence]:
        """The dependences between what runs now."""

    @abstractmethod
    def flows(self, name: str, known: Sequence[Flow]) -> list[Flow]:
        """The flows of an array or scalar, between what runs now."""

    def values(self, name: str, known: Sequence[Flow]) -> list[Flow]:
        """The same for all runs of an instance that runs several times."""
        return self.flows(name, known)

    @abstractmethod
    def dataflow(self, name: str, known: Dataflow) -> Dataflow | None:
        """The dataflow of an array or scalar as it is now; None where nothing is."""

    def made(self) -> dict[str, Dataflow]:
        """The dataflow of a new array or scalar, by its name."""
        return {}

    def before(self, old: str) -> isl.Map:
        """``{ new[x] -> old[x] }`` for the instances of a statement."""
        own = isl.Set.identity(self.domains[self.names[old]])
        return own.set_tuple_name(_OUT, old)

    def places(self) -> dict[str, dict[str, isl.PwAff]]:
        """What statements need besides loops, under their new names."""
        known, found = self.state.spaces.places, dict[str, dict[str, isl.PwAff]]()
        for old in self.names.keys() & known.keys():
            there = isl.PwMultiAff.from_map(self.before(old))
            found[self.names[old]] = {
                place: value.pullback_pw_multi_aff(there)
                for place, value in known[old].items()
            }
        return found
