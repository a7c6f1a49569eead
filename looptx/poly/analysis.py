"""One nest analysed: its dependences once, then any number of schedules judged."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress

import islpy as isl

from looptx.errors import Unproven
from looptx.looptree.nodes import Block
from looptx.looptree.planned import Final
from looptx.model.cells import only_reduced
from looptx.model.expr import Compare, Cond, Var
from looptx.model.moves import Cache, Factor, Step
from looptx.model.moves.cutting import Parts, with_cuts
from looptx.model.moves.promises import promised
from looptx.model.program import Nest, Reduction
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Dim, Schedule, bands, statements
from looptx.model.shapes import extent
from looptx.poly import bounds
from looptx.poly.budget import HINT_OPERATIONS, budget
from looptx.poly.codegen.generator import generate
from looptx.poly.delinearization import (
    Axis,
    Delinearization,
    inside,
    with_products,
)
from looptx.poly.dependences.legality import (
    Violation,
    carried,
    carried_reductions,
    relaxed,
    violations,
)
from looptx.poly.dependences.memory_based import Dependence, dependences, wrapping
from looptx.poly.dependences.origins import Origins
from looptx.poly.dependences.passing import passing
from looptx.poly.dependences.privatization import dataflows
from looptx.poly.dependences.program import Program, moved
from looptx.poly.dependences.reruns import conflicts
from looptx.poly.dependences.stages import Stages
from looptx.poly.dependences.verdict import severity
from looptx.poly.finals import check_last, finals
from looptx.poly.spaces import Spaces
from looptx.poly.storage.buffers import Storage, storage
from looptx.poly.storage.temporary_bounds import check_lives, check_temporaries


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a schedule is not safe; ``dim`` is the loop that carries it, if one does."""

    violation: Violation
    dim: Dim | None = None


class Analysis:
    """The dependences of a nest under what the user assumes; call inside ``budget()``.

    Args:
        nest: the nest.
        assumes: conditions that hold on entry.
        independent: arrays the user vouches for.
        integers: targets whose arithmetic is exact in any order.
        temporaries: arrays with cells of their own where their values allow it.
        cuts: what is cut in the schedules that are judged; others are, too, but each
            other way to cut takes as long as the nest itself.
        copied: as of ``Delinearization.told``, in these schedules, likewise.

    Attributes:
        unclear: a temporary whose cells cannot be told, and LX207.
    """

    def __init__(
        self,
        nest: Nest,
        assumes: tuple[Cond, ...] = (),
        independent: frozenset[str] = frozenset(),
        integers: frozenset[str] = frozenset(),
        temporaries: frozenset[str] = frozenset(),
        cuts: tuple[Parts, ...] = (),
        copied: frozenset[str] = frozenset(),
    ) -> None:
        self.nest = nest
        self.assumes = assumes
        self.independent = independent
        self.integers = integers
        self.cuts = cuts
        self.copied = copied
        nest = with_cuts(nest, cuts)
        self.sizes = Spaces(nest, assumes)
        check_last(self.sizes)
        self.unclear = check_temporaries(self.sizes, temporaries)
        self.temporaries = frozenset() if self.unclear else temporaries
        self.spaces = Spaces(nest, assumes, known=True)
        self.wraps = wrapping(self.spaces) - self.temporaries
        if self.wraps:
            made = (*assumes, *_made(nest, self.wraps))
            self.spaces = Spaces(nest, made, self.wraps, known=True)
        self._safe = None if self.wraps else self.spaces.context
        digits = Delinearization(self.spaces)
        told = self.spaces.extended(digits.told(), ())
        self.spaces = self.spaces.extended(digits.told(copied), ()) if copied else told
        lives = dataflows(
            self.spaces, self.temporaries, self.safe if self.wraps else None
        )
        self.unclear = self.unclear or check_lives(nest.asked.scratch, lives)
        found = dependences(told, lives, independent)
        if copied:
            found = [*_without_digits(found, told.nest, self.spaces.nest)]
        self.source = Program(self.spaces, found, lives, {}, {}, Origins(self.spaces))
        self._stages = Stages(self.spaces, found, lives)
        self._moved: tuple[tuple[Step, ...], Program] = ((), self.source)
        self._other = self

    def program(self, schedule: Schedule) -> Program:
        """What runs under a schedule, and in which order it has to."""
        own = self.of(schedule)
        if not schedule.moves:
            return own.source
        if schedule.moves != own._moved[0]:
            own._moved = schedule.moves, moved(own._stages, schedule)
        return own._moved[1]

    @classmethod
    def under(
        cls, nest: Nest, schedule: Schedule, integers: frozenset[str] = frozenset()
    ) -> Analysis:
        """A nest under what a schedule asserts, and as it is cut there.

        Args:
            nest: as in the source. schedule: the schedule.
            integers: targets whose arithmetic is exact in any order.
        """
        return cls(
            promised(nest, schedule.scratch),
            schedule.assumes,
            schedule.independent,
            integers,
            schedule.temporaries,
            schedule.cuts,
            _copied(nest, schedule),
        )

    def of(self, schedule: Schedule) -> Analysis:
        """The nest as a schedule cuts it, and copies its cells."""
        copied = _copied(self.nest, schedule)
        for known in (self, self._other):
            if (known.cuts, known.copied) == (schedule.cuts, copied):
                return known
        self._other = Analysis(
            self.nest,
            self.assumes,
            self.independent,
            self.integers,
            self.temporaries,
            schedule.cuts,
            copied,
        )
        return self._other

    def safe(self) -> isl.Set:
        """The sizes that the proof is about: for all others every run raises.

        They are asked for late, as it can take isl longer to say them than to prove.
        """
        if self._safe is None:
            self._safe = bounds.safe_sizes(self.spaces, self.wraps, raising=True)
        return self._safe

    def fault(self, schedule: Schedule, aside: Collection[str] = ()) -> Fault | None:
        """The most telling reason why a schedule is not safe; None when it is.

        Args:
            schedule: the schedule. aside: statements that do not matter yet.
        """
        return self.disorder(schedule, aside) or self.race(schedule)

    def disorder(self, schedule: Schedule, aside: Collection[str] = ()) -> Fault | None:
        """Two instances that no longer run in their order, if there are any.

        Args:
            schedule: the schedule. aside: statements that do not matter yet.
        """
        program = self.program(schedule)
        schedule = program.busy(schedule)
        found = violations(program, schedule, self.integers, self.safe, aside)
        broken = sorted(found, key=severity)
        return Fault(broken[0]) if broken else None

    def race(self, schedule: Schedule) -> Fault | None:
        """Two instances that run together but must not, if there are any."""
        program = self.program(schedule)
        schedule = program.busy(schedule)
        together = self.concurrent(schedule)
        if not together:
            return None
        strict = [
            dependence
            for dependence in (*program.dependences, *conflicts(program))
            if not relaxed(dependence, schedule, self.integers)
        ]
        for dim in together:
            found = sorted(
                carried(program.spaces, strict, schedule, dim, self.safe), key=severity
            )
            if found:
                return Fault(found[0], dim)
        return None

    def telling(self, violation: Violation) -> Violation:
        """The violation in runs that end without an exception, if there are any.

        Where isl takes long to say which these are, all runs have to do.
        """
        arrays = frozenset(self.nest.arrays) - self.temporaries
        with suppress(Unproven), budget(HINT_OPERATIONS):
            everything = Spaces(self.nest, self.spaces.assumes, arrays, known=True)
            inside = bounds.safe_sizes(everything, self.wraps)
            inside = inside & bounds.with_cells(everything)
            ending = self.spaces.told(everything, inside)
            relation = violation.relation.intersect_params(ending)
            if not relation.is_empty():
                return replace(violation, relation=relation)
        return violation

    def concurrent(self, schedule: Schedule) -> list[Dim]:
        """The dimensions whose iterations run together."""
        return [band.dim for band in bands(schedule.tree) if band.dim.marks.together]

    def reductions(self, schedule: Schedule) -> Mapping[int, tuple[Reduction, ...]]:
        """The reductions each concurrent dimension has to combine."""
        program = self.program(schedule)
        schedule = program.busy(schedule)
        found = {
            dim.uid: carried_reductions(
                program, schedule, self.integers, dim, self.safe
            )
            for dim in self.concurrent(schedule)
        }
        return {uid: items for uid, items in found.items() if items}

    def passing(self, schedule: Schedule) -> Mapping[int, tuple[str, ...]]:
        """The scalars that threads, and lanes, would set and others not see."""
        program = self.program(schedule)
        schedule, reductions = program.busy(schedule), self.reductions(schedule)
        found = {}
        for dim in self.concurrent(schedule):
            if dim.marks.parallel is None and dim.marks.vectorize is None:
                continue
            targets = {x.target.array for x in reductions.get(dim.uid, ())}
            found[dim.uid] = passing(program, schedule, dim, targets)
        return {uid: names for uid, names in found.items() if names}

    def uncombined(self, schedule: Schedule) -> tuple[Dim, Reduction] | None:
        """A parallel loop and an array it reduces into but also uses otherwise."""
        reductions, program = self.reductions(schedule), self.program(schedule)
        nest = program.spaces.nest
        for band in bands(program.busy(schedule).tree):
            if band.dim.marks.apart:
                users = [nest.statements[name] for name in statements(band)]
                for reduction in reductions.get(band.dim.uid, ()):
                    cells = reduction.target.subscripts
                    if cells and not only_reduced(nest, users, reduction):
                        return band.dim, reduction
        return None

    def storage(self, schedule: Schedule) -> Storage:
        """The storage of temporaries, and of scalars the schedule needs as arrays."""
        program = self.program(schedule)
        spaces = program.spaces if schedule.moves else self.of(schedule).sizes
        return storage(spaces, program.busy(schedule), program.dataflows)

    def finals(self) -> tuple[Final, ...]:
        """What loop variables hold after the nest."""
        return finals(self.sizes)

    def in_bounds(self) -> Cond:
        """When every affine access stays inside its array."""
        return bounds.in_bounds(self._with_extents(), self.wraps)

    def digits(self, schedule: Schedule) -> Mapping[Axis, Cond]:
        """When subscripts are inside their axes that are not affine but have digits.

        Args:
            schedule: says which statements run.
        """
        arrays = frozenset(self.nest.arrays) - self.temporaries - self.wraps
        return inside(self.program(schedule).spaces, arrays)

    def _with_extents(self) -> Spaces:
        arrays = frozenset(self.nest.arrays) - self.temporaries
        return Spaces(self.nest, self.assumes, arrays, known=True)

    def loops(self, schedule: Schedule, storage: Storage | None = None) -> Block:
        """The generated loops; with their storage, the places of all cells, too."""
        if storage is None:
            program = self.program(schedule)
            spaces = program.spaces if schedule.moves else self.of(schedule).sizes
            return generate(spaces, program.busy(schedule))
        return generate(storage.spaces, storage.schedule)


def _made(nest: Nest, arrays: frozenset[str]) -> Iterator[Cond]:
    """The extents that the source gives to arrays it allocates for the nest."""
    for name in sorted(arrays & nest.allocations.keys()):
        for axis, size in enumerate(nest.allocations[name].shape):
            text = extent(name, axis)
            yield Compare("==", Var(nest.entry.equal.get(text, text)), size)


def _without_digits(
    found: Sequence[Dependence], told: Nest, nest: Nest
) -> Iterator[Dependence]:
    """Dependences of accesses some of which have no digits any more.

    Args:
        found: the dependences. told, nest: the nest, with and without them.
    """
    known = {
        (name, old): new
        for name, one in told.statements.items()
        for old, new in zip(one.accesses, nest.statements[name].accesses, strict=True)
    }
    for one in found:
        source, sink = one.source.name, one.sink.name
        yield replace(
            one,
            source=nest.statements[source],
            sink=nest.statements[sink],
            source_access=known[source, one.source_access],
            sink_access=known[sink, one.sink_access],
        )


def _copied(nest: Nest, schedule: Schedule) -> frozenset[str]:
    """The arrays that digits would tell, and that made statements use cells of."""
    made = {x.array for x in schedule.moves if isinstance(x, Cache | Factor)}
    return frozenset(made & {*with_products(nest)} if made else ())
