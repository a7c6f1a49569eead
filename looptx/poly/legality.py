"""The one checker: does every dependence still run forward, and who carries it?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import islpy as isl

from looptx.model.expr import IntExpr
from looptx.model.program import Access, Reduction, Statement
from looptx.model.schedule import Band, Dim, Schedule, bands, path, statements
from looptx.poly.dependences import Dependence, Times
from looptx.poly.spaces import Spaces, evaluate


@dataclass(frozen=True, slots=True)
class Witness:
    """Two concrete instances, one cell, and the sizes at which it happens."""

    sizes: Mapping[str, int]
    source: Statement
    source_point: tuple[int, ...]
    source_access: Access
    sink: Statement
    sink_point: tuple[int, ...]
    sink_access: Access


@dataclass(frozen=True, slots=True)
class Violation:
    """A dependence that a schedule breaks, or that a parallel dimension carries."""

    dependence: Dependence
    relation: isl.Map
    dim: Dim | None = None


def relaxed(
    dependence: Dependence, schedule: Schedule, integers: frozenset[str]
) -> bool:
    """Whether a dependence only keeps the order of one reduction, which may change."""
    reduction = dependence.reduction
    if reduction is None:
        return False
    target = reduction.target.array
    return target in schedule.reassociate or target in integers


def violations(
    spaces: Spaces,
    found: Sequence[Dependence],
    schedule: Schedule,
    integers: frozenset[str],
) -> Iterator[Violation]:
    """The dependences (none relaxed) that no longer run forward."""
    times = Times(spaces, schedule)
    before: dict[tuple[str, str], isl.Map] = {}
    for dependence in found:
        if relaxed(dependence, schedule, integers):
            continue
        pair = dependence.source.name, dependence.sink.name
        if pair not in before:
            before[pair] = times.before(dependence.source, dependence.sink)
        broken = dependence.relation - before[pair]
        if not broken.is_empty():
            yield Violation(dependence, broken)


def carried(
    spaces: Spaces,
    found: Sequence[Dependence],
    schedule: Schedule,
    dim: Dim,
) -> Iterator[Violation]:
    """The dependences between different iterations of one dimension."""
    band = next(b for b in bands(schedule.tree) if b.dim.uid == dim.uid)
    inside = set(statements(band))
    for dependence in found:
        if dependence.source.name not in inside or dependence.sink.name not in inside:
            continue
        ours, theirs = (
            _until(schedule, dependence.source.name, dim),
            _until(schedule, dependence.sink.name, dim),
        )
        source, sink = dependence.source, dependence.sink
        here = dependence.relation
        for mine, other in zip(ours[:-1], theirs[:-1], strict=True):
            here = here & _related(spaces, source, mine, sink, other, equal=True)
        here = here & _related(spaces, source, ours[-1], sink, theirs[-1], equal=False)
        if not here.is_empty():
            yield Violation(dependence, here, dim)


def _until(schedule: Schedule, statement: str, dim: Dim) -> list[IntExpr]:
    """A statement's positions along its path, up to and including ``dim``."""
    result = []
    for node, _ in path(schedule.tree, statement):
        if isinstance(node, Band):
            result.append(schedule.position[node.dim.uid][statement])
            if node.dim.uid == dim.uid:
                break
    return result


def _related(
    spaces: Spaces,
    source: Statement,
    mine: IntExpr,
    sink: Statement,
    other: IntExpr,
    *,
    equal: bool,
) -> isl.Map:
    ours = spaces.map(source.name, source.loops, [mine])
    theirs = spaces.map(sink.name, sink.loops, [other])
    if equal:
        return ours.apply_range(theirs.reverse())
    space = ours.get_space().range()
    unequal = isl.Map.lex_lt(space).union(isl.Map.lex_gt(space))
    return ours.apply_range(unequal).apply_range(theirs.reverse())


def determined(
    spaces: Spaces, schedule: Schedule, users: Sequence[Statement], loops: int
) -> bool:
    """Whether the common path of ``users`` fixes the first ``loops`` source iterators.

    If so, no other iteration runs between the first and the last use of a scalar that
    has one life per iteration of those loops, and one cell serves them all.
    """
    times = Times(spaces, schedule)
    for first in users:
        for second in users:
            prefix = _common_prefix(times, users, first, second)
            relation: isl.Map | None = None
            for mine, other in prefix:
                one = _related(spaces, first, mine, second, other, equal=True)
                relation = one if relation is None else relation & one
            both = isl.Map.from_domain_and_range(
                spaces.domain(first), spaces.domain(second)
            )
            relation = both if relation is None else relation & both
            for axis in range(loops):
                same = isl.Map.universe(relation.get_space()).equate(
                    isl.dim_type.in_, axis, isl.dim_type.out, axis
                )
                if not relation.is_subset(same):
                    return False
    return True


def _common_prefix(
    times: Times, users: Sequence[Statement], first: Statement, second: Statement
) -> list[tuple[IntExpr, IntExpr]]:
    """Positions of the bands that enclose every user, for two of them."""
    shared = None
    for user in users:
        here = [
            node.dim.uid
            for node, _ in path(times.schedule.tree, user.name)
            if isinstance(node, Band)
        ]
        shared = here if shared is None else [uid for uid in shared if uid in here]
    position = times.schedule.position
    return [
        (position[uid][first.name], position[uid][second.name]) for uid in shared or []
    ]


def witness(spaces: Spaces, violation: Violation) -> Witness:
    """The smallest sizes, then the first pair of iterations, of a violation."""
    relation = violation.relation
    values = relation.wrap().flatten()
    parameters = values.dim(isl.dim_type.param)
    for low, high in ((0, 12), (-3, 12), (0, 300), (-40, 300), (None, None)):
        bounded = values
        for number in range(parameters):
            if low is not None and high is not None:
                bounded = bounded.lower_bound_val(
                    isl.dim_type.param, number, isl.Val(low, values.get_ctx())
                )
                bounded = bounded.upper_bound_val(
                    isl.dim_type.param, number, isl.Val(high, values.get_ctx())
                )
        if not bounded.is_empty():
            break
    flat = bounded.move_dims(isl.dim_type.set, 0, isl.dim_type.param, 0, parameters)
    try:
        point = flat.lexmin().sample_point()
    except isl.Error:
        point = flat.sample_point()
    count = flat.dim(isl.dim_type.set)
    numbers = [
        int(point.get_coordinate_val(isl.dim_type.set, at).to_python())
        for at in range(count)
    ]
    dependence = violation.dependence
    split = parameters + len(dependence.source.loops)
    used = _used_parameters(spaces, relation)
    sizes = {
        text: numbers[at] for at, text in enumerate(spaces.parameters) if text in used
    }
    return Witness(
        dict(zip(spaces.parameters, numbers[:parameters], strict=True))
        if not used
        else sizes,
        dependence.source,
        tuple(numbers[parameters:split]),
        dependence.source_access,
        dependence.sink,
        tuple(numbers[split:]),
        dependence.sink_access,
    )


def _used_parameters(spaces: Spaces, relation: isl.Map) -> frozenset[str]:
    """The parameters a relation speaks of."""
    return frozenset(
        text
        for at, text in enumerate(spaces.parameters)
        if relation.involves_dims(isl.dim_type.param, at, 1)
    )


def cell(
    spaces: Spaces,
    access: Access,
    statement: Statement,
    point: Sequence[int],
    sizes: Mapping[str, int],
) -> str:
    """The cell an instance touches, as Python writes it."""
    if not access.subscripts:
        return access.array
    values = {**sizes, **dict(zip(statement.loops, point, strict=True))}
    shown = []
    for axis, subscript in enumerate(access.subscripts):
        if subscript is None:
            shown.append("?")
            continue
        number = evaluate(subscript, values)
        extent = sizes.get(spaces.shape_text(access.array, axis), 0)
        shown.append(str(number + extent if number < 0 else number))
    return f"{access.array}[{', '.join(shown)}]"


def carried_reductions(
    spaces: Spaces,
    found: Sequence[Dependence],
    schedule: Schedule,
    integers: frozenset[str],
    dim: Dim,
) -> tuple[Reduction, ...]:
    """The relaxed reductions that a parallel or vector dimension carries."""
    loose = [item for item in found if relaxed(item, schedule, integers)]
    reductions = [
        item.dependence.reduction
        for item in carried(spaces, loose, schedule, dim)
        if item.dependence.reduction is not None
    ]
    unique: dict[tuple[str, str], Reduction] = {}
    for reduction in reductions:
        unique.setdefault((reduction.target.array, reduction.op), reduction)
    return tuple(unique.values())
