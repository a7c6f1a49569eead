"""Unrolling: the body is copied in order, so the order of execution is the same.

A loop of constant count is copied out whole, also where only counts below a limit are
asked for (``skew i j unroll<3``); with a factor, a main loop of ``factor``
copies is followed by a remainder. A loop marked for full unrolling whose count is only
known while running (the remainder of a split) stays a loop.
"""

from __future__ import annotations

from looptx.errors import Malformed
from looptx.looptree.nodes import Block, For, If, Let, LoopTree
from looptx.looptree.passes.bounds import Facts
from looptx.looptree.walk import Inliner, nodes
from looptx.model.expr import (
    Const,
    IntExpr,
    Var,
    add,
    distance,
    floordiv,
    maximum,
    minimum,
    mod,
    mul,
    sub,
)
from looptx.model.records import replace

MOST_NODES = 4096
"""How much code unrolling may make of one nest."""


def unroll(block: Block, facts: Facts | None = None) -> Block:
    """The block with every loop marked ``unroll`` copied out.

    Args:
        block: the loops, already simplified (constant counts are visible then).
        facts: what holds before the nest; see ``bounds.sizes``.

    Raises:
        Malformed: LX106 when that makes more than ``MOST_NODES`` nodes.
    """
    return _Unroller().block(block, facts or Facts())


class _Unroller:
    def __init__(self) -> None:
        self.made = 0

    def block(self, block: Block, facts: Facts) -> Block:
        result: list[LoopTree] = []
        for node in block:
            match node:
                case For():
                    body = self.block(node.body, facts.under(node))
                    result.extend(self.loop(replace(node, body=body), facts))
                case If(cond, body):
                    result.append(If(cond, self.block(body, facts.given(cond))))
                case _:
                    result.append(node)
        return tuple(result)

    def loop(self, node: For, facts: Facts) -> Block:
        count = distance(node.start, node.stop, node.step)
        factor = node.marks.unroll
        if isinstance(count, Const) and count.value < node.marks.unroll_below:
            factor = 0
        if factor is None or factor == 1:
            return (node,)
        marks = replace(node.marks, unroll=None, unroll_below=0)
        node = replace(node, marks=marks)
        if factor == 0:
            if not isinstance(count, Const):
                return (node,)
            copied = self.copies(node.body, node, node.start, max(0, count.value))
            return self.block(copied, facts)  # Counts inside may be constant now.
        if isinstance(count, Const) and count.value < factor:
            return (node,)
        stride = node.step * factor
        last = sub(node.stop, Const(stride - node.step))
        body = self.copies(node.body, node, Var(node.var), factor)
        main = replace(node, stop=last, step=stride, body=body)
        rest = replace(node, start=self.done(node, stride, facts))
        return (main, rest)

    def copies(self, body: Block, node: For, first: IntExpr, count: int) -> Block:
        """``count`` copies of a body, the loop's variable taking successive values."""
        self.made += count * sum(1 for _ in nodes(body))
        if self.made > MOST_NODES:
            raise Malformed(
                "LX106",
                f"unrolling {node.var} makes more than {MOST_NODES} loops and calls",
                hint="unroll by a smaller factor, or split the loop first",
            )
        result: list[LoopTree] = []
        for number in range(count):
            value = add(first, Const(number * node.step))
            if value == Var(node.var):
                result.extend(body)
                continue
            inliner = Inliner(node.var, value)
            copy = inliner.block(body)
            result.extend((Let(node.var, value), *body) if inliner.captured else copy)
        return tuple(result)

    def done(self, node: For, stride: int, facts: Facts) -> IntExpr:
        """Where the main loop stops: the first value left for the remainder."""
        start, stop = node.start, node.stop
        up = node.step > 0
        span = sub(stop, start) if up else sub(start, stop)
        if abs(node.step) == 1:
            left = mod(span, abs(stride))
            after = sub(stop, left) if up else add(stop, left)
        else:
            whole = floordiv(add(span, Const(abs(node.step) - 1)), abs(stride))
            after = add(start, mul(Const(stride), whole))
        if facts.nonnegative(span):
            return after
        return maximum(start, after) if up else minimum(start, after)
