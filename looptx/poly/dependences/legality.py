"""The one checker: does every dependence still run forward, and who carries it?

A schedule is a map from iterations to times, and legal if the image of no dependence
runs backward in lexicographic order (Feautrier, "Some efficient solutions to the affine
scheduling problem, part II", IJPP 1992; Kelly, Pugh, "A unifying framework for
iteration reordering transformations", 1995).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import islpy as isl

from looptx.model.elements import Access
from looptx.model.expr import IntExpr, variables
from looptx.model.expr.evaluate import value
from looptx.model.program import ANYTHING, Reduction, Statement
from looptx.model.records import dataclass
from looptx.model.schedule import Band, Dim, Schedule, bands, path, statements
from looptx.model.tree import opened, whole_loops
from looptx.poly.astexpr import integer
from looptx.poly.collapse.chains import in_rows
from looptx.poly.collapse.pairs import Pairs
from looptx.poly.collapse.products import Products
from looptx.poly.delinearization import place
from looptx.poly.dependences.memory_based import Dependence
from looptx.poly.dependences.order import Times
from looptx.poly.dependences.program import Program
from looptx.poly.dependences.reruns import reruns
from looptx.poly.spaces import Spaces


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
    again: bool = False
    """Whether it is a read of what another run of an instance wrote."""
    proven: bool = True
    """False where it only may be one: the value of a collapsed loop is not affine."""

    @property
    def exact(self) -> bool:
        """Whether the pair certainly conflicts, and certainly in the wrong order."""
        return self.proven and self.dependence.exact

    @property
    def effects(self) -> Statement | None:
        """The statement that may use anything, where that is the reason."""
        found = self.dependence
        if found.source_access.array != ANYTHING:
            return None
        return found.source if found.source_access.write else found.sink


def relaxed(
    dependence: Dependence, schedule: Schedule, integers: frozenset[str]
) -> bool:
    """Whether a dependence only keeps the order of one reduction, which may change.

    Args:
        dependence: the dependence.
        schedule: says which reductions the user lets reassociate.
        integers: targets whose arithmetic is exact in any order.

    Returns:
        True where the schedule need not keep it.
    """
    reduction = dependence.reduction
    if reduction is None:
        return False
    target = schedule.cached(reduction.target.array)
    return target in schedule.reassociate or target in integers


def violations(
    program: Program,
    schedule: Schedule,
    integers: frozenset[str],
    safe: Callable[[], isl.Set],
    aside: Collection[str] = (),
) -> Iterator[Violation]:
    """The dependences (none relaxed) that no longer run forward.

    Args:
        program: what runs under the schedule.
        schedule: the schedule to be judged.
        integers: targets whose arithmetic is exact in any order.
        safe: gives the sizes that count. It is asked only where some pair is left, as
            isl may take longer for them than for all the rest.
        aside: statements whose dependences do not matter.
    """
    order = in_rows(program.spaces, schedule)
    pairs = Pairs(Products(program.spaces.with_starts(), order, named=True))
    times = Times(pairs.spaces, order)
    wrong: dict[tuple[str, str], isl.Map] = {}

    def broken(source: Statement, sink: Statement, relation: isl.Map) -> isl.Map:
        pair = source.name, sink.name
        if pair not in wrong:
            wrong[pair] = times.not_before(source, sink).coalesce()
        return relation & wrong[pair]

    for dependence in program.dependences:
        if not (relaxed(dependence, schedule, integers) or _met(dependence, aside)):
            yield from _violation(pairs, dependence, broken, safe)
    for dependence in reruns(program, schedule, integers):
        if _met(dependence, aside):
            continue
        relation = dependence.relation.intersect_params(safe())
        if not relation.is_empty():
            yield Violation(dependence, relation, again=True)


def _met(dependence: Dependence, names: Collection[str]) -> bool:
    """Whether one of some statements is an end of a dependence."""
    return dependence.source.name in names or dependence.sink.name in names


def _violation(
    pairs: Pairs,
    dependence: Dependence,
    choose: Callable[[Statement, Statement, isl.Map], isl.Map],
    safe: Callable[[], isl.Set],
    dim: Dim | None = None,
) -> Iterator[Violation]:
    """The violation by the pairs that ``choose`` takes of a dependence, if any.

    Pairs that only may be wrong, as the value of a collapsed loop is not affine, are
    looked for at some sizes where it is.
    """
    loops = pairs.spaces.nest.statements
    ends = loops[dependence.source.name], loops[dependence.sink.name]

    def chosen(known: Pairs) -> isl.Map:
        wrong = choose(*ends, known.lift(dependence.relation, *ends))
        if not wrong.is_empty():
            wrong = known.spaces.meant(wrong)
        return wrong if wrong.is_empty() else wrong.intersect_params(safe())

    found = chosen(pairs)
    if found.is_empty():
        return
    certain = [pairs] if pairs.exact else pairs.samples()
    for sample in certain:
        surely = found if sample is pairs else chosen(sample)
        if not surely.is_empty():
            yield Violation(dependence, pairs.ground(surely), dim)
            return
    yield Violation(dependence, pairs.ground(found), dim, proven=False)


def carried(
    spaces: Spaces,
    found: Sequence[Dependence],
    schedule: Schedule,
    dim: Dim,
    safe: Callable[[], isl.Set],
) -> Iterator[Violation]:
    """The dependences between different iterations of one dimension.

    Args:
        spaces: those of the nest.
        found: dependences of the nest.
        schedule: the schedule to be judged.
        dim: the dimension.
        safe: gives the sizes that count, as for ``violations``.
    """
    band = next(b for b in bands(schedule.tree) if b.dim.uid == dim.uid)
    inside = set(statements(band))
    order, stands = opened(schedule, whole_loops(schedule))
    pairs = Pairs(Products(spaces.with_starts(), order, named=True))
    known: dict[tuple[str, str], isl.Map] = {}

    def together(source: Statement, sink: Statement, relation: isl.Map) -> isl.Map:
        pair = source.name, sink.name
        if pair not in known:
            ours, theirs = (positions(order, stands, name, dim) for name in pair)
            known[pair] = _apart(pairs.spaces, source, ours, sink, theirs)
        return relation & known[pair]

    for dependence in found:
        if inside >= {dependence.source.name, dependence.sink.name}:
            yield from _violation(pairs, dependence, together, safe, dim)


def positions(
    schedule: Schedule, stands: Mapping[int, int], statement: str, dim: Dim
) -> tuple[list[IntExpr], list[IntExpr]]:
    """A statement's positions in the loops around a dimension, and in its own.

    Args:
        schedule, stands: as ``opened`` gives them: two loops may stand for one.
        statement: its name. dim: the dimension.
    """
    outer: list[IntExpr] = []
    own: list[IntExpr] = []
    for node, _ in path(schedule.tree, statement):
        if isinstance(node, Band):
            uid = node.dim.uid
            met = stands.get(uid, uid) == dim.uid
            if own and not met:
                break
            (own if met else outer).append(schedule.position[uid][statement])
    return outer, own


def _apart(
    spaces: Spaces,
    source: Statement,
    ours: tuple[list[IntExpr], list[IntExpr]],
    sink: Statement,
    theirs: tuple[list[IntExpr], list[IntExpr]],
) -> isl.Map:
    """Pairs at the same positions in outer loops, and at different ones further in."""
    (outer, inner), (beside, other) = (
        tuple(
            spaces.map(statement.name, statement.loops, values) for values in positions
        )
        for statement, positions in ((source, ours), (sink, theirs))
    )
    space = inner.get_space().range()
    unequal = isl.Map.lex_lt(space).union(isl.Map.lex_gt(space))
    equal = outer.apply_range(beside.reverse())
    return equal & inner.apply_range(unequal).apply_range(other.reverse())


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
    numbers = _first(
        bounded.move_dims(isl.dim_type.set, 0, isl.dim_type.param, 0, parameters)
    )
    dependence = violation.dependence
    split = parameters + len(dependence.source.loops)
    used = _used_parameters(spaces, relation)
    every = dict(zip(spaces.parameters, numbers[:parameters], strict=True))
    sizes = {text: number for text, number in every.items() if text in used}
    return Witness(
        sizes if used else every,
        dependence.source,
        tuple(numbers[parameters:split]),
        dependence.source_access,
        dependence.sink,
        tuple(numbers[split:]),
        dependence.sink_access,
    )


def _first(points: isl.Set) -> list[int]:
    """The lexicographically first point, as far as there is a first coordinate.

    isl's own lexmin describes where each part of the set has it, and can take minutes
    on sets in which a search finds the point after some tens of tests.
    """
    found = _some(points)
    for at in range(len(found)):
        gap, growing = 1, True
        while 0 < gap <= _FAR:
            limit = found[at] - gap
            less = points.upper_bound_val(isl.dim_type.set, at, limit)
            if less.is_empty():
                growing = False
            else:
                found = _some(less)
            gap = 2 * gap if growing else gap // 2
        points = points.fix_val(isl.dim_type.set, at, found[at])
    return found


_FAR = 1 << 20
"""How far from a coordinate that was found a smaller one is looked for."""


def _some(points: isl.Set) -> list[int]:
    """A point of a set."""
    point, kind = points.sample_point(), isl.dim_type.set
    count = points.dim(kind)
    return [integer(point.get_coordinate_val(kind, at)) for at in range(count)]


def _used_parameters(spaces: Spaces, relation: isl.Map) -> frozenset[str]:
    """The parameters a relation speaks of."""
    return frozenset(
        text
        for at, text in enumerate(spaces.parameters)
        if relation.involves_dims(isl.dim_type.param, at, 1)
    )


def cell(
    spaces: Spaces,
    statement: Statement,
    access: Access,
    point: Sequence[int],
    sizes: Mapping[str, int],
) -> str:
    """The cell an instance touches, as Python writes it.

    Args:
        spaces: those of the nest.
        statement: the statement.
        access: one of its own.
        point: the values of its loops.
        sizes: those of the parameters.

    Returns:
        ``A[1, 2]``, with ``?`` for a subscript that is not affine.
    """
    if not access.subscripts:
        return access.array
    values = {**sizes, **dict(zip(statement.loops, point, strict=True))}
    starts = _starts(spaces, sizes)
    shown = []
    for axis in range(len(access.subscripts)):
        cell = place(access, axis)
        if cell is None or not cell.names <= values.keys():
            shown.append("?")
            continue
        number = cell.value(lambda part: value(part, values, starts))
        extent = sizes.get(spaces.shape_text(access.array, axis), 0)
        shown.append(str(number + extent if number < 0 else number))
    return f"{access.array}[{', '.join(shown)}]"


def _starts(spaces: Spaces, sizes: Mapping[str, int]) -> dict[str, int]:
    """The first values of loops whose bounds depend on others, at some sizes."""
    found: dict[str, int] = {}
    for loop in spaces.nest.loops.values():
        if variables(loop.start) & spaces.nest.loops.keys():
            values = isl.Set.from_pw_aff(spaces.start(loop.id))
            for at, text in enumerate(spaces.parameters):
                if text in sizes:
                    number = isl.Val(sizes[text], values.get_ctx())
                    values = values.fix_val(isl.dim_type.param, at, number)
            first = values.dim_max_val(0)
            found[loop.id] = integer(first) if first.is_int() else 0
    return found


def carried_reductions(
    program: Program,
    schedule: Schedule,
    integers: frozenset[str],
    dim: Dim,
    safe: Callable[[], isl.Set],
) -> tuple[Reduction, ...]:
    """The relaxed reductions that a parallel or vector dimension carries.

    Args:
        program: what runs under the schedule.
        schedule: the schedule.
        integers: targets whose arithmetic is exact in any order.
        dim: the dimension.
        safe: gives the sizes that count, as for ``violations``.

    Returns:
        One for each array and operation.
    """
    loose = [x for x in program.dependences if relaxed(x, schedule, integers)]
    reductions = [
        item.dependence.reduction
        for item in carried(program.spaces, loose, schedule, dim, safe)
        if item.dependence.reduction is not None
    ]
    unique: dict[tuple[str, str], Reduction] = {}
    for reduction in reductions:
        unique.setdefault((reduction.target.array, reduction.op), reduction)
    return tuple(unique.values())
