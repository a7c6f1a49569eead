"""The points of a set as loops over their coordinates, from the first axis on.

Parts of different form get loops of their own, so that as many loops as possible run
over ranges that do not depend on each other: those of a box.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import islpy as isl

from looptx import interrupts
from looptx.looptree.nodes import Block, Call, For, If, LoopTree
from looptx.looptree.walk import nodes, rename
from looptx.model.expr import ONE, IntExpr, Var, add, negate
from looptx.model.records import replace
from looptx.poly.affine import Affine
from looptx.poly.astexpr import loop_bounds, to_cond, to_expr

_NODE: Any = isl.ast_node_type
_SET = isl.dim_type.set


def axis(number: int) -> str:
    """What the loop over an axis is called."""
    return f"a{number}"


def scanned(affine: Affine, points: isl.Set, context: isl.Set) -> Block:
    """The points of a set, each once.

    Args:
        affine: whose parameters the set has.
        points: the set.
        context: what holds of the parameters.

    Returns:
        Loops over ``a0``, ``a1`` ..., perhaps with others, around calls of nothing.
    """
    points = points.intersect_params(context).coalesce()
    if points.is_empty():
        return ()
    rank = points.dim(_SET)
    points = points.set_tuple_name("points")
    node = isl.Schedule.from_domain(isl.UnionSet.from_set(points)).get_root().child(0)
    space = points.get_space()
    for at in range(rank):
        local = isl.LocalSpace.from_space(space)
        one = isl.PwAff.var_on_domain(local, _SET, at)
        band = isl.MultiUnionPwAff.from_union_pw_aff(isl.UnionPwAff.from_pw_aff(one))
        node = node.insert_partial_schedule(band)
        node = node.band_member_set_ast_loop_type(0, isl.ast_loop_type.separate)
        node = node.child(0)
    build = isl.AstBuild.from_context(context)
    texts = {f"p{at}": Var(text) for at, text in enumerate(affine.parameters)}
    context.get_ctx().set_ast_build_scale_strides(0)
    context.get_ctx().set_ast_build_detect_min_max(1)
    with interrupts.held():
        ast = build.node_from_schedule(node.get_schedule())
    return _over_axes(_block(ast, texts))


def _block(node: Any, names: Mapping[str, IntExpr]) -> Block:
    """A node as loops, around calls with the coordinates of points.

    Args:
        node: of isl's AST. names: what its names mean.
    """
    kind = node.get_type()
    if kind == _NODE.block:
        children = node.block_get_children()
        parts: list[Any] = []
        for at in range(children.n_ast_node()):
            parts.extend(_block(children.get_at(at), names))
        return tuple(parts)
    if kind == _NODE.if_:
        cond = to_cond(node.if_get_cond(), names)
        result: Block = (If(cond, _block(node.if_get_then(), names)),)
        if node.if_has_else():
            result = (*result, If(negate(cond), _block(node.if_get_else(), names)))
        return result
    if kind == _NODE.for_:
        iterator = node.for_get_iterator().get_id().get_name()
        start, stop, step = loop_bounds(node, names)
        body = _block(node.for_get_body(), names)
        return (For(iterator, start, stop, step, body),)
    call = node.user_get_expr()
    values = (
        to_expr(call.get_op_arg(at), names) for at in range(1, call.get_op_n_arg())
    )
    return (Call("", {axis(at): value for at, value in enumerate(values)}),)


def _over_axes(block: Block) -> Block:
    """The loops that are coordinates of points with the names of these, all others of
    which one value is a coordinate around them."""
    result: list[LoopTree] = []
    for node in block:
        match node:
            case For(var):
                name = _axis_of(node)
                (node,) = rename((node,), {var: name}) if name else (node,)
                assert isinstance(node, For)
                result.append(replace(node, body=_over_axes(node.body)))
            case If(cond, body):
                result.append(If(cond, _over_axes(body)))
            case Call(_, index):
                point: Block = (Call("", {}),)
                for name, value in reversed(list(index.items())):
                    if value != Var(name):
                        point = (For(name, value, add(value, ONE), 1, point),)
                result += point
    return tuple(result)


def _axis_of(loop: For) -> str:
    """The coordinate that a loop runs over, for all points in it; or ""."""
    calls = [node for node in nodes(loop.body) if isinstance(node, Call)]
    for name in calls[0].index:
        if all(call.index[name] == Var(loop.var) for call in calls):
            return name
    return ""
