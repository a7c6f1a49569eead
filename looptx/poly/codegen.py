"""A schedule as loops: isl's AST generation (Grosser, Verdoolaege, Cohen, TOPLAS 2015).

The schedule tree is handed to isl with the values the loops shall *show* (absolute
indices) instead of positions; both give the same order. ``isolate`` options ask for the
full tiles apart from the remainders. They never change what is executed, only how it is
written, so the regions may be chosen freely.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import islpy as isl

from looptx.looptree.nodes import Block, Call, For, If, Let
from looptx.model.expr import Const, IntExpr, Var, add, mul, neg, negate
from looptx.model.schedule import (
    Band,
    Dim,
    Leaf,
    Schedule,
    Sequence,
    Tree,
    bands,
    path,
    shown,
    statements,
)
from looptx.poly.astexpr import to_cond, to_expr
from looptx.poly.regions import full_tiles
from looptx.poly.spaces import Spaces

_NODE: Any = isl.ast_node_type

MOST_COPIES = 12
"""How often a statement may be written to keep guards out of an innermost loop."""


class Generator:
    """Generates the loops of one schedule."""

    def __init__(self, spaces: Spaces, schedule: Schedule, *, separate: bool) -> None:
        self.spaces = spaces
        self.separate = separate
        self.schedule = schedule
        self.dims = {
            name: [
                node.dim
                for node, _ in path(schedule.tree, name)
                if isinstance(node, Band)
            ]
            for name in spaces.nest.statements
        }
        self.shown = {
            (dim.uid, name): self._shown(dim, name, dims[:at])
            for name, dims in self.dims.items()
            for at, dim in enumerate(dims)
        }

    def _shown(self, dim: Dim, name: str, outer: list[Dim]) -> IntExpr:
        """What the loop shows; a falling loop is negated, as isl only counts up."""
        fixed = frozenset(other.uid for other in outer)
        value = shown(self.schedule, dim.uid, name, fixed)
        return neg(value) if self.falls(dim, name) else value

    def falls(self, dim: Dim, name: str) -> bool:
        """Whether the loop of a dimension shows falling values."""
        loop = self.schedule.owner.get(dim.uid, {}).get(name)
        return loop is not None and self.schedule.index[name, loop].step < 0

    def time(self, name: str, upto: int | None = None) -> isl.Map:
        """``{ statement[x] -> [shown values of its first dimensions] }``."""
        statement = self.spaces.nest.statements[name]
        dims = self.dims[name][:upto]
        values = [self.shown[dim.uid, name] for dim in dims]
        return self.spaces.map(name, statement.loops, values)

    def tree(self) -> isl.Schedule:
        """The schedule tree with its options, as isl reads it."""
        domain = isl.UnionSet.empty(self.spaces.params_space())
        for statement in self.spaces.nest.statements.values():
            domain = domain.union(isl.UnionSet.from_set(self.spaces.domain(statement)))
        node = isl.Schedule.from_domain(domain).get_root().child(0)
        root: isl.ScheduleNode = self._insert(node, self.schedule.tree, 0)
        return root.get_schedule()

    def _insert(self, node: Any, tree: Tree, depth: int) -> Any:
        """Insert ``tree`` at a leaf of isl's tree; the same position is returned."""
        match tree:
            case Leaf():
                return node
            case Band(dim, body):
                node = node.insert_partial_schedule(self._partial(dim, tree))
                region = full_tiles(self, tree, depth)
                if region is not None:
                    options = isl.UnionSet.from_set(region)
                    node = node.band_set_ast_build_options(options)
                if self.separate and self._uneven(body):
                    kind = isl.ast_loop_type.separate
                    node = node.band_member_set_ast_loop_type(0, kind)
                    node = node.band_member_set_isolate_ast_loop_type(0, kind)
                # Loops are told apart by marks: isl numbers their iterators by its own
                # depth, which it raises where statements of one stride are shifted.
                node = node.insert_mark(isl.Id(f"d{dim.uid}")).child(0)
                return self._insert(node.child(0), body, depth + 1).parent().parent()
            case Sequence(children):
                filters = None
                for child in children:
                    part = isl.UnionSet.empty(self.spaces.params_space())
                    for name in statements(child):
                        statement = self.spaces.nest.statements[name]
                        space = self.spaces.space(name, len(statement.loops))
                        part = part.union(
                            isl.UnionSet.from_set(isl.Set.universe(space))
                        )
                    one = isl.UnionSetList.from_union_set(part)
                    filters = one if filters is None else filters.concat(one)
                node = node.insert_sequence(filters)
                for at, child in enumerate(children):
                    node = self._insert(node.child(at).child(0), child, depth)
                    node = node.parent().parent()
                return node

    def _partial(self, dim: Dim, band: Band) -> isl.MultiUnionPwAff:
        total = isl.UnionPwAff.empty(self.spaces.params_space())
        for name in statements(band):
            statement = self.spaces.nest.statements[name]
            space = self.spaces.space(name, len(statement.loops))
            value = self.spaces.expr(self.shown[dim.uid, name], space, statement.loops)
            total = total.union_add(isl.UnionPwAff.from_pw_aff(value))
        return isl.MultiUnionPwAff.from_union_pw_aff(total)

    def _uneven(self, body: Tree) -> bool:
        """Whether an innermost loop runs statements at different iterations."""
        names = statements(body)
        if len(names) < 2 or next(bands(body), None) is not None:
            return False
        times = [
            self.time(name)
            .intersect_domain(self.spaces.domain(self.spaces.nest.statements[name]))
            .range()
            for name in names
        ]
        return any(not times[0].is_equal(other) for other in times[1:])

    def generate(self) -> Block:
        """The loops."""
        build = isl.AstBuild.from_context(self.spaces.context)
        ast = build.node_from_schedule(self.tree())
        parameters = {
            f"p{at}": Var(text) for at, text in enumerate(self.spaces.parameters)
        }
        return self._block(ast, parameters, -1)

    def _block(self, node: Any, names: Mapping[str, IntExpr], uid: int) -> Block:
        """An AST node as loops; ``uid`` is the dimension of the loops right below."""
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
        call = node.user_get_expr()
        name = call.get_op_arg(0).get_id().get_name()
        loops = self.spaces.nest.statements[name].loops
        values = {
            loop: to_expr(call.get_op_arg(at + 1), names)
            for at, loop in enumerate(loops)
        }
        return (Call(name, values),)

    def _for(self, node: Any, names: Mapping[str, IntExpr], uid: int) -> Block:
        iterator = node.for_get_iterator().get_id().get_name()
        name = _first_statement(node)
        dim = next(dim for dim in self.dims[name] if dim.uid == uid)
        sign = -1 if self.falls(dim, name) else 1
        value: IntExpr = mul(Const(sign), Var(dim.name))
        start = to_expr(node.for_get_init(), names)
        if node.for_is_degenerate():
            inner = self._block(node.for_get_body(), {**names, iterator: value}, uid)
            return (Let(dim.name, mul(Const(sign), start)), *inner)
        cond = node.for_get_cond()
        stop = to_expr(cond.get_op_arg(1), names)
        if cond.get_op_type() == isl.ast_expr_op_type.le:
            stop = add(stop, Const(1))
        step = to_expr(node.for_get_inc(), names)
        assert isinstance(step, Const)
        body = self._block(node.for_get_body(), {**names, iterator: value}, uid)
        return (
            For(
                dim.name,
                mul(Const(sign), start),
                mul(Const(sign), stop),
                sign * step.value,
                body,
                dim.uid,
                dim.marks,
                dim.comments,
                dim.behind,
            ),
        )


def _first_statement(node: Any) -> str:
    """The name of some statement below an AST node."""
    kind = node.get_type()
    if kind == _NODE.mark:
        return _first_statement(node.mark_get_node())
    if kind == _NODE.for_:
        return _first_statement(node.for_get_body())
    if kind == _NODE.if_:
        return _first_statement(node.if_get_then())
    if kind == _NODE.block:
        return _first_statement(node.block_get_children().get_at(0))
    return str(node.user_get_expr().get_op_arg(0).get_id().get_name())


def generate(spaces: Spaces, schedule: Schedule) -> Block:
    """The loops that visit every statement instance in the order of the schedule.

    Statements that run at different iterations of an innermost loop get loops of their
    own instead of guards, as long as that does not copy them too often.
    """
    block = Generator(spaces, schedule, separate=True).generate()
    if _calls(block) <= MOST_COPIES * len(spaces.nest.statements):
        return block
    return Generator(spaces, schedule, separate=False).generate()


def _calls(block: Block) -> int:
    """How many statement instances are written."""
    return sum(
        _calls(node.body) if isinstance(node, For | If) else isinstance(node, Call)
        for node in block
    )
