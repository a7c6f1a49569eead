"""Whether the loops that isl wrote run what they were asked to run.

isl's AST generation is exact in theory, but has been seen to lose iterations where
loops in steps start at sizes (islpy 2026.2). What an AST runs is therefore read back
from its bounds and conditions, as relations from its iterators to statement instances,
and compared with the domain of the schedule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

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
)
from looptx.poly.astexpr import texts, to_cond, to_expr
from looptx.poly.spaces import Spaces, budget

_NODE: Any = isl.ast_node_type

OPERATIONS = 100_000
"""isl operations that one comparison may take; beyond it, one is made for SIZES."""

SIZES = (1000, 1007)
"""Where sizes are what makes it long: one even, one odd, both of many tiles."""


class Incomplete(Unproven):
    """Loops that isl wrote do not run what they were asked to run."""

    def __init__(self) -> None:
        super().__init__(
            "LX204",
            "unknown: isl writes loops for this schedule that run other iterations",
            hint="use fewer directives, or loops with simpler bounds",
        )


@dataclass(frozen=True, slots=True)
class _Place:
    """What stands around a node: the iterators of loops, and what holds of them."""

    names: dict[str, IntExpr]
    loops: tuple[str, ...] = ()
    holds: tuple[Cond, ...] = ()

    def where(self, *holds: Cond) -> _Place:
        return replace(self, holds=(*self.holds, *holds))


_Call: TypeAlias = tuple[str, Sequence[IntExpr], _Place]
"""A statement, the values of its loops, and where it is called."""


def check(ast: Any, schedule: isl.Schedule, spaces: Spaces) -> None:
    """See that an AST runs every instance of a schedule, and nothing else.

    Not looked at is their order, and whether one call runs an instance twice.

    Args:
        ast: its root.
        schedule: what it was made from.
        spaces: those of the schedule.

    Raises:
        Incomplete: it does not. Where that takes long to say for all sizes, it is said
            for some of them.
    """
    calls = list(_calls(ast, _Place(texts(spaces))))
    try:
        with budget(OPERATIONS):
            done = _complete(calls, schedule, spaces, spaces.context)
    except Unproven:
        done = all(_complete_at(size, calls, schedule, spaces) for size in SIZES)
    if not done:
        raise Incomplete


def _complete_at(
    size: int, calls: Sequence[_Call], schedule: isl.Schedule, spaces: Spaces
) -> bool:
    """Whether it does, where all sizes are about as given, as far as they may be."""
    with suppress(Unproven), budget(OPERATIONS):
        context = spaces.context
        for at in range(len(spaces.parameters)):
            fixed = context.fix_val(isl.dim_type.param, at, isl.Val(size + at))
            context = context if fixed.is_empty() else fixed
        return _complete(calls, schedule, spaces, context)
    return True


def _complete(
    calls: Sequence[_Call], schedule: isl.Schedule, spaces: Spaces, context: isl.Set
) -> bool:
    """Whether the calls run what is asked for, where the context holds."""
    domains = schedule.get_domain().get_set_list()
    wanted = {
        one.get_tuple_name(): one.intersect_params(context)
        for one in (domains.get_at(at) for at in range(domains.n_set()))
    }
    found: dict[str, isl.Set] = {}
    for name, values, place in calls:
        space = spaces.space("", len(place.loops))
        points = spaces.cond(conj(*place.holds), space, place.loops)
        runs = spaces.map("", place.loops, values, name)
        points = points.intersect_params(context)
        instances = runs.intersect_domain(points).range().coalesce()
        before = found.get(name)
        if not instances.is_subset(wanted[name]) or (
            before is not None and not before.is_disjoint(instances)
        ):
            return False
        found[name] = instances if before is None else before.union(instances)
    return all(
        domain.is_empty()
        or (name in found and domain.is_subset(found[name].coalesce()))
        for name, domain in wanted.items()
    )


def _calls(node: Any, place: _Place) -> Iterator[_Call]:
    """The calls below a node, each with its arguments and its place."""
    kind = node.get_type()
    if kind == _NODE.mark:
        yield from _calls(node.mark_get_node(), place)
    elif kind == _NODE.block:
        children = node.block_get_children()
        for at in range(children.n_ast_node()):
            yield from _calls(children.get_at(at), place)
    elif kind == _NODE.for_:
        yield from _calls(node.for_get_body(), _inside(node, place))
    elif kind == _NODE.if_:
        cond = to_cond(node.if_get_cond(), place.names)
        yield from _calls(node.if_get_then(), place.where(cond))
        if node.if_has_else():
            yield from _calls(node.if_get_else(), place.where(negate(cond)))
    else:
        call = node.user_get_expr()
        args = [call.get_op_arg(at) for at in range(call.get_op_n_arg())]
        values = [to_expr(arg, place.names) for arg in args[1:]]
        yield args[0].get_id().get_name(), values, place


def _inside(node: Any, place: _Place) -> _Place:
    """The place of the body of a loop."""
    name = node.for_get_iterator().get_id().get_name()
    # No parameter is called like this.
    value = Var(f"@{name}")
    start = to_expr(node.for_get_init(), place.names)
    inner = replace(
        place,
        names={**place.names, name: value},
        loops=(*place.loops, value.name),
    )
    if node.for_is_degenerate():
        return inner.where(Compare("==", value, start))
    stops = to_cond(node.for_get_cond(), inner.names)
    step = to_expr(node.for_get_inc(), place.names)
    assert isinstance(step, Const)
    stride = Compare("==", mod(sub(value, start), step.value), ZERO)
    return inner.where(Compare(">=", value, start), stops, stride)
