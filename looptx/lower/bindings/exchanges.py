"""Two arrays that exchange their names: in C their pointers go round.

What a function is told of arrays besides where they begin is the same for both.
"""

from __future__ import annotations

from collections.abc import Sequence

from looptx.lower import tree
from looptx.lower.kinds import BOOL, fail, of
from looptx.lower.scope import Scope
from looptx.lower.tree import Assign, Expr, Stmt
from looptx.lower.types import c_element
from looptx.model.noted.exchanges import turned


def exchange(pair: Sequence[str], scope: Scope, declared: dict[str, str]) -> list[Stmt]:
    """The statements that do it, and note it.

    Args:
        pair: the arrays. scope: the nest. declared: the variables of the function.

    Raises:
        Unsupported: LX504 for arrays that do not lie in memory in the same way.
    """
    first, second = (scope.array(name) for name in pair)
    names = " and ".join(f"`{name}`" for name in pair)
    if first != second:
        fail(f"{names} are exchanged, and one is {first}, the other {second}")
    if first.layout == "A":
        fail(f"{names} are exchanged, and are not contiguous")
    held = scope.names.fresh("held")
    declared[held] = f"{c_element(first.dtype)}*"
    one, two = (tree.variable(scope.names(name)) for name in pair)
    sign = tree.variable(scope.names(turned(*pair)), of(BOOL))
    return [
        Assign(tree.variable(held), one),
        Assign(one, two),
        Assign(two, tree.variable(held)),
        Assign(sign, Expr("not", of(BOOL), (sign,))),
    ]
