"""Why a function of the user is none that native code can have, in words."""

from __future__ import annotations

import ast
from typing import NoReturn

from looptx.source.names.subscripts import subscripts

_NAMED = {
    ast.Raise: "raises an exception",
    ast.Assert: "has an `assert`",
    ast.Try: "catches exceptions",
    ast.With: "has a `with`",
    ast.Global: "assigns names of its module",
    ast.Nonlocal: "assigns names of the function around it",
    ast.FunctionDef: "defines a function",
    ast.Lambda: "makes a function",
    ast.Yield: "is a generator",
    ast.YieldFrom: "is a generator",
    ast.Await: "waits",
    ast.Subscript: "reads more than an element of an array that it is given",
    ast.NamedExpr: "assigns in an expression",
}


class Refused(Exception):
    """Why a function is none that native code can have.

    Attributes:
        node: what is to blame. reason: in words about the function.
    """

    def __init__(self, node: ast.AST, reason: str) -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason


def refuse(node: ast.AST) -> NoReturn:
    """Refuse a function for what it contains.

    Raises:
        Refused: always.
    """
    stored = (x for x in ast.walk(node) if isinstance(x, ast.Subscript))
    for target in (x for x in stored if isinstance(x.ctx, ast.Store)):
        base = ast.unparse(subscripts(target)[0])
        raise Refused(node, f"assigns more than an element of `{base}`")
    if isinstance(node, ast.Return):
        raise Refused(node, "returns None")
    raise Refused(node, told(node))


def told(node: ast.AST) -> str:
    """What a function does that has a part, in words."""
    text = ast.unparse(node).splitlines()[0]
    return _NAMED.get(type(node), f"contains `{text}`")
