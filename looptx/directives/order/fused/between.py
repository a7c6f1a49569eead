"""Moving the nests between those to be fused before or after them."""

from __future__ import annotations

from collections.abc import Sequence

from looptx.model.program import Nest
from looptx.model.schedule import Band, Tree, sequence, statements
from looptx.model.schedule import Sequence as InOrder


def placed(
    nest: Nest, parent: InOrder, own: Sequence[Tree], tree: Tree
) -> tuple[Tree, ...]:
    """The children of ``parent`` with ``tree`` in the place of the nests ``own``.

    What stands between them goes before the fused nest, unless it shares data with
    what is fused before it: then it goes behind. The proof judges both.

    Args:
        nest: says what statements touch.
        parent: the sequence that the nests are children of.
        own: the nests. tree: what they are together.
    """
    first, last = parent.children.index(own[0]), parent.children.index(own[-1])
    before: list[Tree] = []
    after: list[Tree] = []
    held = [own[0]]
    for child in parent.children[first + 1 : last]:
        if child in own:
            held.append(child)
        elif any(_shares(nest, child, other) for other in (*held, *after)):
            after.append(child)
        else:
            before.append(child)
    return (
        *parent.children[:first],
        *before,
        tree,
        *after,
        *parent.children[last + 1 :],
    )


def _shares(nest: Nest, first: Tree, second: Tree) -> bool:
    """Whether one of two subtrees may write what the other uses."""
    ours, theirs = (
        [
            access
            for name in statements(tree)
            for access in nest.statements[name].accesses
        ]
        for tree in (first, second)
    )
    return any(
        (one.write or other.write)
        and (
            one.array == other.array
            or frozenset((one.array, other.array)) in nest.aliases
        )
        for one in ours
        for other in theirs
    )


def replaced(tree: Tree, parent: InOrder, children: tuple[Tree, ...]) -> Tree:
    """A tree with other children of one of its sequences.

    Args:
        tree: the tree. parent: the sequence. children: those that it gets.
    """
    match tree:
        case InOrder():
            if tree is parent:
                return sequence(children)
            return sequence(
                tuple(replaced(child, parent, children) for child in tree.children)
            )
        case Band(dim, body):
            return Band(dim, replaced(body, parent, children))
    return tree
