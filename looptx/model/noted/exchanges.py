"""Two arrays that exchange their names: ``u, new = new, u``.

Of values it is a statement that copies all of either array into the other one, and that
is what the order of statements is judged by. Native code exchanges pointers, and says
whether the arrays have each other's names in the end.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.model.naming import HELD
from looptx.model.trees import walk


def exchanged(stmt: ast.AST) -> tuple[str, ...]:
    """The two names that a statement exchanges, in alphabetical order; or none."""
    match stmt:
        case ast.Assign(
            [ast.Tuple([ast.Name(first), ast.Name(second)])],
            ast.Tuple([ast.Name(third), ast.Name(fourth)]),
        ) if (first, second) == (fourth, third) and first != second:
            return tuple(sorted((first, second)))
    return ()


def noted(stmt: ast.stmt, pair: tuple[str, ...]) -> ast.stmt:
    """What stands for a statement that exchanges arrays: it gives no name a value."""
    made = ast.Expr(ast.copy_location(ast.Constant(None), stmt))
    vars(made)["exchange"] = pair
    return ast.copy_location(made, stmt)


def pair_of(stmt: ast.stmt) -> tuple[str, ...]:
    """The arrays that a noted statement exchanges; none for others."""
    found = vars(stmt).get("exchange", ())
    assert isinstance(found, tuple)
    return found


def pairs_of(code: Sequence[ast.stmt]) -> set[tuple[str, ...]]:
    """The pairs of arrays that are exchanged anywhere in noted statements."""
    found = (vars(node).get("exchange", ()) for one in code for node in walk(one))
    return {pair for pair in found if pair}


def turned(first: str, second: str) -> str:
    """The name of what says whether two arrays have each other's names."""
    return f"{HELD}{first}_{second}_turned"
