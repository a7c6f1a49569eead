"""Loop-carried sums as several sums side by side, which C computes in a vector."""

from __future__ import annotations

from collections.abc import Callable

from looptx.looptree.nodes import Block, Call, Let, LoopTree
from looptx.looptree.nodes import For as Loop
from looptx.lower import tree
from looptx.lower.kinds import INT, of
from looptx.lower.loops.cells import bindings, calls, fixed
from looptx.lower.loops.functions import Functions
from looptx.lower.loops.reductions import LANES, accumulators
from looptx.lower.loops.statements import Frame
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    If,
    Stmt,
    infix,
    intrinsic,
    number,
)
from looptx.model.expr import IntExpr, Var, add, substitute
from looptx.model.records import replace


def lanes(
    functions: Functions,
    block: Callable[[Block, Frame], list[Stmt]],
    node: Loop,
    frame: Frame,
) -> list[Stmt]:
    """A loop-carried sum as several sums side by side, then the rest in order.

    Nothing when there is no sum that gains by it.
    """
    flat = all(isinstance(child, Call | Let) for child in node.body)
    if not flat or node.step != 1 or node.marks.vectorize == 1:
        return []
    width = number(node.marks.vectorize or LANES)
    names = functions.scope.names
    reductions = functions.scope.planned.reductions.get(node.dim, ())
    within = set(calls(node.body))
    found = accumulators(functions.scope, functions.statements, reductions, within)
    kept = [one.untagged() for one in found if one.lanes]
    moving = {names(var) for var in (node.var, *bindings(node.body))}
    kept += fixed(functions.scope, reductions, node.body, moving)
    if not kept:
        return []
    base, lane, end = (
        tree.variable(names.fresh(stem))
        for stem in (names(node.var) + "_0", "lane", "end")
    )
    declared = dict.fromkeys((base.name, lane.name, end.name), "Py_ssize_t")
    frame.declared.update(declared)
    start, stop = functions.ends(node)
    stands: dict[str | Expr, Expr] = {}
    filling: list[Stmt] = []
    adding: list[Stmt] = []
    for one in kept:
        frame.declared.update(one.declared())
        for variable, kind in one.variables.items():
            array = names.fresh(f"{variable.name}_lanes")
            frame.declared[array] = f"{kind}[{width.number}]"
            one.partials[variable], one.local = array, True
            if one.bytes:
                functions.scope.bits[array] = number(1)
        stands.update(one.stands(lane))
        filling += one.initial(lane)
        adding += one.combine(lane)
    value = add(Var(base.name), Var(lane.name))
    body = tuple(_moved(child, node.var, value) for child in node.body)
    functions.scope.stands.update(stands)
    inside = tuple(block(body, frame))
    for key in stands:
        del functions.scope.stands[key]
    rest = replace(node, start=Var(end.name), marks=replace(node.marks, vectorize=None))
    every = (lane.name, number(0), width)
    return [
        Assign(end, intrinsic("whole", of(INT), start, stop, width)),
        For(*every, (*filling,)),
        For(base.name, start, end, (For(*every, inside),), width),
        # Without a whole group the cell need not even exist.
        If(infix("<", start, end), (For(*every, (*adding,)),)),
        *block((rest,), frame),
    ]


def _moved(node: LoopTree, var: str, value: IntExpr) -> LoopTree:
    """A call or binding with a loop variable replaced."""
    if isinstance(node, Call):
        index = {loop: substitute(v, {var: value}) for loop, v in node.index.items()}
        return Call(node.statement, index)
    assert isinstance(node, Let)
    return Let(node.var, substitute(node.value, {var: value}))
