"""Values that flow from writes to reads, cell by cell.

A pair of instances tells nothing of a cell where one of them writes several and the
other one reads several, so each flow keeps the cell that it goes by (tagged accesses:
Verdoolaege, Cohen, "Live-range reordering", IMPACT 2016).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import islpy as isl

from looptx.model.records import dataclass

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out

START = "the start"
"""Stands for a statement before the nest that writes a cell in each instance."""

END = "the end"
"""Stands for a statement behind the nest that reads a cell in each instance."""

CELL = "cell"
"""The name of the space of cells."""


def renamed(pairs: isl.Map, names: Mapping[str, str]) -> isl.Map:
    """Pairs of instances of statements under other names."""
    for side in (_IN, _OUT):
        old = pairs.get_tuple_name(side)
        if old in names:
            pairs = pairs.set_tuple_name(side, names[old])
    return pairs


@dataclass(frozen=True, slots=True)
class Flow:
    """From writes of one statement to reads of another.

    Attributes:
        relation: ``{ source[x] -> [sink[y] -> cell[c]] }``.
    """

    relation: isl.Map

    @classmethod
    def by(cls, pairs: isl.Map, read: isl.Map) -> Flow:
        """Pairs of instances of which the second reads what the first wrote.

        Args:
            pairs: of instances. read: from the second to the cells that it reads.
        """
        return cls(pairs.apply_range(read.domain_map().reverse()))

    @classmethod
    def between(cls, pairs: isl.Map) -> Flow:
        """Pairs of instances, by no cell that matters."""
        # The range itself has as many parts as the pairs, and each would meet each.
        whole = isl.Map.from_domain(isl.Set.universe(pairs.get_space().range()))
        return cls.by(pairs, whole.set_tuple_name(_OUT, CELL))

    @property
    def source(self) -> str:
        """The statement that writes."""
        return str(self.relation.get_tuple_name(_IN))

    @property
    def sink(self) -> str:
        """The statement that reads."""
        return str(self._reads.get_tuple_name(_IN))

    @property
    def ends(self) -> tuple[str, str]:
        """The statement that writes, and the one that reads."""
        return self.source, self.sink

    @property
    def rank(self) -> int:
        """How many coordinates a cell has."""
        return int(self._reads.dim(_OUT))

    @property
    def _reads(self) -> isl.Space:
        return self.relation.get_space().range().unwrap()

    @property
    def pairs(self) -> isl.Map:
        """``{ source[x] -> sink[y] }``, by whatever cells."""
        return self.relation.range_factor_domain()

    @property
    def read(self) -> isl.Map:
        """``{ sink[y] -> cell[c] }``, whoever wrote it."""
        return self.relation.range().unwrap()

    def is_empty(self) -> bool:
        """Whether nothing flows."""
        return self.relation.is_empty()

    def at(self, side: isl.dim_type, now: isl.Map) -> Flow:
        """The flow with other instances on one side.

        Args:
            side: which side. now: from those before to those that stand for them.
        """
        if side == _IN:
            return Flow(self.relation.apply_domain(now))
        by_sink = self.relation.reverse().curry()
        return Flow(by_sink.apply_domain(now).uncurry().reverse())

    def named(self, names: Mapping[str, str]) -> Flow:
        """The flow between statements under other names."""
        by_source = renamed(self.relation, names)
        by_sink = renamed(by_source.reverse().curry(), names)
        return Flow(by_sink.uncurry().reverse())

    def among(self, pairs: isl.Map) -> Flow:
        """What flows between some pairs."""
        known = self.relation.uncurry().intersect_domain(pairs.wrap())
        return Flow(known.curry())

    def without(self, pairs: isl.Map) -> Flow:
        """What flows between other pairs."""
        return self.minus(self.among(pairs))

    def minus(self, other: Flow) -> Flow:
        """What does not flow in another flow of the same ends."""
        return Flow(self.relation - other.relation)

    def reading(self, read: isl.Map) -> Flow:
        """What flows into some reads: ``{ sink[y] -> cell[c] }``."""
        return Flow(self.relation.intersect_range(read.wrap()))

    def writing(self, written: isl.Map) -> Flow:
        """What flows from some writes: ``{ source[x] -> cell[c] }``."""
        by_cell = self.relation.range_reverse().uncurry()
        return Flow(by_cell.intersect_domain(written.wrap()).curry().range_reverse())


def pieces(union: isl.UnionMap) -> list[isl.Map]:
    """The relations, one for each pair of spaces, that another one is made of."""
    maps = union.get_map_list()
    return [maps.get_at(at) for at in range(maps.n_map())]


def last_writers(
    reads: isl.UnionMap, must: isl.UnionMap, may: isl.UnionMap, times: isl.UnionMap
) -> tuple[Flow, ...]:
    """From writes, and from the ``START``, to the reads that may see their values.

    Args:
        reads: from instances to cells. must, may: those that are written, or may be.
        times: when the instances run.
    """
    info = isl.UnionAccessInfo.from_sink(reads).set_must_source(must)
    info = info.set_may_source(may).set_schedule_map(times)
    found = info.compute_flow()
    known = [Flow(piece) for piece in pieces(found.get_full_may_dependence())]
    for read in pieces(found.get_may_no_source()):
        known.append(Flow(read.range_map().reverse().set_tuple_name(_IN, START)))
    return tuple(known)


def at_end(
    writes: isl.UnionMap, times: isl.UnionMap
) -> tuple[isl.UnionMap, isl.UnionMap]:
    """The reads of all written cells behind the nest, and times that say so.

    Args:
        writes: from instances to cells. times: of the instances.
    """
    if writes.is_empty():
        return isl.UnionMap.empty(times.get_space()), times
    found = pieces(times)
    length = found[0].dim(_OUT)
    later = isl.UnionMap.empty(times.get_space())
    for time in found:
        first = isl.Map.from_domain(time.domain()).add_dims(_OUT, 1)
        first = first.fix_val(_OUT, 0, isl.Val.zero(time.get_ctx()))
        later = later.union(isl.UnionMap.from_map(first.flat_range_product(time)))
    written = isl.Set.from_union_set(writes.range())
    left = isl.Set.identity(written).set_tuple_name(_IN, END)
    last = isl.Map.from_domain(left.domain()).add_dims(_OUT, length + 1)
    for at in range(length + 1):
        value = isl.Val.one(last.get_ctx()) if at == 0 else isl.Val.zero(last.get_ctx())
        last = last.fix_val(_OUT, at, value)
    return isl.UnionMap.from_map(left), later.union(isl.UnionMap.from_map(last))


def kept(flows: Iterable[Flow]) -> list[Flow]:
    """The flows by which anything flows."""
    return [one for one in flows if not one.is_empty()]
