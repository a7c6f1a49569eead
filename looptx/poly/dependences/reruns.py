"""Instances that run several times: does every read still get the value it should?

What moved into a loop may run in several of its iterations, and write the same cells
again. That is right if each read gets its value from a run of the very instance that it
got it from in the source; and what is left in the end has to come from the right
instances, too. Both are a matter of the last writers in the new order (as in array
dataflow analysis; the source and the result of a transformation are compared in this
way by Verdoolaege, Janssens, Bruynooghe, "Equivalence checking of static affine
programs using widening to handle recurrences", TOPLAS 2012).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import islpy as isl

from looptx.errors import Unproven
from looptx.model.records import replace
from looptx.model.schedule import Schedule
from looptx.poly.collapse.chains import in_rows
from looptx.poly.collapse.literal import as_functions
from looptx.poly.dependences.flows import END, START, Flow
from looptx.poly.dependences.memory_based import Dependence
from looptx.poly.dependences.order import Times, access_map
from looptx.poly.dependences.privatization import cells, dataflow, users
from looptx.poly.dependences.program import Program

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


def reruns(
    program: Program, schedule: Schedule, integers: frozenset[str]
) -> Iterator[Dependence]:
    """Reads that get a value of another iteration, each with what wrote it.

    Args:
        program: what runs under the schedule.
        schedule: the schedule.
        integers: targets whose arithmetic is exact in any order.

    Raises:
        Unproven: LX203 where a collapsed loop orders what runs again.
    """
    if not program.shared:
        return
    order = in_rows(program.spaces, as_functions(program.spaces, schedule))
    for pair in order.collapsed.values():
        raise _unknown(
            f"the iterations of the collapsed loop `{pair.name}` are not run in its"
            " order",
            f"leave the order of `{pair.name}` as it is, or use `sliding`",
        )
    spaces, times = program.spaces, Times(program.spaces, order)
    for name, known in program.shared.items():
        loose = name in schedule.reassociate or name in integers
        nest = spaces.nest
        own = users(nest, name)
        if not own:
            continue
        found = dataflow(
            spaces,
            times,
            name,
            own,
            end=not nest.private(name),
            rank=max((one.rank for one in known), default=0),
        )
        unsure = _uncertain(program, name, known)
        for flow in found.flow:
            # That what is read has been written at all, dependences see to.
            if flow.source == START or (loose and _one_sum(program, name, known, flow)):
                continue
            wrong = flow
            for right in known:
                if right.ends == flow.ends:
                    wrong = wrong.minus(right)
            yield from _dependences(program, name, wrong)
            kept = _kept(program, times, flow, unsure, found.flow)
            for one in _dependences(program, name, kept):
                access = replace(one.source_access, certain=False)
                yield replace(one, source_access=access, exact=False)


def _uncertain(program: Program, name: str, known: Sequence[Flow]) -> list[Flow]:
    """The flows from what may write a cell or not."""
    unsure = {
        user.name
        for user in users(program.spaces.nest, name)
        for access in user.accesses
        if access.array == name and access.write and not access.certain
    }
    return [one for one in known if one.source in unsure]


def _kept(
    program: Program,
    times: Times,
    flow: Flow,
    unsure: Sequence[Flow],
    found: Sequence[Flow],
) -> Flow:
    """The values of a flow that may be written over in the source, but are not here.

    Whatever a read may see in the new order it may see in the source, too. So it is
    right if all that may write over it in the source has a run here that does.

    Args:
        program: what runs. times: when it does.
        flow: what is to be judged.
        unsure: the flows of the source from what may write a cell or not.
        found: all flows of the new order.
    """
    statements, origins = program.spaces.nest.statements, program.origins
    wrong = flow.relation - flow.relation
    reads = flow.relation.reverse()
    for over in unsure:
        if over.sink != flow.sink:
            continue
        there = reads.range_product(over.relation.reverse())
        later = origins.before(flow.source, over.source)
        there = there if later is None else there.intersect_range(later.wrap())
        missing = there.uncurry().apply_range(origins.of(over.source))
        behind = times.before(statements[flow.source], statements[over.source])
        for one in found:
            if one.ends == over.ends:
                here = reads.range_product(one.relation.reverse())
                here = here.intersect_range(behind.wrap())
                missing -= here.uncurry().apply_range(origins.of(one.source))
        wrong |= missing.domain().unwrap().reverse()
    return Flow(wrong)


def _unknown(detail: str, hint: str) -> Unproven:
    message = "unknown: whether what runs again keeps its values"
    return Unproven("LX203", message, detail=(detail,), hint=hint)


def _one_sum(program: Program, name: str, known: Sequence[Flow], flow: Flow) -> bool:
    """Whether reads outside get values of terms of a reduction, and did in the source.

    All other terms of that run have been added by then: their order is kept otherwise,
    and no term adds to what another run left.
    """
    if any(flow.sink in tags for tags in program.tags[name]):
        return False
    statements = program.spaces.nest.statements
    own = statements[flow.source].reduction
    others = [
        statements[right.source].reduction
        for right in known
        if right.sink == flow.sink and right.source != START
    ]
    return own is not None and all(
        other is not None and other.op == own.op for other in others
    )


def _together(program: Program, name: str, pairs: isl.Map) -> isl.Map:
    """Those of some pairs that are in one iteration of the loops something moved into.

    Args:
        program: what runs.
        name: of an array or scalar that is written again.
        pairs: of instances.
    """
    spaces = program.spaces
    source, sink = pairs.get_tuple_name(_IN), pairs.get_tuple_name(_OUT)
    if source not in program.again:
        return pairs - pairs
    loops = spaces.nest.statements[source].loops, spaces.nest.statements[sink].loops
    for tags in program.tags[name]:
        ours, theirs = tags.get(source), tags.get(sink)
        if (ours is None) != (theirs is None):
            return pairs - pairs
        if ours is not None and theirs is not None:
            one = spaces.map(source, loops[0], ours)
            other = spaces.map(sink, loops[1], theirs)
            pairs &= one.apply_range(other.reverse())
    return pairs


def _dependences(program: Program, name: str, wrong: Flow) -> Iterator[Dependence]:
    """Wrong values as pairs of accesses: what writes the cell, and what reads it."""
    if wrong.is_empty():
        return
    spaces, rank = program.spaces, wrong.rank
    statements = spaces.nest.statements
    source = statements[wrong.source]
    for _, write, written in cells(spaces, name, [source], rank):
        left = wrong.writing(written)
        if not write.write or left.is_empty():
            continue
        if wrong.sink == END:
            pairs = left.pairs
            yield Dependence(source, source, write, write, pairs, write.certain)
            continue
        sink = statements[wrong.sink]
        for _, access, read in cells(spaces, name, [sink], rank):
            pairs = left.reading(read).pairs
            if not access.write and not pairs.is_empty():
                exact = write.certain and access.certain
                yield Dependence(source, sink, write, access, pairs, exact)


def conflicts(program: Program) -> Iterator[Dependence]:
    """Pairs of different iterations of a loop that write the cells of one another.

    Their order does not matter, but they must not run at the same time.

    Args:
        program: what runs.
    """
    spaces = program.spaces
    for name in program.shared:
        touched = [
            (user, access)
            for user in users(spaces.nest, name)
            for access in user.accesses
            if access.array == name
        ]
        rank = max((len(access.coordinates) for _, access in touched), default=0)
        for (source, ours), (sink, theirs) in product(touched, touched):
            if ours.write or theirs.write:
                first = access_map(spaces, source, ours, rank)
                second = access_map(spaces, sink, theirs, rank)
                pairs = first.apply_range(second.reverse())
                pairs -= _together(program, name, pairs)
                if not pairs.is_empty():
                    exact = ours.certain and theirs.certain
                    yield Dependence(source, sink, ours, theirs, pairs, exact)
