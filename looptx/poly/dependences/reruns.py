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
from looptx.model.schedule import Schedule
from looptx.poly.collapse.chains import in_rows
from looptx.poly.collapse.literal import as_functions
from looptx.poly.dependences.memory_based import Dependence
from looptx.poly.dependences.order import Times, access_map
from looptx.poly.dependences.privatization import END, dataflow, users
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
        Unproven: LX203 where a collapsed loop orders what runs again, or where one run
            exchanges several cells with another.
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
        found = dataflow(spaces, times, name, own, end=not nest.private(name))
        for pairs in found.flow:
            if loose and _one_sum(program, name, known, pairs):
                continue
            if _of_several_cells(program, name, pairs):
                detail = (
                    f"one run writes several cells of `{name}`, and one reads several"
                )
                hint = f"write and read `{name}` cell by cell, or use `sliding`"
                raise _unknown(detail, hint)
            wrong = pairs
            for right in known:
                ends = (_IN, _OUT)
                if all(
                    right.get_tuple_name(x) == pairs.get_tuple_name(x) for x in ends
                ):
                    wrong -= right
            if not wrong.is_empty():
                yield _dependence(program, name, wrong)


def _unknown(detail: str, hint: str) -> Unproven:
    message = "unknown: whether what runs again keeps its values"
    return Unproven("LX203", message, detail=(detail,), hint=hint)


def _of_several_cells(program: Program, name: str, pairs: isl.Map) -> bool:
    """Whether one instance writes several cells, and the other one reads several.

    That one of them has the right value tells nothing of the others then.
    """
    if pairs.get_tuple_name(_OUT) == END:
        return False
    nest = program.spaces.nest
    rank = max(
        len(access.subscripts)
        for user in users(nest, name)
        for access in user.accesses
        if access.array == name
    )

    def several(end: isl.dim_type, *, write: bool) -> bool:
        own = {
            access.subscripts
            for access in nest.statements[pairs.get_tuple_name(end)].accesses
            if access.array == name and access.write == write
        }
        return len(own) > 1 or any(len(cell) < rank for cell in own)

    return several(_IN, write=True) and several(_OUT, write=False)


def _one_sum(
    program: Program, name: str, known: Sequence[isl.Map], pairs: isl.Map
) -> bool:
    """Whether reads outside get values of terms of a reduction, and did in the source.

    All other terms of that run have been added by then: their order is kept otherwise,
    and no term adds to what another run left.
    """
    if any(pairs.get_tuple_name(_OUT) in tags for tags in program.tags[name]):
        return False
    statements = program.spaces.nest.statements
    own = statements[pairs.get_tuple_name(_IN)].reduction
    others = [
        statements[right.get_tuple_name(_IN)].reduction
        for right in known
        if right.get_tuple_name(_OUT) == pairs.get_tuple_name(_OUT)
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


def _dependence(program: Program, name: str, wrong: isl.Map) -> Dependence:
    """A wrong value as a pair of instances: what writes it, and what reads it."""
    statements = program.spaces.nest.statements
    source = statements[wrong.get_tuple_name(_IN)]
    write = next(x for x in source.accesses if x.array == name and x.write)
    if wrong.get_tuple_name(_OUT) == END:
        return Dependence(source, source, write, write, wrong, exact=write.certain)
    sink = statements[wrong.get_tuple_name(_OUT)]
    read = next(x for x in sink.accesses if x.array == name and not x.write)
    exact = write.certain and read.certain
    return Dependence(source, sink, write, read, wrong, exact)


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
        rank = max((len(access.subscripts) for _, access in touched), default=0)
        for (source, ours), (sink, theirs) in product(touched, touched):
            if ours.write or theirs.write:
                first = access_map(spaces, source, ours, rank)
                second = access_map(spaces, sink, theirs, rank)
                pairs = first.apply_range(second.reverse())
                pairs -= _together(program, name, pairs)
                if not pairs.is_empty():
                    exact = ours.certain and theirs.certain
                    yield Dependence(source, sink, ours, theirs, pairs, exact)
