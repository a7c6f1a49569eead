"""isl's AST as loops that show the values of their source loops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

import islpy as isl

from looptx import interrupts
from looptx.looptree.nodes import Block, Call, For, If, Let
from looptx.model.expr import (
    TRUE,
    Const,
    IntExpr,
    Max,
    Min,
    Var,
    add,
    conj,
    maximum,
    minimum,
    mul,
    neg,
    negate,
    sub,
    variables,
)
from looptx.model.schedule import Dim
from looptx.poly.astexpr import loop_bounds, to_cond, to_expr
from looptx.poly.codegen.coordinates import Coordinates
from looptx.poly.codegen.sizes import told
from looptx.poly.codegen.verify_ast import check, domains, wider
from looptx.poly.collapse.delinearize import Case, Delinearization, Value, Written

_NODE: Any = isl.ast_node_type
_OUT = isl.dim_type.out


class Loops:
    """Reads the AST of one schedule, whose bands are marked ``d`` and a dim's uid."""

    def __init__(self, coordinates: Coordinates, unfolding: Delinearization) -> None:
        self.coordinates = coordinates
        self.unfolding = unfolding
        self.instances: dict[str, isl.Set] = {}
        self.failed: BaseException | None = None
        self.wide = False
        self.values: dict[str, dict[str, Any]] = {}

    def read(self, schedule: isl.Schedule) -> Block:
        """The loops of a schedule tree. Raises: Incomplete."""
        spaces = self.coordinates.spaces
        context = told(spaces.context, domains(schedule))
        # Scaled loops would show other values than those of their source loops.
        context.get_ctx().set_ast_build_scale_strides(0)
        context.get_ctx().set_ast_build_detect_min_max(1)
        # What the bounds of a hidden loop imply is not checked by a loop.
        nested = int(not self.unfolding.loops)
        context.get_ctx().set_ast_build_exploit_nested_bounds(nested)
        # isl keeps no reference to the function; what comes with the build does.
        build, _keep = isl.AstBuild.from_context(context).set_at_each_domain(
            self._noted
        )
        with interrupts.held():
            _has_room()
            try:
                ast = build.node_from_schedule(schedule)
            finally:
                if self.failed is not None:
                    raise self.failed
        self.wide = wider(ast, schedule, spaces)
        if not self.wide:
            check(ast, schedule, spaces)
        return self._block(ast, self.unfolding.printed(), -1)

    def _noted(self, node: Any, build: Any) -> Any:
        """Called by isl for each call it writes: keep the iterations that it is for.

        Nothing may be raised from here: islpy would free what isl goes on using.
        """
        try:
            key, name = f"u{len(self.instances)}", _statement(node)
            positions = isl.Set.from_union_set(build.get_schedule().domain())
            self.instances[key] = positions.apply(self.coordinates.instances(name))
            self.values[key] = self._values(name, build)
            return node.set_annotation(isl.Id(key))
        except BaseException as error:
            self.failed = self.failed or error.with_traceback(None)
            return node

    def _values(self, name: str, build: Any) -> dict[str, Any]:
        """The loops of a statement and the places of its cells, where it is called."""
        back = isl.Map.from_union_map(build.get_schedule()).reverse()
        back = _first_of(back, len(self.coordinates.dims[name]), name)
        loops = self.coordinates.schedule.nest.statements[name].loops
        back = back.apply_range(self.coordinates.instances(name))
        instance = isl.PwMultiAff.from_map(_first_of(back, len(loops), name))
        found = {
            loop: build.expr_from_pw_aff(instance.get_pw_aff(at))
            for at, loop in enumerate(loops)
        }
        wanted = self.coordinates.spaces.places.get(name, {})
        return found | {
            place: build.expr_from_pw_aff(value.pullback_pw_multi_aff(instance))
            for place, value in wanted.items()
        }

    def _known(
        self, calls: Sequence[Any], names: Mapping[str, IntExpr], uid: int = -1
    ) -> list[tuple[Dim, Value]]:
        """What isl counts around a place, where it wrote no loop as well.

        Args:
            calls: all calls below.
            names: what is printed for the loops that isl wrote.
            uid: the dimension right below; all that are around the calls by default.

        Returns:
            Dimensions with their values over the iterations of the first call's
            statement, and what is printed for them, which holds for all calls.
        """
        name = _statement(calls[0])
        known: list[tuple[Dim, Value]] = []
        for dim in self.coordinates.dims[name]:
            if dim.uid == uid:
                break
            value = self.coordinates.counted(dim, name)
            text = names.get(f"d{dim.uid}")
            if text is None:
                around = [other for other, _ in known]
                values = (self.coordinates.counted(dim, _statement(x)) for x in calls)
                text = self.unfolding.value(
                    [*map(self._case, calls, values, repeat(around))],
                    [printed for _, (_, printed) in known],
                )
            known.append((dim, (value, text)))
        return known

    def _case(self, call: Any, value: IntExpr, around: Sequence[Dim]) -> Case:
        """A value at a call, and what isl counts for the dimensions around it."""
        name = _statement(call)
        outer = [self.coordinates.counted(dim, name) for dim in around]
        return Case(
            name, value, outer, self.instances[call.get_annotation().get_name()]
        )

    def _block(self, node: Any, names: Mapping[str, IntExpr], uid: int) -> Block:
        """A node as loops; ``uid`` is the dimension of the loops right below."""
        kind = node.get_type()
        if kind == _NODE.mark:
            marked = int(node.mark_get_id().get_name().removeprefix("d"))
            return self._block(node.mark_get_node(), names, marked)
        if kind == _NODE.block:
            children = node.block_get_children()
            parts: list[Any] = []
            for at in range(children.n_ast_node()):
                parts.extend(self._block(children.get_at(at), names, uid))
            return tuple(parts)
        if kind == _NODE.for_:
            return self._for(node, names, uid)
        if kind == _NODE.if_:
            cond = to_cond(node.if_get_cond(), names)
            result: Block = (If(cond, self._block(node.if_get_then(), names, uid)),)
            if node.if_has_else():
                other = self._block(node.if_get_else(), names, uid)
                result = (*result, If(negate(cond), other))
            return result
        name = _statement(node)
        values = {
            key: names.get(f"v{key}", to_expr(value, names))
            for key, value in self.values[node.get_annotation().get_name()].items()
        }
        return self._checked(Call(name, values), node, names)

    def _checked(self, call: Call, node: Any, names: Mapping[str, IntExpr]) -> Block:
        """A call, if the hidden dimensions have the values that isl takes for sure."""
        sure = {
            dim.uid
            for dim in self.coordinates.dims[call.statement]
            if self.unfolding.hides(dim) and f"d{dim.uid}" not in names
        }
        known = self._known([node], names) if sure else []
        condition = conj(
            *(
                self.unfolding.checked(dim, call.statement, value, known[:at])
                for at, (dim, value) in enumerate(known)
                if dim.uid in sure
            )
        )
        return (call,) if condition == TRUE else (If(condition, (call,)),)

    def _for(self, node: Any, names: Mapping[str, IntExpr], uid: int) -> Block:
        calls = list(_calls(node))
        name = _statement(calls[0])
        dim = next(dim for dim in self.coordinates.dims[name] if dim.uid == uid)
        falls = self.coordinates.falls(dim)
        phase = self._phase(dim, calls, names)

        def shown(value: IntExpr) -> IntExpr:
            return add(_negated(value) if falls else value, phase)

        counted = sub(Var(dim.name), phase)
        counted = neg(counted) if falls else counted
        iterator = node.for_get_iterator().get_id().get_name()
        inside = {**names, iterator: counted, f"d{uid}": counted}
        if uid in self.coordinates.very:
            inside[f"v{self.coordinates.very[uid]}"] = Var(dim.name)
        body = self._block(node.for_get_body(), inside, uid)
        start, stop, step = loop_bounds(node, names, wide=self.wide)
        if self.unfolding.hides(dim):
            let, condition = self.unfolding.assigned(
                dim,
                name,
                self.coordinates.counted(dim, name),
                self._known(calls, names, uid),
                Written(start, stop, step, -1 if falls else 1),
            )
            return (let, *body) if condition == TRUE else (let, If(condition, body))
        if node.for_is_degenerate():
            return (Let(dim.name, shown(start)), *body)
        step = -step if falls else step
        return (
            For(
                dim.name,
                shown(start),
                _whole(shown(start), shown(stop), step) if dim.part else shown(stop),
                step,
                body,
                dim.uid,
                dim.marks,
                dim.headers,
            ),
        )

    def _phase(
        self, dim: Dim, calls: Sequence[Any], names: Mapping[str, IntExpr]
    ) -> IntExpr:
        """What has to be added to what isl counts for a loop."""
        name = _statement(calls[0])
        factors = self.coordinates.phases(dim, name)
        origin = self.coordinates.origin(dim, name)
        moving = variables(origin) & self.coordinates.spaces.nest.loops.keys()
        if not (factors or moving):
            return origin
        known = self._known(calls, names, dim.uid)
        if moving:
            around = [other for other, _ in known]
            cases = [self._case(call, origin, around) for call in calls]
            origin = self.unfolding.value(cases, [text for _, (_, text) in known])
        texts = {other: text for other, (_, text) in known}
        phases = (mul(Const(w), texts[other]) for other, w in factors.items())
        return add(origin, *phases)


def _first_of(back: isl.Map, count: int, name: str) -> isl.Map:
    """A relation to the first coordinates of a statement."""
    more = back.dim(_OUT) - count
    return back.project_out(_OUT, count, more).set_tuple_name(_OUT, name)


def _has_room(frames: int = 5) -> None:
    """Raise RecursionError here rather than where isl calls a function."""
    if frames:
        _has_room(frames - 1)


def _negated(value: IntExpr) -> IntExpr:
    """The opposite of a bound: of a least value, the greatest of the opposites."""
    match value:
        case Min(args):
            return maximum(*map(_negated, args))
        case Max(args):
            return minimum(*map(_negated, args))
    return neg(value)


def _whole(start: IntExpr, stop: IntExpr, step: int) -> IntExpr:
    """The stop of blocks, a whole number of them from the start where that is known.

    isl knows where the last one begins: ``range(0, 10, 2)``, not ``range(0, 9, 2)``.
    """
    kind, choose = (Min, minimum) if step > 0 else (Max, maximum)
    bounds = stop.args if isinstance(stop, kind) else (stop,)
    found = []
    for bound in bounds:
        apart = sub(bound, start)
        steps = -(-apart.value // step) if isinstance(apart, Const) else 0
        known = isinstance(apart, Const)
        found.append(add(start, Const(steps * step)) if known else bound)
    return stop if tuple(found) == bounds else choose(*found)


def _calls(node: Any) -> Iterator[Any]:
    """The calls below a node."""
    kind = node.get_type()
    if kind == _NODE.mark:
        yield from _calls(node.mark_get_node())
    elif kind == _NODE.for_:
        yield from _calls(node.for_get_body())
    elif kind == _NODE.if_:
        yield from _calls(node.if_get_then())
        if node.if_has_else():
            yield from _calls(node.if_get_else())
    elif kind == _NODE.block:
        children = node.block_get_children()
        for at in range(children.n_ast_node()):
            yield from _calls(children.get_at(at))
    else:
        yield node


def _statement(call: Any) -> str:
    """The name of the statement that is called."""
    return str(call.user_get_expr().get_op_arg(0).get_id().get_name())
