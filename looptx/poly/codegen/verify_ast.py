"""Verification of isl's AST: do its loops run what they were asked to run?

isl's AST generation is exact in theory, but has been seen to lose iterations where
loops in steps start at sizes (islpy 2026.2). What an AST runs is therefore read back
from its bounds and conditions, as relations from its iterators to statement instances,
and compared with the domain of the schedule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import islpy as isl

from looptx.errors import Unproven
from looptx.model.expr import (
    ZERO,
    Compare,
    Cond,
    Const,
    IntExpr,
    Var,
    conj,
    mod,
    negate,
    sub,
    variables,
)
from looptx.model.records import dataclass, replace
from looptx.poly.astexpr import conditional, loop_bounds, texts, to_cond, to_expr
from looptx.poly.budget import Exceeded, budget, constant
from looptx.poly.spaces import Spaces

_NODE: Any = isl.ast_node_type

OPERATIONS = 100_000
"""isl operations that one comparison may take; beyond it, some are made at SIZES."""

SIZES = ((1002, 7), (1007, -6), (1000, 0), (5, 0))
"""The first size and how much more each further one is, where all sizes take too long.

The first ones leave every remainder by 2, 3 and 4; the second is less than the first,
equal or greater; and there are few iterations, or those of many tiles.
"""


class Incomplete(Unproven):
    """Loops that isl wrote do not run what they were asked to run."""

    def __init__(self, what: str = "that run other iterations") -> None:
        super().__init__(
            "LX204",
            f"unknown: isl writes loops for this schedule {what}",
            hint="use fewer directives, or loops with simpler bounds",
        )


@dataclass(frozen=True, slots=True)
class _Place:
    """The context of a node: the iterators around it, and their values.

    ``wide`` is how bounds of loops are read.
    """

    spaces: Spaces
    names: Mapping[str, IntExpr]
    loops: tuple[str, ...]
    points: isl.Set
    wide: bool = False

    def where(self, *holds: Cond) -> _Place:
        """The same place where more holds."""
        space = self.points.get_space()
        more = self.spaces.cond(conj(*holds), space, self.loops)
        return replace(self, points=self.points & more)

    def runs(self, name: str, values: Sequence[IntExpr]) -> isl.Map:
        """The iterations of the loops around a call, to the instances that it runs."""
        call = self.spaces.map("", self.loops, values, name)
        return call.intersect_domain(self.points)


def check(ast: Any, schedule: isl.Schedule, spaces: Spaces) -> None:
    """See that an AST runs every instance of a schedule, and nothing else.

    Their order is not looked at.

    Args:
        ast: its root.
        schedule: what it was made from.
        spaces: those of the schedule.

    Raises:
        Incomplete: it does not. Where that takes long to say for all sizes, it is said
            for some of them.
    """
    agrees = _agrees(ast, domains(schedule), spaces)
    if agrees is None:
        raise Incomplete("that take too long to compare with it")
    if not agrees:
        raise Incomplete


def wider(ast: Any, schedule: isl.Schedule, spaces: Spaces) -> bool:
    """Whether its loops run the same where no bound of theirs is chosen by conditions.

    Such a bound is as wide as it may ever be: the loops inside are empty where it is
    too wide. Otherwise, or where that takes long to say, the answer is no.

    Args:
        ast: its root, complete as it is.
        schedule: what it was made from.
        spaces: those of the schedule.
    """
    if not _chooses(ast):
        return False
    with suppress(Exceeded), budget(2 * OPERATIONS):
        place = replace(_outside(spaces), wide=True)
        return _complete([*_runs(ast, place)], domains(schedule), _context(spaces))
    return False


def domains(schedule: isl.Schedule) -> list[isl.Set]:
    """The instances of every statement that a schedule has."""
    sets = schedule.get_domain().get_set_list()
    return [sets.get_at(at) for at in range(sets.n_set())]


def _outside(spaces: Spaces) -> _Place:
    """Around all loops."""
    return _Place(spaces, texts(spaces), (), isl.Set.universe(spaces.space("", 0)))


def _context(spaces: Spaces) -> isl.Set:
    """What is known of all parameters."""
    return spaces.context.align_params(spaces.params_space())


def _agrees(ast: Any, wanted: Sequence[isl.Set], spaces: Spaces) -> bool | None:
    """Whether it does, as far as that can be said; None where it cannot at all."""

    def complete(context: isl.Set, known: Mapping[str, IntExpr]) -> bool:
        place = _outside(spaces)
        place = replace(place, names={**place.names, **known})
        return _complete([*_runs(ast, place)], wanted, context)

    context = _context(spaces)
    with suppress(Exceeded), budget(OPERATIONS):
        return complete(context, {})
    found: list[bool] = []
    for sizes in SIZES:
        with suppress(Exceeded), budget(OPERATIONS):
            found.append(complete(*_fixed(context, sizes)))
    return all(found) if found else None


def _fixed(
    context: isl.Set, sizes: tuple[int, int]
) -> tuple[isl.Set, dict[str, IntExpr]]:
    """The sizes as far as they may be like that, and what isl's parameters are then."""
    size, more = sizes
    known: dict[str, IntExpr] = {}
    for at in range(context.dim(isl.dim_type.param)):
        value = size + more * at
        fixed = context.fix_val(isl.dim_type.param, at, constant(value))
        if not fixed.is_empty():
            context = fixed
            known[f"p{at}"] = Const(value)
    return context, known


def _complete(
    runs: Sequence[isl.Map], wanted: Sequence[isl.Set], context: isl.Set
) -> bool:
    """Whether calls run all that is wanted and nothing twice, where a context holds."""
    asked = {one.get_tuple_name(): one.intersect_params(context) for one in wanted}
    found: dict[str, isl.Set] = {}
    for each in runs:
        call = each.intersect_params(context)
        instances = call.range().coalesce()
        name = instances.get_tuple_name()
        before = found.get(name)
        once = before is None or before.is_disjoint(instances)
        if not (once and call.is_injective() and instances.is_subset(asked[name])):
            return False
        found[name] = instances if before is None else before.union(instances)
    return all(
        domain.is_empty()
        or (name in found and domain.is_subset(found[name].coalesce()))
        for name, domain in asked.items()
    )


def _runs(node: Any, place: _Place) -> Iterator[isl.Map]:
    """What each call below a node runs."""
    kind = node.get_type()
    if kind == _NODE.mark:
        yield from _runs(node.mark_get_node(), place)
    elif kind == _NODE.block:
        children = node.block_get_children()
        for at in range(children.n_ast_node()):
            yield from _runs(children.get_at(at), place)
    elif kind == _NODE.for_:
        yield from _runs(node.for_get_body(), _inside(node, place))
    elif kind == _NODE.if_:
        cond = to_cond(node.if_get_cond(), place.names)
        yield from _runs(node.if_get_then(), place.where(cond))
        if node.if_has_else():
            yield from _runs(node.if_get_else(), place.where(negate(cond)))
    else:
        call = node.user_get_expr()
        args = [call.get_op_arg(at) for at in range(call.get_op_n_arg())]
        values = [to_expr(arg, place.names) for arg in args[1:]]
        yield place.runs(args[0].get_id().get_name(), values)


def _inside(node: Any, place: _Place) -> _Place:
    """The place of the body of a loop."""
    name = node.for_get_iterator().get_id().get_name()
    # No parameter is called like this.
    value = Var(f"@{name}")
    names = {**place.names, name: value}
    start, stop, step = loop_bounds(node, names, wide=place.wide)
    if value.name in variables(stop):
        raise Incomplete("whose bounds change while they run")
    inner = replace(
        place,
        names=names,
        loops=(*place.loops, value.name),
        points=place.points.add_dims(isl.dim_type.set, 1).set_tuple_name(""),
    )
    if node.for_is_degenerate():
        return inner.where(Compare("==", value, start))
    stride = Compare("==", mod(sub(value, start), step), ZERO)
    holds = Compare(">=", value, start), Compare("<", value, stop)
    return inner.where(*holds, stride)


def _chooses(node: Any) -> bool:
    """Whether a condition chooses the bound of a loop."""
    kind = node.get_type()
    if kind == _NODE.mark:
        return _chooses(node.mark_get_node())
    if kind == _NODE.block:
        children = node.block_get_children()
        return any(_chooses(children.get_at(at)) for at in range(children.n_ast_node()))
    if kind == _NODE.if_:
        other = node.if_has_else() and _chooses(node.if_get_else())
        return other or _chooses(node.if_get_then())
    if kind == _NODE.for_:
        bounds = [node.for_get_init()]
        if not node.for_is_degenerate():
            bounds.append(node.for_get_cond())
        return any(map(conditional, bounds)) or _chooses(node.for_get_body())
    return False
