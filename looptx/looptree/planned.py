"""A nest with its proven schedule, ready to print."""

from __future__ import annotations

from collections.abc import Mapping

from looptx.looptree.nodes import Block, Call, For
from looptx.looptree.walk import nodes
from looptx.model.expr import Cond, IntExpr, Var
from looptx.model.program import Nest, Reduction
from looptx.model.records import dataclass, field
from looptx.model.schedule import Schedule, has_loops_of_source
from looptx.model.storage import Allocation, Buffer


@dataclass(frozen=True, slots=True)
class Final:
    """The value Python leaves in a loop variable: the first case whose condition holds.

    When none holds the loop never ran and the variable keeps what it had.
    """

    var: str
    cases: tuple[tuple[Cond, IntExpr], ...]


@dataclass(frozen=True, slots=True)
class Planned:
    """A nest, its schedule, and the loops that carry it out.

    Attributes:
        body: the loops, ready to be lowered or written.
        buffers: the storage of temporaries, and of scalars that became arrays; the
            statements use them. plain: those that a variable holds in Python.
        memory: what each ``temp`` saves, one line each.
        ordered: which loops run in order whatever was asked, and why, likewise.
        finals: values to restore in loop variables that are read after the nest.
        in_bounds: a condition over parameters and ``A.shape[k]`` texts, true only if
            every affine access stays inside its array (``0 <= s < shape``); negative
            subscripts allowed for arrays in ``wraps`` (``-shape <= s``). None where
            it was not asked for, as by loops that are only to be written in Python.
        digits: by statement, array and axis, when all subscripts are inside that are
            not affine, where their digits tell that (``i * w + j``).
        wraps: arrays with an access whose subscript may be negative.
        unchecked: arrays with a subscript that is not affine (checked while running).
        reductions: ``{dim uid: reductions}`` carried by a parallel or vector loop.
        always: what is to hold at every iteration of a statement (over its loops), and
            the condition over parameters under which it does.
        notes: what else there is to say of the loops, one line each.
    """

    nest: Nest
    schedule: Schedule
    body: Block
    buffers: tuple[Buffer, ...]
    finals: tuple[Final, ...]
    in_bounds: Cond | None
    wraps: frozenset[str]
    unchecked: frozenset[str]
    reductions: Mapping[int, tuple[Reduction, ...]]
    digits: Mapping[tuple[str, str, int], Cond] = field(default_factory=dict)
    plain: frozenset[str] = frozenset()
    memory: tuple[str, ...] = ()
    ordered: tuple[str, ...] = ()
    always: Mapping[tuple[str, Cond], Cond] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def effects(self) -> tuple[str, ...]:
        """What the directives brought about: the lines of comments."""
        return (*self.nest.asked.told, *self.memory)

    @property
    def said(self) -> tuple[str, ...]:
        """The lines of reports of native code."""
        return (*self.effects, *self.ordered)

    @property
    def whole(self) -> tuple[str, ...]:
        """The arrays of the source that statements on arrays write."""
        parts = (x for x in self.nest.statements.values() if x.elementwise)
        written = (x.array for one in parts for x in one.accesses if x.write)
        return tuple(dict.fromkeys(map(self._source, written)))

    def _source(self, array: str) -> str:
        """The array that a buffer of a directive is a part of, or the array itself."""
        own = self.nest.allocations.get(array)
        return self._source(own.of) if own is not None and own.of else array

    @property
    def unused(self) -> tuple[Allocation, ...]:
        """The allocations of temporaries that nothing uses any more."""
        used = {buffer.name for buffer in self.buffers}
        own = self.nest.allocations
        gone = self.schedule.temporaries - self.schedule.scratch.keys() - used
        return tuple(own[x] for x in sorted(gone))

    def lost_in_exceptions(self, block: Block) -> tuple[str, ...]:
        """What is read after an exception in the nest and may hold another value then.

        Scalars get their values in the order of the source where the loops are its own;
        loop variables keep theirs if their loops are still there, each with its values.

        Args:
            block: the loops as they are written.
        """
        if not has_loops_of_source(self.schedule):
            return self.nest.escapes.rescued
        written = list(nodes(block))
        left = {node.var for node in written if isinstance(node, For)}
        changed = {
            loop.var
            for loop in self.nest.loops.values()
            if loop.var not in left
            or any(
                node.index.get(loop.id, Var(loop.var)) != Var(loop.var)
                for node in written
                if isinstance(node, Call)
            )
        }
        return tuple(name for name in self.nest.escapes.rescued if name in changed)

    def inside(self) -> Cond:
        """``in_bounds``, where it was asked for."""
        assert self.in_bounds is not None
        return self.in_bounds
