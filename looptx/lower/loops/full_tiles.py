"""Full tiles apart from cut ones, so that C knows how often their loops run.

The last block of a split is shorter than the others, and so a loop over a block ends at
the lesser of two values. To a C compiler such a loop may run any number of times: it
keeps no cell of a block in a register, and asks before each block how much of it fills
a vector. One test in front of a whole tile tells the two apart.
(Ancourt, Irigoin, PPoPP 1991, scan full tiles apart; here they stay in their order.)
"""

from __future__ import annotations

from collections.abc import Iterator

from looptx.looptree.nodes import Block, For, If, LoopTree
from looptx.looptree.walk import bound, nodes
from looptx.model.expr import (
    Cond,
    Const,
    IntExpr,
    Min,
    compare,
    conj,
    sub,
    variables,
)
from looptx.model.records import dataclass, replace

MOST = 64
"""How often a loop runs at most that gains by a count: eight of the widest vectors."""


@dataclass(frozen=True, slots=True)
class Tile:
    """What stands in a loop, where nothing cuts it off.

    Attributes:
        full: the condition for that.
        body: with loops of constant counts.
    """

    full: Cond
    body: Block


def full_tile(node: For) -> Tile | None:
    """The full tile that an iteration of a loop is, if it is one of constant size.

    That is so for the innermost loop that says whether a tile is full. What is tested
    around it, too, need not be tested there: there are two copies, not four.
    """
    cuts = _known(node)
    deeper = (one for one in nodes(node.body) if isinstance(one, For))
    if not _says(node, cuts) or any(_says(one, _known(one)) for one in deeper):
        return None
    if any(_is_parallel(one) for one in nodes(node.body)):
        return None
    tests = dict.fromkeys(cut.full for _, cut in cuts)
    return Tile(conj(*tests), _whole(node.body, bound(node.body)))


@dataclass(frozen=True, slots=True)
class _Cut:
    """A loop that runs a constant number of times unless something cuts it off.

    Attributes:
        full: the condition that nothing does.
        stop: where it ends then.
    """

    full: Cond
    stop: IntExpr


def _cut(node: For) -> _Cut | None:
    """What may cut a loop off, if that is all that is not known of its count."""
    if node.step < 0 or not isinstance(node.stop, Min):
        return None
    for stop in node.stop.args:
        count = sub(stop, node.start)
        if isinstance(count, Const) and 1 < count.value <= MOST:
            others = (other for other in node.stop.args if other != stop)
            return _Cut(conj(*(compare("<=", stop, one) for one in others)), stop)
    return None


def _known(node: For) -> list[tuple[For, _Cut]]:
    """The loops in a loop of which it is known in front of its body if they are cut."""
    own = bound(node.body)
    return [(one, cut) for one, cut in _cuts(node.body) if _is_known(cut, own)]


def _cuts(block: Block) -> Iterator[tuple[For, _Cut]]:
    for node in nodes(block):
        if isinstance(node, For) and (cut := _cut(node)):
            yield node, cut


def _is_known(cut: _Cut, own: frozenset[str]) -> bool:
    return not variables(cut.full) & own


def _says(node: For, cuts: list[tuple[For, _Cut]]) -> bool:
    """Whether a loop says something of it, and an innermost loop gains by that."""
    return any(node.var in variables(cut.full) for _, cut in cuts) and any(
        not any(isinstance(inner, For) for inner in nodes(one.body)) for one, _ in cuts
    )


def _is_parallel(node: LoopTree) -> bool:
    return isinstance(node, For) and node.marks.parallel is not None


def _whole(block: Block, own: frozenset[str]) -> Block:
    """A block in a full tile; ``own`` is what the tile binds."""

    def one(node: LoopTree) -> LoopTree:
        match node:
            case For():
                cut, body = _cut(node), _whole(node.body, own)
                if cut and _is_known(cut, own):
                    return replace(node, stop=cut.stop, body=body)
                return replace(node, body=body)
            case If(cond, body):
                return If(cond, _whole(body, own))
        return node

    return tuple(map(one, block))
