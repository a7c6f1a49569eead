"""A nest as programs for tasks: its parts as text, and what cells each touches."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from looptx.cluster.programs.formulas import Formulas, cells_of
from looptx.cluster.programs.names import Given, Wanted
from looptx.cluster.programs.parts import CODE as CODE
from looptx.cluster.programs.parts import Part, Parted, parted, unsupported
from looptx.cluster.programs.text import TaskText, task_text
from looptx.cluster.work.code import Code
from looptx.cluster.work.reductions import Collecting, collecting
from looptx.looptree.agreeing import tests
from looptx.looptree.nodes import Call, For
from looptx.looptree.planned import Planned
from looptx.looptree.walk import bound, nodes, reads
from looptx.model.elements import Access
from looptx.model.expr import IntExpr, variables
from looptx.model.program import Kernel, Nest
from looptx.model.records import dataclass
from looptx.model.storage import Buffer
from looptx.model.types import ArrayType, Type
from looptx.native.compile.build import LOCK
from looptx.poly.budget import budget
from looptx.poly.footprints import Footprint, Known, around_of, footprints
from looptx.poly.scanning import axis
from looptx.source import Module
from looptx.source.nests.statements.exact_reductions import integer_targets


@dataclass(frozen=True, slots=True)
class Use:
    """An array or a scalar that a part touches.

    Attributes:
        name: in the nest. given: what stands for it in the text; None for a scalar.
        target: how tasks collect parts in it, if they do.
    """

    name: str
    given: Given | None
    target: Collecting | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """What the tasks of one part of a nest run.

    Attributes:
        part: the part. label: what tasks are called.
        code: the function. text: what it is made of.
        uses: what it touches, from outside of it.
        cells: gives the boxes read and written of each use, one after the other.
        asks: the integers that it is given.
    """

    part: Part
    label: str
    code: Code
    text: TaskText
    uses: tuple[Use, ...]
    cells: Callable[..., Any]
    asks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shared:
    """A temporary array that several tasks use.

    Attributes:
        name: of it. extents: of its axes. dtype: of its elements.
        fill: what every cell holds at first, as Python; "" for anything.
    """

    name: str
    extents: tuple[IntExpr, ...]
    dtype: str
    fill: str


@dataclass(frozen=True, slots=True)
class Tasks:
    """A nest for certain types, as tasks.

    Attributes:
        planned: the nest. parted: its parts. programs: what these run.
        scalars: those that tasks give each other, or leave behind.
        shared: the temporaries that several tasks use.
        tests: what must hold of values for it to mean what the source says, as Python.
    """

    planned: Planned
    parted: Parted
    programs: tuple[Program, ...]
    scalars: tuple[str, ...]
    shared: tuple[Shared, ...]
    tests: tuple[str, ...]

    @property
    def sizes(self) -> tuple[str, ...]:
        """The integers from outside that say which tasks there are, and which cells."""
        found = [*self.parted.sizes]
        for one in self.programs:
            found += (text for text in one.asks if text not in one.part.outer)
        return tuple(dict.fromkeys(found))


def tasks_of(
    module: Module,
    kernel: Kernel,
    planned: Planned,
    types: Mapping[str, Type],
    outside: Callable[[Sequence[str]], Mapping[str, Any]],
    fastmath: tuple[str, ...] = (),
) -> Tasks:
    """A nest of a function as tasks.

    Args:
        module: the text. kernel: the function. planned: the nest, which was checked.
        types: of what it reads.
        outside: what names of the function's module and closure mean.
        fastmath: levels of inexact arithmetic.

    Raises:
        LooptxError: it cannot be run as tasks.
    """
    with LOCK, budget():
        return _Making(module, kernel, planned, types, outside, fastmath).tasks()


def check(nest: Nest, types: Mapping[str, Type]) -> None:
    """See that a nest does nothing but to compute elements of arrays.

    Args:
        nest: the nest. types: of what it reads.

    Raises:
        Unsupported: LX601.
    """
    if nest.host.returns:
        raise unsupported(nest, "it returns from the function")
    if nest.host.made:
        raise unsupported(nest, "it makes arrays of its own")
    for statement in nest.statements.values():
        for one in statement.accesses:
            kind = types.get(one.array)
            ranks = 0, kind.ndim if isinstance(kind, ArrayType) else 0
            if isinstance(kind, ArrayType) and len(one.subscripts) not in ranks:
                why = f"`{one.array}` has {kind.ndim} axes and is not used so"
                raise unsupported(nest, why)
    for statement in nest.statements.values():
        if statement.effects and not statement.leaves:
            raise unsupported(nest, statement.effects)


class _Making:
    """Makes the programs of a nest.

    Args:
        module, kernel, planned, types, outside, fastmath: as for ``tasks_of``.
    """

    def __init__(
        self,
        module: Module,
        kernel: Kernel,
        planned: Planned,
        types: Mapping[str, Type],
        outside: Callable[[Sequence[str]], Mapping[str, Any]],
        fastmath: tuple[str, ...],
    ) -> None:
        self.module = module
        self.kernel = kernel
        self.planned = planned
        self.types = dict(types)
        self.outside = outside
        self.fastmath = fastmath
        self.nest = planned.nest
        self.integers = integer_targets(self.nest, types)
        self.parted = parted(planned)
        self.prints = [self._footprints(part) for part in self.parted.parts]

    def _footprints(self, part: Part) -> Mapping[str, Footprint]:
        around = (*around_of(part.around), *self.planned.schedule.assumes)
        extents = {one.name: one.extents for one in self.planned.buffers}
        known = Known(around, self.planned.wraps, extents)
        return footprints(self.nest, part.block, known)

    def tasks(self) -> Tasks:
        """The tasks of the nest."""
        needed = {
            name for prints in self.prints for name, one in prints.items() if one.read
        }
        buffers = {one.name: one for one in self.planned.buffers}
        inner = {*buffers, *self.nest.scalars} - needed - {*self.nest.live_out}
        shared = tuple(
            self._shared(buffer) for name, buffer in buffers.items() if name in needed
        )
        self.types |= {x.name: ArrayType(x.dtype, len(x.extents)) for x in shared}
        scalars = tuple(
            name
            for name in dict.fromkeys((*self.nest.scalars, *self.nest.live_out))
            if name not in inner and name not in buffers
            if any(name in prints for prints in self.prints)
        )
        programs = tuple(
            self._program(part, prints, inner, scalars)
            for part, prints in zip(self.parted.parts, self.prints, strict=True)
        )
        asked = tests(self.planned, ())
        given = self.planned, self.parted, programs, scalars, shared
        return Tasks(*given, tuple(asked))

    def _has_value(self, name: str, part: Part) -> bool:
        """Whether a scalar may have a value where a part begins."""
        again = any(isinstance(one, For) for one in part.around)
        others = (
            name in prints and bool(prints[name].written)
            for other, prints in zip(self.parted.parts, self.prints, strict=True)
            if again or other is not part
        )
        return name in self.nest.live_in or any(others)

    def _shared(self, buffer: Buffer) -> Shared:
        """A temporary that several tasks use.

        Raises:
            Unsupported: its memory, or what it begins with, is not that of an array.
        """
        own = buffer.allocation
        dtype = own.dtype(self.types) if own is not None else ""
        plain = not dtype or buffer.name in self.planned.plain or not buffer.extents
        if own is None or plain or (buffer.whole and not _is_number(own.fill)):
            why = f"several tasks use the temporary `{buffer.name}`"
            raise unsupported(self.nest, why)
        fill = own.fill if buffer.whole else ""
        return Shared(buffer.name, buffer.extents, dtype, fill)

    def _program(
        self,
        part: Part,
        prints: Mapping[str, Footprint],
        inner: frozenset[str] | set[str],
        scalars: tuple[str, ...],
    ) -> Program:
        """What the tasks of a part run.

        Args:
            part: the part. prints: what it touches.
            inner: what only a part itself uses. scalars: those that others see.
        """
        names = [name for name in prints if name not in inner]
        known = dict.fromkeys((*names, *self.nest.live_in))
        ranks = {
            name: kind.ndim
            for name in known
            if isinstance(kind := self.types.get(name), ArrayType)
        }
        for name in names:
            if name not in ranks and name not in scalars:
                raise unsupported(self.nest, f"the type of `{name}` is not known")
        label = self._label(part)
        stem = f"{self.kernel.qualname}_{label}".replace(".", "_")
        results = tuple(x for x in names if x in scalars and prints[x].written)
        starts = tuple(
            x
            for x in names
            if x in scalars and prints[x].read and self._has_value(x, part)
        )
        wanted = Wanted(
            "".join(c if c.isalnum() else "_" for c in stem),
            ranks,
            {name: self._whole(part, name, count) for name, count in ranks.items()},
            results,
            starts,
            {x: _lowest(prints[x], ranks[x]) for x in names if x in ranks},
            self.fastmath,
        )
        given = self.module, self.kernel, self.planned, part, wanted
        text = task_text(*given)
        code = Code(text.name, text.text, text.plain, self._outside(text))
        return self._with_cells(part, prints, label, code, text)

    def _with_cells(
        self,
        part: Part,
        prints: Mapping[str, Footprint],
        label: str,
        code: Code,
        text: TaskText,
    ) -> Program:
        """A program with what says which cells it touches.

        Args:
            part, prints, label: as of ``_program``. code, text: what it runs.
        """
        targets = self._targets(part)
        scalars = {*text.results, *text.starts}
        uses = tuple(
            Use(name, text.arrays.get(name), targets.get(name))
            for name in dict.fromkeys((*prints, *text.arrays))
            if name in text.arrays or name in scalars
        )
        nothing = Footprint((), ())
        found = (prints.get(one.name, nothing) for one in uses)
        blocks = {
            use.name: (one.read, one.written)
            for use, one in zip(uses, found, strict=True)
        }
        asked: set[str] = set()
        for pair in blocks.values():
            for block in pair:
                asked |= reads(block) - bound(block)
        asks = tuple(sorted(asked))
        cells = cells_of(Formulas(asks), blocks)
        return Program(part, label, code, text, uses, cells, asks)

    def _targets(self, part: Part) -> Mapping[str, Collecting]:
        """How the tasks of a part collect what several of them reduce into."""
        found: dict[str, Collecting] = {}
        for uid in sorted(part.team):
            for reduction in self.planned.reductions.get(uid, ()):
                name = reduction.target.array
                given = self.nest, reduction, self.types.get(name), self.integers
                how = collecting(*given)
                if how is None:
                    raise unsupported(self.nest, f"no part of `{name}` is neutral")
                found[name] = how
        return found

    def _label(self, part: Part) -> str:
        """What the tasks of a part are called: the least nest with a name around it."""
        groups = self.planned.schedule.groups

        def least(one: Part) -> str:
            calls = {x.statement for x in nodes(one.block) if isinstance(x, Call)}
            around = (name for name in groups if calls <= groups[name].statements)
            return min(
                around, key=lambda name: len(groups[name].loops), default=self.nest.name
            )

        name = least(part)
        alone = all(one is part or least(one) != name for one in self.parted.parts)
        return name if alone else f"{name}.{part.number}"

    def _whole(self, part: Part, name: str, count: int) -> frozenset[int]:
        """The axes of an array of which a part may touch any cell."""
        if name in self.planned.wraps:
            return frozenset(range(count))
        found: set[int] = set()
        for access in self._accesses(part):
            if access.array == name:
                given = access.subscripts
                found.update(range(len(given), count))
                found.update(at for at, one in enumerate(given) if one is None)
        return frozenset(found)

    def _accesses(self, part: Part) -> list[Access]:
        calls = [node for node in nodes(part.block) if isinstance(node, Call)]
        found = (self.nest.statements[call.statement].accesses for call in calls)
        return [access for accesses in found for access in accesses]

    def _outside(self, text: TaskText) -> Mapping[str, Any]:
        """What the names that a text takes from its module mean.

        Raises:
            Unsupported: one is a name of the function itself.
        """
        try:
            return self.outside(text.outside)
        except LookupError as error:
            why = (
                f"`{error.args[0]}` is a function, or an object, of the function's own"
            )
            raise unsupported(self.nest, why) from None


def _is_number(text: str) -> bool:
    """Whether a text says a number, or nothing."""
    try:
        return not text or isinstance(ast.literal_eval(text), int | float | complex)
    except (ValueError, SyntaxError):
        return False


def _lowest(one: Footprint, count: int) -> list[list[IntExpr]]:
    """For each axis where the loops over what is touched begin."""
    found: list[list[IntExpr]] = [[] for _ in range(count)]
    for at in range(count):
        for node in nodes((*one.read, *one.written)):
            if isinstance(node, For) and node.var == axis(at):
                outer = {axis(other) for other in range(at)}
                if outer.isdisjoint(variables(node.start)):
                    found[at].append(node.start)
    return found
