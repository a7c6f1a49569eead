"""A nest under a schedule's moves: which instances run, and what they have to keep.

The dependences of the source are between instances of the source. A statement that
moved (see ``model.moves``) has instances of its own, each a copy of one of the source;
each dependence is lifted to them:

- an instance that runs once keeps all its dependences;
- copies of one instance keep those that others have with it, all of them: what they
  read is written before the first, and changes after the last;
- but of the cells that the moved statements write themselves, each iteration of the
  loop they moved into has its own: dependences by those cells are kept inside it.

The last is the view of array expansion (Feautrier, "Array expansion", ICS 1988). Where
storage is not expanded, as it is for temporaries, ``reruns`` sees that every read gets
the same value all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import islpy as isl

from looptx.errors import Unproven
from looptx.model.expr import IntExpr, Var
from looptx.model.moves import Move, When
from looptx.model.program import Nest
from looptx.model.schedule import Schedule, running
from looptx.poly.dependences.memory_based import Dependence
from looptx.poly.dependences.order import SourceTimes
from looptx.poly.dependences.privatization import Dataflow, dataflow, users
from looptx.poly.spaces import Spaces

_SET, _IN, _OUT = isl.dim_type.set, isl.dim_type.in_, isl.dim_type.out

Tags: TypeAlias = Mapping[str, tuple[IntExpr, ...]]
"""``{statement: the iteration of a loop that it runs in}``."""

Relation: TypeAlias = tuple[str, str, isl.Map]
"""Pairs of instances of two statements."""


@dataclass(frozen=True, slots=True)
class Program:
    """What runs, and in which order it has to.

    Attributes:
        spaces: with the statements under their new names, and when they run.
        dependences: that every order has to keep.
        dataflows: of temporaries and private scalars.
        shared: the arrays with cells that several iterations write again, each with
            the pairs of instances in which a read gets its value from a write.
        tags: for each of them, and each move of what writes it, in which iteration of
            the loop it moved into a statement runs.
    """

    spaces: Spaces
    dependences: Sequence[Dependence]
    dataflows: Mapping[str, Dataflow]
    shared: Mapping[str, Sequence[isl.Map]]
    tags: Mapping[str, Sequence[Tags]]


def moved(source: Program, schedule: Schedule) -> Program:
    """The program of a schedule's moves.

    Args:
        source: the program of the source.
        schedule: the schedule.

    Raises:
        Unproven: LX203 where it cannot be told what an iteration needs.
    """
    if not schedule.moves:
        return source
    stage = _Stage(source, schedule.nest)
    for move in schedule.moves:
        stage.know(move)
    for move in schedule.moves:
        stage.move(move)
    return stage.program(running(schedule))


class _Stage:
    """The program after some of the moves."""

    def __init__(self, source: Program, nest: Nest) -> None:
        self.source = source
        self.nest = nest
        self.spaces = source.spaces.extended(nest, ())
        given = source.spaces.nest.statements
        self.domains: dict[str, isl.Set] = {
            name: source.spaces.domain(one) for name, one in given.items()
        }
        self.spaces.domains = self.domains
        self.origin = {name: name for name in given}
        self.dependences = list(source.dependences)
        self.flows: dict[str, list[isl.Map]] = {}
        self.ranges: dict[str, Dataflow] = dict(source.dataflows)
        self.values: dict[str, list[isl.Map]] = {}
        self.tags: dict[str, list[dict[str, tuple[IntExpr, ...]]]] = {}

    def program(self, nest: Nest) -> Program:
        """The program, whose nest has what runs."""
        values = {name: self.values[name] for name in self.tags}
        spaces = self.spaces.extended(nest, ())
        return Program(spaces, self.dependences, self.ranges, values, self.tags)

    def move(self, move: Move) -> None:
        """Let statements move."""
        written = self._written(move)
        copies = _Copies(self, move, written)
        for old, new in move.moved.items():
            self.origin[new] = self.origin[old]
        self._lift(copies)
        self.domains.update(copies.domains)
        for old in move.moved:
            if move.kept:
                self.domains[old] = self.domains[old] - copies.ran[old]
            else:
                del self.domains[old]

    def _lift(self, copies: _Copies) -> None:
        """The dependences and flows between what runs now."""
        statements = self.nest.statements
        self.dependences = [
            replace(
                one, source=statements[source], sink=statements[sink], relation=pairs
            )
            for one in self.dependences
            for source, sink, pairs in copies.lifted(
                (one.source.name, one.sink.name, one.relation),
                _cells(one, copies),
            )
        ]
        for name, flow in self.flows.items():
            self.flows[name] = copies.all_lifted(flow, name in copies.written)
        for name, known in self.ranges.items():
            self.ranges[name] = copies.dataflow(name, known)
        for name, values in self.values.items():
            self.values[name] = copies.all_lifted(values, own=False)
        for tags in (one for several in self.tags.values() for one in several):
            tags.update(
                (new, tags[old]) for old, new in copies.move.moved.items() if old in tags
            )
        if not copies.unique:
            for name in copies.written - copies.expanded:
                self.tags.setdefault(name, []).append(copies.tags())

    def _written(self, move: Move) -> frozenset[str]:
        """What the moved statements write."""
        found = frozenset(
            access.array
            for name in move.moved
            for access in self.nest.statements[name].accesses
            if access.write
        )
        for name in sorted(found):
            others = self.nest.others(name) & {*self.nest.arrays}
            if others or frozenset((name,)) in self.nest.aliases:
                raise Unproven(
                    "LX203",
                    f"unknown: what an iteration needs of `{name}`, which may share"
                    " memory with other arrays",
                    hint="move nests whose results are arrays of their own",
                )
        return found

    def know(self, move: Move) -> None:
        """Have the dataflow of what statements write, or wait for, that will move."""
        names = set(self._written(move))
        if move.when is When.COMPLETE:
            names |= self.awaited(move)
        nest = self.source.spaces.nest
        order = SourceTimes(self.source.spaces)
        for name in sorted(names - self.flows.keys()):
            own = users(nest, name)
            found = dataflow(self.source.spaces, order, name, own, end=True)
            self.flows[name] = list(found.flow)
            self.values[name] = list(found.flow)

    def awaited(self, move: Move) -> set[str]:
        """What statements in a loop write and those that move into it read."""
        known = self.nest.statements
        read = {
            access.array
            for name in move.moved
            for access in known[name].accesses
            if not access.write
        }
        return {
            access.array
            for name in move.inside
            for access in known[name].accesses
            if access.write and access.array in read
        }


def _cells(dependence: Dependence, copies: _Copies) -> bool:
    """Whether a dependence is by cells that the moved statements write."""
    return dependence.source_access.array in copies.written


class _Copies:
    """The instances of statements that move.

    Attributes:
        written: the arrays and scalars that they write.
        domains: their instances, under their new names. ran: under the old ones.
        unique: whether each runs once.
        expanded: which of ``written`` have cells of their own in every iteration.
    """

    def __init__(self, stage: _Stage, move: Move, written: frozenset[str]) -> None:
        self.stage = stage
        self.spaces = stage.spaces
        self.move = move
        self.written = written
        self.count = len(move.coordinates)
        needed = self._needed()
        self.unique = all(one.reverse().is_single_valued() for one in needed.values())
        self.ran = {name: one.range() for name, one in needed.items()}
        self.domains = {
            move.moved[name]: one.wrap().flatten().set_tuple_name(move.moved[name])
            for name, one in needed.items()
        }
        self.copy = {
            name: self._copy(name, one) for name, one in self.domains_by_old().items()
        }
        self.expanded = self._expanded()

    def domains_by_old(self) -> dict[str, isl.Set]:
        """The instances of each statement that moves."""
        return {old: self.domains[new] for old, new in self.move.moved.items()}

    def _copy(self, old: str, domain: isl.Set) -> isl.Map:
        """``{ old[x] -> new[c, x] }``."""
        own = isl.Set.identity(domain).project_out(_IN, 0, self.count)
        return own.set_tuple_name(_IN, old)

    def _at(self, name: str) -> isl.Map:
        """``{ statement[x] -> [coordinates] }`` of a statement in the loop."""
        loops = self.stage.nest.statements[name].loops
        at = self.spaces.map(name, loops, self.move.inside[name])
        return at.intersect_domain(self.stage.domains[name])

    def _level(self, name: str) -> isl.Map:
        """``{ statement[x] -> [positions in the loops that were around before] }``."""
        loops = self.stage.nest.statements[name].loops
        return self.spaces.map(name, loops, self.move.common[name])

    def _together(self, first: str, second: str) -> isl.Map:
        """Pairs of instances in one iteration of the loops around before."""
        return self._level(first).apply_range(self._level(second).reverse())

    def _flow(self) -> list[Relation]:
        """From writes to reads, in one iteration of the loops around before."""
        return [
            (source, sink, piece & self._together(source, sink))
            for name in self._exchanged()
            for piece in self.stage.flows[name]
            for source, sink in [_ends(piece)]
            if {source, sink} <= {*self.move.moved, *self.move.inside}
        ]

    def _exchanged(self) -> list[str]:
        """What the moved statements write, and what they wait for."""
        names = set(self.written)
        if self.move.when is When.COMPLETE:
            names |= self.stage.awaited(self.move)
        return sorted(names)

    def _needed(self) -> dict[str, isl.Map]:
        """``{ [coordinates] -> statement[x] }``: when each statement runs."""
        moved, flow = self.move.moved, self._flow()
        chain = isl.UnionMap.empty(self.spaces.params_space())
        for source, sink, pairs in flow:
            if source in moved and sink in moved:
                chain = chain.union(isl.UnionMap.from_map(pairs))
        chain = _closed(chain)
        if self.move.when is When.COMPLETE:
            return self._completed(flow, chain)
        first = isl.UnionMap.empty(self.spaces.params_space())
        for source, sink, pairs in flow:
            if source in moved and sink in self.move.inside:
                there = self._at(sink).reverse().apply_range(pairs.reverse())
                first = first.union(isl.UnionMap.from_map(there))
        every = first.union(first.apply_range(chain.reverse()))
        return {name: self._when(name, every) for name in moved}

    def _when(self, name: str, every: isl.UnionMap) -> isl.Map:
        """When a statement runs, of all iterations that need it."""
        space = self._space(name)
        found = every.extract_map(space).intersect_range(self.stage.domains[name])
        if self.move.when is When.FIRST:
            found = found.reverse().lexmin().reverse()
        return found.coalesce()

    def _completed(
        self, flow: Sequence[Relation], chain: isl.UnionMap
    ) -> dict[str, isl.Map]:
        """When statements run that wait for what they read."""
        moved = self.move.moved
        last: dict[str, isl.Map] = {}
        for name in moved:
            found = isl.Map.empty(self._space(name))
            for source, sink, pairs in flow:
                if sink == name and source in self.move.inside:
                    found |= self._at(source).reverse().apply_range(pairs)
            last[name] = found.reverse().lexmax()
        # What reads nothing there but is read by what does comes with the first of it.
        for name in moved:
            found = isl.Map.empty(last[name].get_space())
            for other in moved:
                pair = isl.Map.empty(
                    self._space(name).range().map_from_domain_and_range(
                        self._space(other).range()
                    )
                ).get_space()
                after = chain.extract_map(pair)
                found |= after.apply_range(last[other])
            early = found.intersect_domain(
                self.stage.domains[name] - last[name].domain()
            ).lexmin()
            last[name] = last[name] | early
        return {
            name: one.intersect_domain(self.stage.domains[name]).reverse().coalesce()
            for name, one in last.items()
        }

    def _space(self, name: str) -> isl.Space:
        """The space of ``{ [coordinates] -> statement[x] }``."""
        loops = len(self.stage.nest.statements[name].loops)
        ours = self.spaces.space("", self.count).reset_tuple_id(_SET)
        return ours.map_from_domain_and_range(self.spaces.space(name, loops))

    def _names(self, name: str) -> list[tuple[str, isl.Map | None]]:
        """Under which names a statement runs now, and how its instances are copied."""
        if name not in self.move.moved:
            return [(name, None)]
        found: list[tuple[str, isl.Map | None]] = [
            (self.move.moved[name], self.copy[name])
        ]
        if self.move.kept:
            rest = self.stage.domains[name] - self.ran[name]
            found.append((name, isl.Set.identity(rest)))
        return found

    def lifted(self, relation: Relation, own: bool) -> list[Relation]:
        """A relation between what runs now.

        Args:
            relation: between what ran before.
            own: whether it is by cells that each iteration of the loop has for itself.
        """
        source, sink, pairs = relation
        result: list[Relation] = []
        for first, ours in self._names(source):
            for second, theirs in self._names(sink):
                found = pairs
                if ours is not None:
                    found = ours.reverse().apply_range(found)
                if theirs is not None:
                    found = found.apply_range(theirs)
                if own and not self.unique:
                    found = self.inside_one(first, second, found)
                if not found.is_empty():
                    result.append((first, second, found))
        return result

    def all_lifted(self, pairs: Sequence[isl.Map], own: bool) -> list[isl.Map]:
        """Relations between what runs now."""
        return [
            found
            for one in pairs
            for _, _, found in self.lifted((*_ends(one), one), own)
        ]

    def coordinates(self, name: str) -> tuple[IntExpr, ...] | None:
        """In which iteration of the loop a statement runs, if it is in it."""
        if name in self.domains:
            return tuple(map(Var, self.move.coordinates))
        return self.move.inside.get(name)

    def tags(self) -> dict[str, tuple[IntExpr, ...]]:
        """In which iteration of the loop all statements run that are in it."""
        own = dict.fromkeys(self.domains, tuple(map(Var, self.move.coordinates)))
        return {**self.move.inside, **own}

    def inside_one(self, first: str, second: str, pairs: isl.Map) -> isl.Map:
        """The pairs that are in one iteration of the loop, as far as both are in it."""
        ours, theirs = self.coordinates(first), self.coordinates(second)
        if ours is None or theirs is None:
            return pairs
        known = self.stage.nest.statements
        one = self.spaces.map(first, known[first].loops, ours)
        other = self.spaces.map(second, known[second].loops, theirs)
        return pairs & one.apply_range(other.reverse())

    def _expanded(self) -> frozenset[str]:
        """What of their own all users have in every iteration."""
        if self.unique:
            return frozenset()
        nest = self.stage.nest
        return frozenset(
            name
            for name in self.written & self.stage.ranges.keys()
            if all(
                (user.name in self.move.moved and not self.move.kept)
                or user.name in self.move.inside
                for user in self.stage.ranges[name].users
            )
        )

    def dataflow(self, name: str, known: Dataflow) -> Dataflow:
        """The dataflow of a temporary or private scalar between what runs now."""
        own = name in self.expanded
        new = [x for user in known.users for x, _ in self._names(user.name)]
        before = {y: x for x, y in self.move.moved.items()}
        around = {
            user: (
                *(self.coordinates(user) or () if own else ()),
                *known.around.get(before.get(user, user), ()),
            )
            for user in new
        }
        first = known.first
        for old, copy in self.copy.items():
            pieces = isl.UnionMap.from_map(copy.reverse())
            there = first.intersect_domain(
                isl.UnionSet.from_set(self.stage.domains[old])
            )
            first = first.subtract(there).union(pieces.apply_range(there))
        return replace(
            known,
            users=tuple(self.stage.nest.statements[x] for x in new),
            flow=tuple(self.all_lifted(known.flow, own)),
            first=first,
            around=around,
        )


def _ends(pairs: isl.Map) -> tuple[str, str]:
    """The statements of a relation."""
    return pairs.get_tuple_name(_IN), pairs.get_tuple_name(_OUT)


def _closed(chain: isl.UnionMap) -> isl.UnionMap:
    """The transitive closure of a relation. Raises Unproven where isl has none."""
    result, power = chain, chain
    for _ in range(_MOST_STEPS):
        power = power.apply_range(chain)
        if power.is_subset(result):
            return result
        result = result.union(power).coalesce()
    closed, exact = chain.transitive_closure()
    if not exact:
        raise Unproven(
            "LX203",
            "unknown: which iterations of the nest an iteration of the loop needs",
            hint="leave this directive out",
        )
    return closed


_MOST_STEPS = 2
"""How often a relation is composed with itself before isl is asked for its closure."""
