"""Blocks of constant size inside a loop, whole and written out.

A block at the end of an array is smaller: what is written out runs where all blocks are
whole, and the loops as they are elsewhere.
"""

from __future__ import annotations

from looptx.looptree.nodes import Block, Call, For, Let, LoopTree
from looptx.looptree.passes.unroll import unroll
from looptx.looptree.walk import bound
from looptx.model.expr import (
    TRUE,
    Cond,
    Const,
    IntExpr,
    Min,
    compare,
    conj,
    sub,
    variables,
)
from looptx.model.records import dataclass, field, replace

MOST = 512
"""How many iterations of a block are written out at most; vectors take several each."""


class _Other(Exception):
    """There is more than blocks in a loop."""


@dataclass(slots=True)
class _Whole:
    """Takes loops for whole blocks.

    Attributes:
        moving: the variables that have no value yet in front of the loop.
        when: where they are whole.
    """

    moving: frozenset[str]
    when: Cond = TRUE
    vectors: bool = field(default=False)

    def block(self, block: Block, copies: int) -> Block:
        """A block in ``copies`` copies."""
        return tuple(self._node(node, copies) for node in block)

    def _node(self, node: LoopTree, copies: int) -> LoopTree:
        match node:
            case Call() | Let():
                return node
            case For(step=1) if node.marks.parallel is None:
                stop, count = self._whole(node)
                if copies * count > MOST:
                    raise _Other
                inner = self.block(node.body, copies * count)
                if node.marks.vectorize is not None:
                    self.vectors = True
                    return replace(node, stop=stop, body=inner)
                marks = replace(node.marks, unroll=0)
                return replace(node, stop=stop, body=inner, marks=marks)
        raise _Other

    def _whole(self, node: For) -> tuple[IntExpr, int]:
        """Where a block ends that is whole, and its size."""
        ends = node.stop.args if isinstance(node.stop, Min) else (node.stop,)
        for end in ends:
            count = sub(end, node.start)
            if isinstance(count, Const):
                tests = (compare("<=", end, other) for other in ends if other != end)
                when = conj(*tests)
                if variables(when) & self.moving:
                    raise _Other
                self.when = conj(self.when, when)
                return end, count.value
        raise _Other


def whole(node: For) -> tuple[Cond, For] | None:
    """A loop with its blocks of vectors written out, and where these are whole."""
    if not any(isinstance(child, For) for child in node.body):
        return None
    found = _Whole(bound((node,)))
    try:
        body = found.block(node.body, 1)
    except _Other:
        return None
    if not found.vectors:
        return None
    return found.when, replace(node, body=unroll(body))
