"""Scalars that are arrays without axes after a nest, which C has as numbers.

What ``numpy.where`` gives is one. Operators and functions make numbers of it, so that
only what is given back as it is matters: alternatives, and copies of names.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looptx.errors import Place
from looptx.lower import advice
from looptx.lower.bindings.pairs import pairs
from looptx.lower.kinds import fail
from looptx.lower.scope import Scope
from looptx.model.trees import dotted, walk

_WHY = "a result of numpy.where used after the nest (it is a 0-d array)"


def check_unboxed(scope: Scope) -> None:
    """Nothing that is read after the nest is an array without axes.

    Raises:
        Unsupported: LX504.
    """
    stores = [*_stores(scope)]
    left = [*scope.planned.nest.live_out]
    seen = {*left}
    while left:
        name = left.pop()
        for place, value in ((at, value) for at, to, value in stores if to == name):
            for one in _alternatives(scope, value):
                if isinstance(one, ast.Name) and one.id not in seen:
                    seen.add(one.id)
                    left.append(one.id)
                if _full(scope, one) == "numpy.where":
                    fail(_WHY, place, advice.CONVERT)


def _stores(scope: Scope) -> Iterator[tuple[Place, str, ast.expr]]:
    """Where names are given values, and these."""
    for statement in scope.statements:
        for node in (node for line in statement.code for node in walk(line)):
            match node:
                case ast.Assign(targets, value):
                    found = [x for target in targets for x in pairs(target, value)]
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    found = [(target, value)]
                case ast.NamedExpr(target, value):
                    found = [(target, value)]
                case _:
                    continue
            for one, part in found:
                if isinstance(one, ast.Name):
                    yield statement.place, one.id, part


def _alternatives(scope: Scope, node: ast.expr) -> Iterator[ast.expr]:
    """The expressions of which an expression gives one as it is."""
    match node:
        case ast.IfExp(_, body, orelse):
            parts = [body, orelse]
        case ast.BoolOp(values=values):
            parts = values
        case ast.NamedExpr(value=value):
            parts = [value]
        case ast.Call(args=args) if _full(scope, node) in ("max", "min"):
            parts = args
        case _:
            parts = []
            yield node
    for part in parts:
        yield from _alternatives(scope, part)


def _full(scope: Scope, node: ast.expr) -> str:
    """What the function of a call is called where it is defined, if it has a name."""
    name = dotted(node.func) if isinstance(node, ast.Call) else ""
    return scope.full(name) if name else ""
