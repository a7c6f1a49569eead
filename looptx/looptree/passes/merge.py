"""Collapsing: two loops directly inside one another become one."""

from __future__ import annotations

from collections.abc import Collection

from looptx.looptree.nodes import Block, For, If, Let, LoopTree
from looptx.looptree.passes.bounds import Facts
from looptx.looptree.walk import bound, nodes
from looptx.model.expr import (
    ZERO,
    Const,
    IntExpr,
    Var,
    add,
    distance,
    floordiv,
    maximum,
    mod,
    mul,
    variables,
)
from looptx.model.records import replace
from looptx.model.schedule import Dim, Schedule, bands
from looptx.model.tree import places


class Apart(Exception):
    """The two loops of a collapsed one cannot be merged as they were generated.

    Attributes:
        loop: the collapsed loop.
    """

    def __init__(self, loop: str) -> None:
        super().__init__(loop)
        self.loop = loop


def merge(
    block: Block, schedule: Schedule, whole: Collection[str], facts: Facts
) -> Block:
    """The block with the two loops of each of ``whole`` made one.

    ``for i in range(n): for j in range(m)`` becomes ``for ij in range(n * m)`` with
    ``i = ij // m`` and ``j = ij % m``. Where one of the two runs once and is no loop
    any more, the other stays as it is.

    Args:
        block: the loops.
        schedule: has the collapsed loops.
        whole: which of them the block has as two loops.
        facts: what holds before the nest; see ``bounds.sizes``.

    Raises:
        Apart: when the inner bounds depend on the outer loop, or something stands
            between the two.
    """
    parts = {dim.uid: dim for pair in schedule.collapsed.values() for dim in pair.dims}
    known = {**parts, **{band.dim.uid: band.dim for band in bands(schedule.tree)}}
    for loop, pair in schedule.collapsed.items():
        if loop in whole:
            (uid,) = places(schedule, loop)
            outer, inner = (dim.uid for dim in pair.dims)
            block = _Merger(loop, known[uid], outer, inner).block(block, facts)
    return block


class _Merger:
    """Merges the two loops of one collapsed loop, whose dimension is ``dim``."""

    def __init__(self, loop: str, dim: Dim, outer: int, inner: int) -> None:
        self.collapsed = loop
        self.dim = dim
        self.outer = outer
        self.inner = inner

    def block(self, block: Block, facts: Facts) -> Block:
        result: list[LoopTree] = []
        for node in block:
            match node:
                case For():
                    result.append(self.loop(node, facts))
                case If(cond, body):
                    result.append(If(cond, self.block(body, facts.given(cond))))
                case _:
                    result.append(node)
        return tuple(result)

    def loop(self, node: For, facts: Facts) -> For:
        if node.dim == self.inner:
            return self.named(node)
        if node.dim != self.outer:
            return replace(node, body=self.block(node.body, facts.under(node)))
        if not any(
            isinstance(x, For) and x.dim == self.inner for x in nodes(node.body)
        ):
            return self.named(node)
        *lets, inner = node.body
        if not isinstance(inner, For) or inner.dim != self.inner:
            raise Apart(self.collapsed)
        changing = bound(tuple(lets)) | {node.var}
        if any(not isinstance(let, Let) for let in lets) or not changing.isdisjoint(
            variables(inner.start) | variables(inner.stop)
        ):
            raise Apart(self.collapsed)
        return self.product(node, tuple(lets), inner, facts)

    def named(self, node: For) -> For:
        """One of the two loops where the other one runs once and is none."""
        dim = self.dim
        return replace(
            node,
            dim=dim.uid,
            marks=dim.marks,
            headers=dim.headers,
        )

    def product(self, outer: For, lets: Block, inner: For, facts: Facts) -> For:
        rows = distance(outer.start, outer.stop, outer.step)
        columns = distance(inner.start, inner.stop, inner.step)
        position = Var(self.dim.name)
        row, column = floordiv(position, columns), mod(position, columns)
        first = Let(outer.var, add(outer.start, mul(Const(outer.step), row)))
        second = Let(inner.var, add(inner.start, mul(Const(inner.step), column)))
        counts = _positive(rows, facts), _positive(columns, facts.under(outer))
        return replace(
            self.named(outer),
            var=self.dim.name,
            start=ZERO,
            stop=mul(*counts),
            step=1,
            body=(first, *lets, second, *inner.body),
        )


def _positive(count: IntExpr, facts: Facts) -> IntExpr:
    return count if facts.nonnegative(count) else maximum(ZERO, count)
