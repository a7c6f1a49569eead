"""A schedule as loops: isl's AST generation (Grosser, Verdoolaege, Cohen, TOPLAS 2015).

The schedule tree is handed to isl with the values the loops shall *show* (absolute
indices) instead of positions; both give the same order. ``isolate`` options ask for the
full tiles apart from the remainders. They never change what is executed, only how it is
written, so the regions may be chosen freely.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any

import islpy as isl

from looptx.looptree.bounds import sizes
from looptx.looptree.merge import Apart, merge
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
    lead,
    path,
    shown,
    statements,
)
from looptx.model.tree import whole_loops
from looptx.poly.astexpr import to_cond, to_expr
from looptx.poly.products import Products
from looptx.poly.regions import Domains, Regions
from looptx.poly.spaces import Spaces
from looptx.poly.unfold import Unfolding, Written

_NODE: Any = isl.ast_node_type

MOST_COPIES = 12
"""How often a statement may be written to keep guards out of an innermost loop."""


class Generator:
    """Generates the loops of one schedule."""

    def __init__(
        self,
        products: Products,
        *,
        separate: bool,
        whole: frozenset[str] = frozenset(),
    ) -> None:
        """Prepare; the rows and columns of ``whole`` collapsed loops are two loops."""
        self.spaces = spaces = products.spaces
        self.separate = separate
        self.schedule = schedule = products.schedule
        self.unfolding = Unfolding(products, whole)
        self.order = self.unfolding.tree
        self.dims = {
            name: [
                node.dim for node, _ in path(self.order, name) if isinstance(node, Band)
            ]
            for name in spaces.nest.statements
        }
        self.shown = {
            (dim.uid, name): self._shown(dim, name, dims[:at])
            for name, dims in self.dims.items()
            for at, dim in enumerate(dims)
        }

        self.regions = Regions(spaces, schedule, self.dims)
        self.calls = len(spaces.nest.statements)

    def _shown(self, dim: Dim, name: str, outer: list[Dim]) -> IntExpr:
        """What the loop shows; a falling loop is negated, as isl only counts up."""
        fixed = frozenset(other.uid for other in outer)
        value = shown(self.schedule, dim.uid, name, fixed)
        return neg(value) if self.falls(dim, name) else value

    def falls(self, dim: Dim, name: str) -> bool:
        """Whether the loop of a dimension shows falling values."""
        index = lead(self.schedule, dim.uid)
        return index is not None and index.step < 0

    def time(self, name: str, upto: int | None = None) -> isl.Map:
        """``{ statement[x] -> [shown values of its first dimensions] }``."""
        statement = self.spaces.nest.statements[name]
        dims = self.dims[name][:upto]
        values = [self.shown[dim.uid, name] for dim in dims]
        return self.spaces.map(name, statement.loops, values)

    def tree(self) -> isl.Schedule:
        """The schedule tree with its options, as isl reads it."""
        alive = {
            name: self.spaces.domain(statement)
            for name, statement in self.spaces.nest.statements.items()
        }
        node = isl.Schedule.from_domain(_union(alive)).get_root().child(0)
        root: isl.ScheduleNode = self._insert(node, self.order, 0, alive, True)
        return root.get_schedule()

    def _insert(
        self, node: Any, tree: Tree, depth: int, alive: Domains, whole: bool
    ) -> Any:
        """Insert ``tree`` at a leaf of isl's tree; the same position is returned.

        Args:
            node: the leaf.
            tree: what to insert.
            depth: how many bands stand around it.
            alive: the iterations that arrive there.
            whole: whether they lie in the regions of the bands around it.
        """
        match tree:
            case Leaf():
                return node
            case Band():
                parts = self._parts(alive, depth) if whole else [(alive, whole)]
                if len(parts) == 1:
                    return self._band(node, tree, depth, *parts[0])
                node = node.insert_sequence(_filters(part for part, _ in parts))
                for at, (part, full) in enumerate(parts):
                    child = node.child(at).child(0)
                    child = self._band(child, tree, depth, part, full)
                    node = child.parent().parent()
                return node
            case Sequence(children):
                split = [
                    {name: alive[name] for name in statements(child)}
                    for child in children
                ]
                node = node.insert_sequence(
                    _filters(
                        {name: _universe(values) for name, values in part.items()}
                        for part in split
                    )
                )
                for at, child in enumerate(children):
                    inner = node.child(at).child(0)
                    inner = self._insert(inner, child, depth, split[at], whole)
                    node = inner.parent().parent()
                return node

    def _parts(self, alive: Domains, depth: int) -> list[tuple[Domains, bool]]:
        """The parts of a band, as long as that makes not too many copies."""
        parts = self.regions.cut(alive, depth)
        calls = self.calls + (len(parts) - 1) * len(alive)
        if calls > MOST_COPIES * len(self.spaces.nest.statements):
            return [(alive, True)]
        self.calls = calls
        return parts

    def _band(
        self, node: Any, band: Band, depth: int, alive: Domains, whole: bool
    ) -> Any:
        node = node.insert_partial_schedule(self._partial(band.dim, band))
        if band.dim.fusing:
            kind = isl.ast_loop_type.unroll
            node = node.band_member_set_ast_loop_type(0, kind)
        elif self.separate and not band.dim.merged and self._uneven(band.body):
            kind = isl.ast_loop_type.separate
            node = node.band_member_set_ast_loop_type(0, kind)
        # Loops are told apart by marks: isl numbers their iterators by its own depth,
        # which it raises where statements of one stride are shifted.
        node = node.insert_mark(isl.Id(f"d{band.dim.uid}")).child(0)
        inner = self._insert(node.child(0), band.body, depth + 1, alive, whole)
        return inner.parent().parent()

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
        return self._block(ast, self.unfolding.printed(), -1)

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
        loops = self.schedule.nest.statements[name].loops
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
        start, stop, step = _bounds(node, names)
        inside = {**names, iterator: value, f"d{uid}": value}
        body = self._block(node.for_get_body(), inside, uid)
        if self.unfolding.hides(dim):
            known = [
                (self.shown[other.uid, name], names[f"d{other.uid}"])
                for other in self.dims[name]
                if f"d{other.uid}" in names
            ]
            written = Written(start, stop, step, sign)
            shown = self.shown[uid, name]
            return self.unfolding.assigned(dim, name, shown, known, written, body)
        if node.for_is_degenerate():
            return (Let(dim.name, mul(Const(sign), start)), *body)
        return (
            For(
                dim.name,
                mul(Const(sign), start),
                mul(Const(sign), stop),
                sign * step,
                body,
                dim.uid,
                dim.marks,
                dim.comments,
                dim.behind,
            ),
        )


def _bounds(node: Any, names: Mapping[str, IntExpr]) -> tuple[IntExpr, IntExpr, int]:
    """Start, stop and step of a loop of the AST."""
    start = to_expr(node.for_get_init(), names)
    if node.for_is_degenerate():
        return start, add(start, Const(1)), 1
    cond = node.for_get_cond()
    stop = to_expr(cond.get_op_arg(1), names)
    if cond.get_op_type() == isl.ast_expr_op_type.le:
        stop = add(stop, Const(1))
    step = to_expr(node.for_get_inc(), names)
    assert isinstance(step, Const)
    return start, stop, step.value


def _union(alive: Domains) -> isl.UnionSet:
    return reduce(isl.UnionSet.union, map(isl.UnionSet.from_set, alive.values()))


def _universe(values: isl.Set) -> isl.Set:
    return isl.Set.universe(values.get_space())


def _filters(parts: Iterable[Domains]) -> isl.UnionSetList:
    lists = [isl.UnionSetList.from_union_set(_union(part)) for part in parts]
    return reduce(isl.UnionSetList.concat, lists)


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
    whole = whole_loops(schedule)
    while True:
        products = Products(spaces, schedule, whole)
        block = Generator(products, separate=True, whole=whole).generate()
        if _calls(block) > MOST_COPIES * len(spaces.nest.statements):
            block = Generator(products, separate=False, whole=whole).generate()
        try:
            return merge(block, schedule, whole, sizes(spaces.nest))
        except Apart as found:
            whole -= {found.loop}


def _calls(block: Block) -> int:
    """How many statement instances are written."""
    return sum(
        _calls(node.body) if isinstance(node, For | If) else isinstance(node, Call)
        for node in block
    )
