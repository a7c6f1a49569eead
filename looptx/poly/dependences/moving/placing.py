"""In which iterations of a loop the statements run that moved into it.

The regions are exact sets of iterations, found from the dataflow: the boxes around them
that other systems compute run what nobody reads, and read what nobody wrote. (Halide's
``compute_at``, Ragan-Kelley et al., PLDI 2013; CINN's and TVM's ``compute_at`` and
``reverse_compute_at``.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import islpy as isl

from looptx.errors import Unproven
from looptx.model.moves import Cache, Move, Step, When
from looptx.poly.dependences.flows import END
from looptx.poly.dependences.order import first, last
from looptx.poly.dependences.state import State

_SET = isl.dim_type.set

Relation: TypeAlias = tuple[str, str, isl.Map]
"""Pairs of instances of two statements."""

_MOST_STEPS = 2
"""How often a relation is composed with itself before isl is asked for its closure."""


def exchanged(state: State, step: Step) -> frozenset[str]:
    """What decides when statements run: what they write, or what they wait for."""
    match step:
        case Cache(array=array, store=store):
            return frozenset((array,)) if store else frozenset()
        case Move(moved=moved, inside=inside):
            found = state.accessed(moved, write=True)
            if step.when is When.COMPLETE:
                read = state.accessed(moved, write=False)
                found |= read & state.accessed(inside, write=True)
            return found
    return frozenset()


def runs(state: State, move: Move) -> dict[str, isl.Map]:
    """When each statement runs that moves.

    Args:
        state: what runs before. move: the statements, and where they move.

    Returns:
        By statement ``{ [coordinates] -> statement[x] }``; what is in none of the
        relations does not move.

    Raises:
        Unproven: LX203 where isl cannot say what depends on what.
    """
    moved, flow = move.moved, [*_flow(state, move)]
    chain = isl.UnionMap.empty(state.spaces.params_space())
    for source, sink, pairs in flow:
        if source in moved and sink in moved:
            chain = chain.union(isl.UnionMap.from_map(pairs))
    chain = _closed(chain)
    met = isl.UnionMap.empty(state.spaces.params_space())
    complete = move.when is When.COMPLETE
    for source, sink, pairs in flow:
        if sink in move.inside and source in moved and not complete:
            there = state.map(sink, move.inside[sink]).reverse()
            met = met.union(isl.UnionMap.from_map(there.apply_range(pairs.reverse())))
        if source in move.inside and sink in moved and complete:
            there = state.map(source, move.inside[source]).reverse()
            met = met.union(isl.UnionMap.from_map(there.apply_range(pairs)))
    if complete:
        return _completed(state, move, met, chain)
    met = met.union(met.apply_range(chain.reverse()))
    found = {name: _of(state, move, met, name) for name in moved}
    if move.when is When.FIRST:
        found = {name: first(when.reverse()).reverse() for name, when in found.items()}
    return {name: when.coalesce() for name, when in found.items()}


def left(state: State, move: Move, ran: Mapping[str, isl.Set]) -> dict[str, isl.Set]:
    """What stays of statements that move, where they were: what may raise, and is read.

    Args:
        state: what runs before. move: the statements, and where they move.
        ran: what runs elsewhere now.
    """
    found = {name: state.domains[name] - done for name, done in ran.items()}
    if not move.hidden:
        return found
    read = isl.UnionSet.empty(state.spaces.params_space())
    for name, rest in found.items():
        if state.nest.statements[name].raises:
            read = read.union(isl.UnionSet.from_set(rest))
    chain = isl.UnionMap.empty(state.spaces.params_space())
    for name in sorted(state.accessed(move.moved, write=True)):
        for one in state.flows[name]:
            source, sink = one.ends
            if source not in found or sink == END:
                continue
            pairs = one.pairs
            if sink in found:
                chain = chain.union(isl.UnionMap.from_map(pairs))
                pairs = pairs.intersect_range(ran[sink])
            rest = pairs.domain() & found[source]
            read = read.union(isl.UnionSet.from_set(rest))
    read = read.union(read.apply(_closed(chain).reverse()))
    return {
        name: rest & read.extract_set(rest.get_space()) for name, rest in found.items()
    }


def _completed(
    state: State, move: Move, met: isl.UnionMap, chain: isl.UnionMap
) -> dict[str, isl.Map]:
    """When statements run that wait: for what they read, and what that waits for.

    What waits for nothing but is read by what does comes with the first of it.

    Args:
        state: what runs before. move: the statements, and where they move.
        met: from coordinates to what reads a value that is written there.
        chain: what reads what among the statements, at any distance.
    """
    waiting = met.union(met.apply_range(chain))
    latest = {
        name: last(_of(state, move, waiting, name).reverse()) for name in move.moved
    }
    every = isl.UnionMap.empty(state.spaces.params_space())
    for when in latest.values():
        every = every.union(isl.UnionMap.from_map(when.reverse()))
    early = every.apply_range(chain.reverse())
    found: dict[str, isl.Map] = {}
    for name, when in latest.items():
        rest = state.domains[name] - when.domain()
        soon = _of(state, move, early, name).reverse().intersect_domain(rest)
        found[name] = (when | first(soon)).reverse().coalesce()
    return found


def _of(state: State, move: Move, met: isl.UnionMap, name: str) -> isl.Map:
    """The part of a relation that leads to the instances of one statement."""
    loops = len(state.nest.statements[name].loops)
    ours = state.spaces.space("", len(move.coordinates)).reset_tuple_id(_SET)
    space = ours.map_from_domain_and_range(state.spaces.space(name, loops))
    return met.extract_map(space).intersect_range(state.domains[name])


def _flow(state: State, move: Move) -> Iterator[Relation]:
    """From writes to reads, in one iteration of the loops that were around before."""
    known = {*move.moved, *move.inside}
    for name in sorted(exchanged(state, move)):
        for one in state.flows[name]:
            source, sink = one.ends
            if {source, sink} <= known:
                level = state.map(source, move.common[source])
                other = state.map(sink, move.common[sink])
                yield source, sink, one.pairs & level.apply_range(other.reverse())


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
