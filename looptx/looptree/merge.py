"""Collapsing: two loops directly inside one another are printed as one."""

from __future__ import annotations

from dataclasses import replace

from looptx.errors import Malformed
from looptx.looptree.bounds import Facts
from looptx.looptree.nodes import Block, For, If, Let, LoopTree
from looptx.model.expr import (
    ZERO,
    Const,
    FloorDiv,
    IntExpr,
    Mod,
    Var,
    add,
    distance,
    floordiv,
    maximum,
    mod,
    mul,
    variables,
)
from looptx.model.schedule import Dim, Marks, Schedule, bands


def merge(block: Block, schedule: Schedule, facts: Facts | None = None) -> Block:
    """The block with the pairs of loops that share ``Dim.merged`` made one.

    ``for i in range(n): for j in range(m)`` becomes ``for ij in range(n * m)`` with
    ``i = ij // m`` and ``j = ij % m``. Where one of the two runs once and is no loop
    any more, the other stays as it is.

    Args:
        block: the loops.
        schedule: says which dimensions are merged.
        facts: what holds before the nest; see ``bounds.sizes``.

    Raises:
        Malformed: LX106 when the inner bounds depend on the outer loop, or something
            stands between the two.
    """
    dims = {band.dim.uid: band.dim for band in bands(schedule.tree) if band.dim.merged}
    return _Merger(dims).block(block, facts or Facts(), "") if dims else block


class _Merger:
    def __init__(self, dims: dict[int, Dim]) -> None:
        self.dims = dims

    def block(self, block: Block, facts: Facts, inside: str) -> Block:
        result: list[LoopTree] = []
        for node in block:
            match node:
                case For():
                    result.extend(self.loop(node, facts, inside))
                case If(cond, body):
                    inner = self.block(body, facts.given(cond), inside)
                    result.append(If(cond, inner))
                case _:
                    result.append(node)
        return tuple(result)

    def group(self, node: LoopTree) -> str:
        """The merged name of the dimension a loop came from."""
        known = isinstance(node, For) and node.dim in self.dims
        return self.dims[node.dim].merged if known and isinstance(node, For) else ""

    def loop(self, node: For, facts: Facts, inside: str) -> Block:
        name = self.group(node)
        if name and name == inside:
            raise self.refuse(node.var, name, "something stands between the two loops")
        if not name:
            body = self.block(node.body, facts.under(node), inside)
            return (replace(node, body=body),)
        match node.body:
            case (For() as inner,) if self.group(inner) == name:
                if node.var in variables(inner.start) | variables(inner.stop):
                    reason = f"the bounds of {inner.var} depend on {node.var}"
                    raise self.refuse(inner.var, name, reason)
                return (self.product(node, inner, name, facts),)
        body = self.block(node.body, facts.under(node), name)
        return (replace(node, marks=self.marks(name), body=body),)

    def marks(self, name: str) -> Marks:
        """The marks of a pair: those of its outer dimension."""
        return next(dim.marks for dim in self.dims.values() if dim.merged == name)

    def product(self, outer: For, inner: For, name: str, facts: Facts) -> For:
        rows = self.count(outer, facts)
        columns = self.count(inner, facts.under(outer))
        position = Var(name)
        if isinstance(columns, Const):
            row, column = floordiv(position, columns), mod(position, columns)
        else:
            row, column = FloorDiv(position, columns), Mod(position, columns)
        loop = replace(
            outer,
            var=name,
            start=ZERO,
            stop=mul(rows, columns),
            step=1,
            comments=(*outer.comments, *inner.comments),
            behind=outer.behind or inner.behind,
        )
        facts = facts.under(loop)
        body = self.block(inner.body, facts, "")
        first = Let(outer.var, add(outer.start, mul(Const(outer.step), row)))
        second = Let(inner.var, add(inner.start, mul(Const(inner.step), column)))
        return replace(loop, body=(first, second, *body))

    def count(self, node: For, facts: Facts) -> IntExpr:
        count = distance(node.start, node.stop, node.step)
        return count if facts.nonnegative(count) else maximum(ZERO, count)

    def refuse(self, var: str, name: str, reason: str) -> Malformed:
        return Malformed(
            "LX106",
            f"collapse cannot make one loop {name}: {reason}",
            hint=f"collapse before splitting {var}, or leave the two loops apart",
        )
