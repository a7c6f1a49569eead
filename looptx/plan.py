"""The spine: a nest and its directives become a schedule, a verdict, and loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from looptx.attach import assign
from looptx.directives import Verb
from looptx.errors import LooptxError, Together, Unproven
from looptx.looptree.identities import started
from looptx.looptree.passing import in_order
from looptx.looptree.planned import Planned
from looptx.looptree.prepare import prepare
from looptx.looptree.rounded import rounded
from looptx.looptree.stored import plain, with_buffers
from looptx.lower.memory import memory
from looptx.model.elements import Access
from looptx.model.expr import Compare, Cond, Var, variables
from looptx.model.moves import Factor, promises
from looptx.model.program import Directive, Kernel, Nest, Statement
from looptx.model.records import replace
from looptx.model.schedule import bands, initial, source
from looptx.model.storage import allocated
from looptx.model.types import ArrayType, Type
from looptx.poly.analysis import Analysis
from looptx.poly.bounds import always
from looptx.poly.budget import (
    HINT_OPERATIONS,
    budget,
)
from looptx.poly.spaces import Spaces
from looptx.proof import (
    Known,
    Proven,
    Scanned,
    asked,
    check_buffers,
    prove,
    proven,
    scanned,
)
from looptx.source.nests.statements.exact_reductions import integer_targets


def plan_kernel(
    kernel: Kernel,
    directives: Sequence[Directive] = (),
    types: Mapping[str, Type] | None = None,
    *,
    everything: bool = False,
    checks: bool = True,
) -> tuple[Planned, ...]:
    """Plan every nest of a function that has directives.

    Args:
        kernel: the function, as ``source`` read it.
        directives: those of a decorator or a directive file.
        types: what is known of the names the nests read.
        everything: plan the nests without directives too, in their own order.
        checks: also tell when all accesses stay inside their arrays, as native code has
            to know; Python finds out by itself.

    Raises:
        LooptxError: the directives that are malformed, or the first of each nest that
            is refused; the others are in ``also``.
    """
    planned: list[Planned] = []
    wrong = Together()
    for nest, verbs in assign(kernel, directives):
        if verbs or everything:
            with wrong:
                planned.append(
                    plan_nest(nest, verbs, kernel.names, types or {}, checks=checks)
                )
    wrong.fail()
    return tuple(planned)


def plan_nest(
    nest: Nest,
    verbs: Sequence[Verb],
    names: frozenset[str],
    types: Mapping[str, Type],
    *,
    checks: bool = True,
    known: Known | None = None,
) -> Planned:
    """Apply the directives in order, prove the result once, and generate its loops.

    Args:
        nest: the nest. verbs: its directives. names: those the function uses.
        types: what is known of the names the nest reads.
        checks: as for ``plan_kernel``.
        known: what was found of this nest and these directives for other types; what is
            found now is added.

    Raises:
        LooptxError: with the place of a directive, or of the nest.
    """
    known = {} if known is None else known
    with _bounded(nest):
        wanted = asked(nest, verbs, names, types)
        key = wanted.key(checks=checks)
        if key in known:
            check_buffers(wanted, known[key].buffers, types)
            return generate(known[key], types)
        found = proven(wanted, types)
        loops = scanned(found, checks=checks)
        if found.schedule is wanted.final:
            # Else types had a say in how the nest was changed to be safe.
            known[key] = loops
        return generate(loops, types)


def check_nest(
    nest: Nest,
    verbs: Sequence[Verb],
    names: frozenset[str],
    types: Mapping[str, Type],
) -> None:
    """Raise what ``plan_nest`` raises of these directives, and plan no more for it.

    Loops are generated only where they are to be unrolled, as nothing else tells how
    many they become. Whether statements may raise, and whether values are what a
    directive takes them for, is left to ``plan_nest``.

    Args:
        nest: the nest. verbs: its directives. names: those the function uses.
        types: of the names the nest reads, which allow most.

    Raises:
        LooptxError: with the place of a directive, or of the nest.
    """
    with _bounded(nest):
        found = prove(nest, verbs, names, types, typed=False)
        marks = [band.dim.marks for band in bands(found.schedule.tree)]
        if any(mark.unroll is not None or mark.unroll_below for mark in marks):
            generate(scanned(found, checks=False), types)


@contextmanager
def _bounded(nest: Nest) -> Iterator[None]:
    """All that is done for a nest, in one budget; its errors have a place."""
    try:
        with budget():
            yield
    except LooptxError as error:
        raise error.at(nest.place) from None


def generate(found: Scanned, types: Mapping[str, Type]) -> Planned:
    """The loops of a schedule that is known to be safe, and the storage they need.

    Args:
        found: what isl says of the schedule.
        types: what is known of the names the nest reads.

    Returns:
        The nest, ready to be written or lowered.

    Raises:
        LooptxError: LX106 where too much is unrolled, LX212 where types do not tell
            what the parts of a sum begin with.
    """
    nest, final, buffers = found.nest, found.schedule, found.buffers
    lines = tuple(memory(buffers, types))
    nest = rounded(_running(found, types), types)
    nest, buffers = promises.apart(nest, buffers, final.scratch)
    stored = with_buffers(nest, buffers, types)
    held = {buffer.name for buffer in buffers}
    body = prepare(stored, found.body)
    body, ordered = in_order(nest, body, found.passing, held)
    return Planned(
        nest=stored,
        schedule=final,
        body=body,
        buffers=buffers,
        plain=frozenset(b.name for b in buffers if plain(nest, b, types)),
        memory=lines,
        ordered=ordered,
        finals=found.finals,
        in_bounds=found.in_bounds,
        digits=found.digits,
        wraps=found.wraps,
        unchecked=frozenset(
            access.array
            for statement in nest.statements.values()
            for access in statement.accesses
            if None in access.subscripts or _is_whole(access, types)
        ),
        reductions=promises.called(found.reductions, final.scratch),
    )


def _is_whole(access: Access, types: Mapping[str, Type]) -> bool:
    """Whether an access says of an array that any element may be touched."""
    return not access.subscripts and isinstance(types.get(access.array), ArrayType)


def _running(found: Scanned, types: Mapping[str, Type]) -> Nest:
    """The nest with the statements that run, in loops of the source."""
    nest, schedule, runs = found.nest, found.schedule, found.runs
    if runs is None:
        return nest
    types = {**types, **allocated(nest.allocations, types)}
    statements = {
        name: replace(
            one,
            loops=tuple(x for x in one.loops if x in nest.loops),
        )
        for name, one in runs.statements.items()
    }
    integers = integer_targets(nest, types)
    statements = {
        name: started(schedule, one, types, integers)
        for name, one in statements.items()
    }
    gone = _touched(nest.statements) - _touched(statements) - {*nest.live_out}
    made = (step.buffer for step in schedule.moves if isinstance(step, Factor))
    parts = (name for name in made if name not in runs.allocations)
    left = (name for name in nest.scalars if name not in gone)
    return replace(
        nest,
        statements=statements,
        allocations=runs.allocations,
        scalars=(*left, *parts),
    )


def _touched(statements: Mapping[str, Statement]) -> set[str]:
    """The arrays and scalars that some statements read or write."""
    return {x.array for one in statements.values() for x in one.accesses}


def as_written(planned: Planned, types: Mapping[str, Type]) -> Planned:
    """The same nest in the order of the source, on one thread.

    What the user assumes stays, and so do the temporaries: only the nest sees them.
    """
    given = planned.schedule
    nest = replace(source(given.nest), name=planned.nest.name)
    order = replace(
        initial(nest, given.taken),
        assumes=given.assumes,
        independent=given.independent,
        temporaries=given.temporaries,
        scratch=given.scratch,
        applied=given.applied,
    )
    with budget():
        found = Proven(nest, order, Analysis.under(nest, order))
        return generate(scanned(found, checks=True), types)


def with_conditions(planned: Planned, wanted: Iterable[tuple[str, Cond]]) -> Planned:
    """The nest with the sizes for which something holds at all iterations.

    Args:
        planned: the nest.
        wanted: statements, and conditions over their loops and integer parameters;
            those that isl cannot decide are left out.
    """
    nest = planned.nest
    found: dict[tuple[str, Cond], Cond] = {}
    spaces: dict[frozenset[str], Spaces] = {}
    with budget():
        for name, cond in wanted:
            names = frozenset(variables(cond) - {*nest.statements[name].loops})
            with suppress(Unproven), budget(HINT_OPERATIONS):
                if names not in spaces:
                    # A condition that always holds makes its names parameters.
                    known = (Compare("==", x, x) for x in map(Var, sorted(names)))
                    spaces[names] = Spaces(nest, (*planned.schedule.assumes, *known))
                statement = nest.statements[name]
                found[name, cond] = always(spaces[names], statement, cond)
    return replace(planned, always=found)
