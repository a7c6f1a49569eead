"""The Cython text of a nest that raises what Python raises, where Python raises it.

After an exception the arrays hold what was written before it. A schedule that changes
the order is carried out only where nothing in the nest can raise: the proof says so, or
the entry has tested it. Else the nest is compiled in the order as written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from looptx.automatic import in_lanes
from looptx.emit.cython import (
    Cython,
    Section,
    joined,
    module_text,
    nest_function,
)
from looptx.errors import Unsupported
from looptx.looptree.nodes import For
from looptx.looptree.walk import nodes
from looptx.lower.checks import OUTSIDE
from looptx.lower.nest import AS_WRITTEN, Typed, exceptions
from looptx.model.expr import variables
from looptx.model.naming import is_noted
from looptx.model.records import dataclass, replace
from looptx.model.schedule import in_source_order
from looptx.model.types import Type
from looptx.native.diagnostics.notes import Notes
from looptx.plan import as_written, with_conditions

if TYPE_CHECKING:
    from looptx.looptree.planned import Planned
    from looptx.model.program import Nest


@dataclass(frozen=True, slots=True)
class NestCode:
    """A nest as Cython.

    Attributes:
        section: its functions.
        notes: what is to be said of it.
        parallel: whether a loop of it runs on several threads.
    """

    section: Section
    notes: Notes
    parallel: bool

    def module(self) -> str:
        """The text of an extension module with this nest alone."""
        return module_text([self.section])


def nest_code(
    planned: Planned,
    types: Mapping[str, Type],
    name: str,
    imports: Mapping[str, str] | None = None,
    target: type[Cython] = Cython,
) -> NestCode:
    """The functions of a nest, ``name`` the entry, as ``nest_function`` gives them.

    Args:
        planned: the proven nest.
        types: of every name in ``nest.live_in``.
        name: of the entry.
        imports: what names of modules and functions mean (``Kernel.imports``).
        target: what writes the functions.

    Raises:
        LooptxError: as ``nest_function``; LX504 also where an exception in the middle
            would be seen to have left other values in scalars.
    """
    nest = Typed(planned, types, imports)
    found = exceptions(nest, hazards=False)
    planned = with_conditions(planned, found.wanted)
    nest = nest.always(planned)
    if in_source_order(planned.schedule):
        lanes = in_lanes(planned, types, imports or {})
        quick = nest if lanes is None else Typed(lanes, types, imports)
        looked = planned.nest.text.kept or found.measured or planned.digits
        if lanes is not None and _is_quiet(quick, every=False):
            section = nest_function(quick, name, target=target)
        elif looked and _is_bounded(nest):
            # Whether lanes pay where the entry goes through arrays is not known.
            if found.measured or not (lanes and _is_quiet(quick)):
                quick = nest
            section = _twice(nest, quick, name, target)
        else:
            section = _in_order(nest, name, target)
        notes = Notes(planned.said, scalar=section.scalar, vector=section.vector)
        return NestCode(section, notes, _is_parallel(planned))
    found = exceptions(nest)
    if found.hazards:
        order = _in_source_order(planned, types)
        reasons = ((h.place.line, f"{h.reason} may raise") for h in found.hazards)
        notes = Notes(order.memory, tuple(reasons))
        order = replace(order, notes=(notes.in_order(),))
        section = _in_order(Typed(order, types, imports), name, target)
        return NestCode(section, notes, False)
    parallel = _is_parallel(planned)
    if not found.partial or _seen_after(planned):
        section = nest_function(nest, name, every=True, target=target)
        notes = Notes(planned.said, scalar=section.scalar, vector=section.vector)
        return NestCode(section, notes, parallel)
    order = _in_source_order(planned, types)
    section = _twice(Typed(order, types, imports), nest, name, target)
    effects = *order.memory, *planned.said
    notes = Notes(effects, scalar=section.scalar, vector=section.vector)
    return NestCode(section, notes, parallel)


def _is_bounded(nest: Typed) -> bool:
    """Whether the entry can test what is looked up in the loops, and that pays."""
    if _seen_after(nest.planned):
        return False
    at_once = exceptions(nest)
    if not all(_is_read_again(nest.planned.nest, one) for one in at_once.measured):
        return False
    as_they_go = exceptions(nest, every=False)
    before, after = ({x.reason for x in y.hazards} for y in (as_they_go, at_once))
    return OUTSIDE in before - after


def _is_read_again(nest: Nest, array: str) -> bool:
    """Whether a loop around others reads the same elements in all its rounds."""
    for statement in nest.statements.values():
        for access in statement.accesses:
            if access.array != array:
                continue
            if None in access.subscripts:
                return False
            used = set().union(*(variables(x) for x in access.subscripts if x))
            loops = [nest.loops[x] for x in statement.loops if x in used]
            ends = [variables(end) for one in loops for end in (one.start, one.stop)]
            outer = {*statement.loops} - used
            if not outer or any(not x.isdisjoint(statement.loops) for x in ends):
                return False
    return True


def _twice(order: Typed, nest: Typed, name: str, target: type[Cython]) -> Section:
    """A nest whose entry tests what may raise, beside one that tests as it goes.

    Args:
        order: that one. nest: the nest.
        name, target: as of ``nest_code``.
    """
    other = f"lx_{name}{AS_WRITTEN}"
    checking = nest_function(order, other, target=target)
    plain = nest_function(nest, name, every=True, other=other, target=target)
    return joined((checking, plain), "\n\n")


def _in_source_order(planned: Planned, types: Mapping[str, Type]) -> Planned:
    return replace(as_written(planned, types), always=planned.always)


def _is_parallel(planned: Planned) -> bool:
    loops = (node for node in nodes(planned.body) if isinstance(node, For))
    return any(loop.marks.parallel is not None for loop in loops)


def _seen_after(planned: Planned) -> bool:
    """Whether an exception would leave other values in scalars than Python's loops."""
    return planned.nest.escapes.caught and bool(_kept(planned))


def _kept(planned: Planned) -> list[str]:
    """The names that a nest leaves to its function, even after an exception."""
    return [name for name in planned.nest.live_out if not is_noted(name)]


def _is_quiet(lanes: Typed, *, every: bool = True) -> bool:
    """Whether loops in vectors that nobody asked for raise nothing.

    Args:
        lanes: the loops.
        every: whether the entry tests all that it can.
    """
    return not exceptions(lanes, every=every).hazards


def _in_order(nest: Typed, name: str, target: type[Cython]) -> Section:
    """The functions of a nest in the order as written, which may raise."""
    if _seen_after(nest.planned):
        for hazard in exceptions(nest, every=False).hazards:
            if hazard.again:
                continue
            raise Unsupported(
                "LX504",
                f"not compiled natively: {hazard.reason} may raise, and the function"
                f" goes on with `{_kept(nest.planned)[0]}` then",
                hazard.place,
                hint="move the loops into a function of their own",
            )
    return nest_function(nest, name, target=target)
