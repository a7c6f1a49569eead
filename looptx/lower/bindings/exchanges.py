"""Two arrays that exchange their names: in C their pointers go round.

What a function is told of arrays besides where they begin is the same for both.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from looptx.lower import tree
from looptx.lower.kinds import BOOL, TAG, fail, of
from looptx.lower.scope import TYPE, Scope
from looptx.lower.tree import Assign, Expr, If, Stmt, infix
from looptx.lower.types import c_element, c_name
from looptx.model.noted.exchanges import turned
from looptx.model.records import replace


def exchange(pair: Sequence[str], scope: Scope, declared: dict[str, str]) -> list[Stmt]:
    """The statements that do it, and note it.

    Args:
        pair: the arrays. scope: the nest. declared: the variables of the function.

    Raises:
        Unsupported: LX504 for arrays that do not lie in memory in the same way.
    """
    own = _sign(pair, scope)
    return [
        *_pointers(pair, scope, declared),
        Assign(own, Expr("not", of(BOOL), (own,))),
    ]


def turns(
    pairs: Collection[tuple[str, ...]], scope: Scope, declared: dict[str, str]
) -> tuple[list[Stmt], list[Stmt]]:
    """What turns the pointers of a function as those of a function that it calls.

    Args:
        pairs: what that one exchanges.
        scope, declared: as of ``exchange``.

    Returns:
        What is done in front of the call, and behind it.
    """
    before: list[Stmt] = []
    after: list[Stmt] = []
    for pair in sorted(pairs):
        now = _sign(pair, scope)
        then = tree.variable(scope.names.fresh("before"), now.kind)
        declared[then.name] = c_name("bool")
        before.append(Assign(then, now))
        turning = tuple(_pointers(pair, scope, declared))
        after.append(If(infix("!=", now, then), turning))
    return before, after


def _sign(pair: Sequence[str], scope: Scope) -> Expr:
    """What says whether arrays have each other's names."""
    return tree.variable(scope.names(turned(*pair)), of(BOOL))


def _pointers(
    pair: Sequence[str], scope: Scope, declared: dict[str, str]
) -> list[Stmt]:
    """The statements that exchange where arrays begin.

    Args:
        pair, scope, declared, Raises: as of ``exchange``.
    """
    first, second = (replace(scope.array(name), elements=()) for name in pair)
    names = " and ".join(f"`{name}`" for name in pair)
    if first != second or "tuple" in first.holders:
        one, other = map(scope.array, pair)
        fail(f"{names} are exchanged, and one is {one}, the other {other}")
    if first.layout == "A":
        fail(f"{names} are exchanged, and are not contiguous")
    types = [f"{name}{TYPE}" for name in pair if name in scope.told_lists]
    return [
        *_turned(pair, first.dtype, scope, declared),
        *(_turned(types, TAG.dtype, scope, declared) if types else ()),
    ]


def _turned(
    pair: Sequence[str], dtype: str, scope: Scope, declared: dict[str, str]
) -> list[Stmt]:
    """The statements that exchange two pointers.

    Args:
        pair: the arrays. dtype: of their elements.
        scope, declared: as of ``exchange``.
    """
    held = scope.names.fresh("held")
    declared[held] = f"{c_element(dtype)}*"
    one, two = (tree.variable(scope.names(name)) for name in pair)
    return [
        Assign(tree.variable(held), one),
        Assign(one, two),
        Assign(two, tree.variable(held)),
    ]
