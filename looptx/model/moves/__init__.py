"""Statements that run in the iterations of a loop of another nest.

A statement that moves gets a new name and, before its own loops, a *coordinate* for
each loop it moves into: the position of that loop. So one instance of the source may
run several times, at different coordinates, and has one time at each. Which instances
run at which coordinates follows from the dataflow; the proof computes it (see
``poly.dependences.moving``). All later directives change the positions of coordinates
as they change those of other loops.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from looptx.model.elements import Access, Cell
from looptx.model.expr import ZERO, IntExpr
from looptx.model.program import Loop
from looptx.model.records import dataclass


class When(Enum):
    """In which iterations of the loop an instance of a moved statement runs."""

    NEEDED = "in each that needs what it writes"
    FIRST = "in the first that needs what it writes"
    COMPLETE = "in the first by which all that it reads is written"


@dataclass(frozen=True, slots=True)
class Move:
    """Statements that moved into a loop together.

    Attributes:
        when: in which of its iterations they run.
        moved: ``{statement: its name there}``.
        coordinates: their loops that stand for the positions of the loops they moved
            into, outermost first.
        inside: ``{statement: positions}`` of the other statements in the loop, over
            their own loops, in the order of the coordinates.
        common: ``{statement: positions}`` of all of these in the loops that were around
            them before.
        hidden: whether only this nest sees what they write, and iterations that do not
            move need not stay: then these stay where they were only as far as something
            reads that, or they may raise.
    """

    when: When
    moved: Mapping[str, str]
    coordinates: tuple[str, ...]
    inside: Mapping[str, tuple[IntExpr, ...]]
    common: Mapping[str, tuple[IntExpr, ...]]
    hidden: bool


@dataclass(frozen=True, slots=True)
class Coordinate(Loop):
    """A loop that stands for the positions of one that statements moved into.

    Attributes:
        label: what that loop is called, with its nest.
        base, stride: what it shows is ``base + stride * position``; the base of a part
            of a loop is over the coordinates of the parts around it.
    """

    label: str = ""
    base: IntExpr = ZERO
    stride: int = 1


@dataclass(frozen=True, slots=True)
class Cache:
    """Cells of an array that statements in a loop use in a buffer instead.

    At the beginning of an iteration a statement of its own *loads* cells, at the end
    another one *stores* them; which cells follows from the accesses. The buffer has the
    coordinates of the array, or those of the loops inside.

    Attributes:
        array: the array. buffer: the name of the buffer.
        moved: ``{statement: its name now}``, of those that use the buffer.
        cells: ``{statement: {cell: that in the buffer}}`` of what is in the buffer.
        coordinates: the first loops of the copying statements: positions of the loops
            around their place. axes: their other loops, one for each subscript.
        inside: ``{statement: positions}`` of ``moved``, over their own loops.
        perhaps: those of ``cells`` that are only read, and that the proof leaves to the
            array where the iteration writes none of them.
        cell: the coordinates in the array of a cell of the buffer, as functions of the
            loops of the copies; None where they are the axes. places: their names.
        load, store: the statements that copy; nothing is stored where it is empty.
    """

    array: str
    buffer: str
    moved: Mapping[str, str]
    cells: Mapping[str, Mapping[Cell, Cell]]
    coordinates: tuple[str, ...]
    axes: tuple[str, ...]
    inside: Mapping[str, tuple[IntExpr, ...]]
    perhaps: Mapping[str, frozenset[Cell]]
    cell: tuple[IntExpr, ...] | None = None
    places: tuple[str, ...] = ()
    load: str = ""
    store: str = ""

    @property
    def copies(self) -> tuple[str, ...]:
        """The statements that copy."""
        return (self.load, self.store) if self.store else (self.load,)


@dataclass(frozen=True, slots=True)
class Factor:
    """A reduction that collects in parts, and one that collects the parts.

    The statement ``T op= e`` becomes ``P op= e``; before it one more gives each cell of
    P the identity of the operation, and behind it another one collects: ``T op= P``. A
    part is told by the positions of some loops of the statement.

    Attributes:
        target: the array or scalar that is reduced into. buffer: the name of P.
        moved: ``{statement: its name now}``, of the one that is cut.
        start, total: the statements that give a part its first value, and collect it.
        coordinates: the loops of both: positions of loops of the statement.
        inside: these positions, over the statement's own loops.
        values: its loops as functions of the coordinates, as far as they are.
        cell: the subscripts of the target over the coordinates. places: their names.
    """

    target: Access
    buffer: str
    moved: Mapping[str, str]
    start: str
    total: str
    coordinates: tuple[str, ...]
    inside: tuple[IntExpr, ...]
    values: Mapping[str, IntExpr]
    cell: tuple[IntExpr, ...]
    places: tuple[str, ...]

    @property
    def array(self) -> str:
        """The array or scalar that is reduced into."""
        return self.target.array

    @property
    def parts(self) -> dict[Cell, Cell]:
        """What its cell becomes; a scalar has no subscripts that tell parts apart."""
        inside = self.inside if self.target.subscripts else ()
        return {self.target.cell: (self.buffer, inside)}


@dataclass(frozen=True, slots=True)
class Inline:
    """A statement whose value is computed anew wherever it is read.

    Attributes:
        array: the array or scalar that it writes.
        producer: the statement, which runs no more.
        moved: ``{statement: its name now}``, of those that read it.
        reads: by old name, ``{cell: the iteration that wrote it}`` of what is read, a
            value for each loop of the producer.
        seen: whether others may read the array after the nest.
    """

    array: str
    producer: str
    moved: Mapping[str, str]
    reads: Mapping[str, Mapping[Cell, tuple[IntExpr, ...]]]
    seen: bool


@dataclass(frozen=True, slots=True)
class Case:
    """The iterations of a statement that read what another wrote, as one of their own.

    Attributes:
        array: the array or scalar.
        producer: the statement that writes it.
        moved: ``{statement: its name in these iterations}``; one, which keeps its name
            in all others.
        reads: as those of ``Inline``: what all is of the producer there.
    """

    array: str
    producer: str
    moved: Mapping[str, str]
    reads: Mapping[Cell, tuple[IntExpr, ...]]


Step: TypeAlias = Move | Cache | Inline | Factor | Case
"""What changes which statements run."""
