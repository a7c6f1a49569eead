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
from looptx.lower.nest import AS_WRITTEN, exceptions
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
    found = exceptions(planned, types, imports)
    planned = with_conditions(planned, found.wanted)
    if in_source_order(planned.schedule):
        lanes = in_lanes(planned, types, imports or {})
        looked = planned.nest.text.kept or found.measured or planned.digits
        if lanes is not None and _is_quiet(lanes, types, imports, every=False):
            section = nest_function(lanes, types, name, imports, target=target)
        elif looked and _is_bounded(planned, types, imports):
            # Whether lanes pay where the entry goes through arrays is not known.
            if found.measured or not (lanes and _is_quiet(lanes, types, imports)):
                lanes = planned
            section = _twice(planned, lanes, types, name, imports, target)
        else:
            section = _in_order(planned, types, name, imports, target)
        notes = Notes(planned.said, scalar=section.scalar, vector=section.vector)
        return NestCode(section, notes, _is_parallel(planned))
    found = exceptions(planned, types, imports)
    if found.hazards:
        order = _in_source_order(planned, types)
        reasons = ((h.place.line, f"{h.reason} may raise") for h in found.hazards)
        notes = Notes(order.memory, tuple(reasons))
        order = replace(order, notes=(notes.in_order(),))
        return NestCode(_in_order(order, types, name, imports, target), notes, False)
    parallel = _is_parallel(planned)
    if not found.partial or _seen_after(planned):
        section = nest_function(
            planned, types, name, imports, every=True, target=target
        )
        notes = Notes(planned.said, scalar=section.scalar, vector=section.vector)
        return NestCode(section, notes, parallel)
    order = _in_source_order(planned, types)
    section = _twice(order, planned, types, name, imports, target)
    effects = *order.memory, *planned.said
    notes = Notes(effects, scalar=section.scalar, vector=section.vector)
    return NestCode(section, notes, parallel)


def _is_bounded(
    planned: Planned, types: Mapping[str, Type], imports: Mapping[str, str] | None
) -> bool:
    """Whether the entry can test what is looked up in the loops, and that pays.

    Args:
        planned, types, imports: as of ``nest_code``.
    """
    if _seen_after(planned):
        return False
    at_once = exceptions(planned, types, imports)
    if not all(_is_read_again(planned.nest, array) for array in at_once.measured):
        return False
    as_they_go = exceptions(planned, types, imports, every=False)
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


def _twice(
    order: Planned,
    planned: Planned,
    types: Mapping[str, Type],
    name: str,
    imports: Mapping[str, str] | None,
    target: type[Cython],
) -> Section:
    """A nest whose entry tests what may raise, beside one that tests as it goes.

    Args:
        order: that one. planned: the nest.
        types, name, imports, target: as of ``nest_code``.
    """
    other = f"lx_{name}{AS_WRITTEN}"
    checking = nest_function(order, types, other, imports, target=target)
    plain = nest_function(
        planned, types, name, imports, every=True, other=other, target=target
    )
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


def _is_quiet(
    lanes: Planned,
    types: Mapping[str, Type],
    imports: Mapping[str, str] | None,
    *,
    every: bool = True,
) -> bool:
    """Whether loops in vectors that nobody asked for raise nothing.

    Args:
        lanes: the loops. types, imports: as of ``nest_code``.
        every: whether the entry tests all that it can.
    """
    return not exceptions(lanes, types, imports, every=every).hazards


def _in_order(
    planned: Planned,
    types: Mapping[str, Type],
    name: str,
    imports: Mapping[str, str] | None,
    target: type[Cython],
) -> Section:
    """The functions of a nest in the order as written, which may raise."""
    if _seen_after(planned):
        for hazard in exceptions(planned, types, imports, every=False).hazards:
            if hazard.again:
                continue
            raise Unsupported(
                "LX504",
                f"not compiled natively: {hazard.reason} may raise, and the function"
                f" goes on with `{_kept(planned)[0]}` then",
                hazard.place,
                hint="move the loops into a function of their own",
            )
    return nest_function(planned, types, name, imports, target=target)
