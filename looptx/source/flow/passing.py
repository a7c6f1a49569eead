"""Which arguments of a call become which parameters of a function."""

from __future__ import annotations

import ast

from looptx.source.names.imports import FUNCTIONS
from looptx.source.names.namespaces import Namespace


def matched(call: ast.Call, callee: Namespace, skip: int) -> dict[str, list[ast.expr]]:
    """``{parameter: the arguments it may get}``.

    Args:
        call: the call.
        callee: the namespace of a function or lambda.
        skip: how many parameters come before the first argument (``self``).
    """
    node, given = callee.node, call.args
    assert isinstance(node, FUNCTIONS | ast.Lambda)
    everything = [*given, *(keyword.value for keyword in call.keywords)]
    spread = any(isinstance(each, ast.Starred) for each in given)
    if spread or any(keyword.arg is None for keyword in call.keywords):
        return {name: everything for name in callee.arguments[skip:]}
    places = [*node.args.posonlyargs, *node.args.args][skip:]
    found: dict[str, list[ast.expr]] = {name: [] for name in callee.arguments}
    for position, value in enumerate(given):
        if position < len(places):
            found[places[position].arg].append(value)
        elif node.args.vararg:
            found[node.args.vararg.arg].append(value)
    for keyword in call.keywords:
        if keyword.arg in found:
            found[keyword.arg].append(keyword.value)
        elif node.args.kwarg:
            found[node.args.kwarg.arg].append(keyword.value)
    return found


def defaults(space: Namespace) -> dict[str, ast.expr]:
    """``{parameter: its default}`` of a function or lambda."""
    node = space.node
    if not isinstance(node, FUNCTIONS | ast.Lambda):
        return {}
    plain = [*node.args.posonlyargs, *node.args.args]
    found = dict(zip(reversed(plain), reversed(node.args.defaults), strict=False))
    more = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    found.update((one, value) for one, value in more if value is not None)
    return {one.arg: value for one, value in found.items()}
