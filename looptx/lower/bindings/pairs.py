"""The single assignments that an assignment to a tuple consists of."""

from __future__ import annotations

import ast

from looptx.lower import advice
from looptx.lower.kinds import fail


def pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """The targets and what each gets, left to right.

    Raises:
        Unsupported: LX504 for a tuple that gets what is no tuple of as many parts.
    """
    if not isinstance(target, ast.Tuple | ast.List):
        return [(target, value)]
    parts = value.elts if isinstance(value, ast.Tuple | ast.List) else []
    if len(parts) != len(target.elts):
        fail(f"the assignment to `{ast.unparse(target)}`", hint=_apart(target, value))
    found: list[tuple[ast.expr, ast.expr]] = []
    for one, part in zip(target.elts, parts, strict=True):
        found += pairs(one, part)
    return found


def _apart(target: ast.expr, value: ast.expr) -> str:
    """What helps where a value is no tuple of as many parts as its target."""
    match target, value:
        case (
            ast.Tuple([one, two]),
            ast.Call(ast.Name("divmod"), [left, right], []),
        ):
            sides = ast.Tuple(
                [ast.BinOp(left, op, right) for op in (ast.FloorDiv(), ast.Mod())]
            )
            names = ast.unparse(ast.Tuple([one, two]))[1:-1]
            return f"write `{names} = {ast.unparse(sides)[1:-1]}`"
    return advice.EACH
