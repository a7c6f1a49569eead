"""Calls that give several numbers: ``low, high = np.percentile(x, [25, 75])``.

Native code finds one quantile after the other, as if each had been asked for by itself:
the numbers are the same but for what hangs on the order in which NumPy leaves equal
ones, and there NumPy is asked for all of them. ``q, r = divmod(x, 3)`` is ``x // 3``
and ``x % 3``.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence

from looptx.model.noted.quantiles import Together, found_together
from looptx.source.ast_tools import walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Changes, spelling
from looptx.source.spelling.stretches import PURE

_PERCENTS = "numpy.percentile"

_QUANTILES = (_PERCENTS, "numpy.quantile")
"""Those that give as many numbers as are asked for: of no elements others give one."""


def _call(node: ast.AST) -> ast.Call | None:
    """The call of which a node takes numbers apart, if it may be one."""
    match node:
        case ast.Assign([ast.Tuple()], ast.Call() as call):
            return call
        case ast.Subscript(ast.Call() as call, ast.Constant(int())):
            return call
    return None


@spelling(_call)
def with_single(function: Function, scope: Scope) -> Changes:
    """Each of the numbers is computed by itself."""
    for node in own_nodes(function):
        call = _call(node)
        numbers = _numbers(scope, call) if call is not None else []
        match node:
            case ast.Assign([ast.Tuple(targets)]):
                known = len(targets) == len(numbers)
            case ast.Subscript(_, ast.Constant(at)) if type(at) is int:
                known = 0 <= at < len(numbers)
            case _:
                known = False
        if known and numbers:
            yield node, functools.partial(_apart, scope)


def _apart(scope: Scope, node: ast.AST) -> ast.AST:
    """A statement that assigns single numbers, or what gives one.

    Args:
        scope: of the function. node: what takes the numbers apart.
    """
    call = _call(node)
    assert call is not None
    numbers = [ast.copy_location(x, call) for x in _numbers(scope, call)]
    if isinstance(node, ast.Subscript):
        assert isinstance(node.slice, ast.Constant) and type(node.slice.value) is int
        return numbers[node.slice.value]
    assert isinstance(node, ast.Assign)
    values = ast.copy_location(ast.Tuple(numbers, ast.Load()), call)
    return ast.copy_location(ast.Assign(node.targets, values), node)


def _numbers(scope: Scope, call: ast.Call) -> list[ast.expr]:
    """What gives each of the numbers of a call; nothing for one that is not known.

    Args:
        scope: of the function. call: the call.
    """
    match scope.resolve(call.func), call:
        case "builtins.divmod", ast.Call(args=[over, by], keywords=[]):
            # By other numbers it may raise, in words of its own.
            number = by.value if isinstance(by, ast.Constant) else None
            if type(number) is int and number > 0 and _is_pure(over, scope):
                return [ast.BinOp(over, op(), by) for op in (ast.FloorDiv, ast.Mod)]
        case name, ast.Call(args=[row, listed], keywords=[]) if name in _QUANTILES:
            parts = _listed(listed) if _is_pure(row, scope) else []
            # Of integers alone NumPy makes no parts: it takes them for the ends.
            known = name == _PERCENTS or any(isinstance(one, float) for one in parts)
            # It raises for all of them where one is outside.
            whole = 100 if name == _PERCENTS else 1
            if known and all(0 <= one <= whole for one in parts):
                return [_quantile(call, parts, at) for at in range(len(parts))]
    return []


def _is_pure(node: ast.expr, scope: Scope) -> bool:
    """Whether an expression is the same if evaluated twice.

    Args:
        node: the expression. scope: of the function.
    """
    return all(
        scope.resolve(x.func) == "builtins.int"
        if isinstance(x, ast.Call)
        else isinstance(x, (*PURE, ast.Slice))
        for x in walked(node)
    )


def _listed(node: ast.expr) -> list[float]:
    """The numbers in brackets; none where others stand there, too."""
    if not isinstance(node, ast.List | ast.Tuple):
        return []
    values = [x.value for x in node.elts if isinstance(x, ast.Constant)]
    numbers = [x for x in values if isinstance(x, int | float)]
    whole = len(numbers) == len(node.elts)
    return numbers if whole and not any(type(x) is bool for x in numbers) else []


def _quantile(call: ast.Call, parts: Sequence[float], at: int) -> ast.expr:
    """The call for one of several quantiles.

    Args:
        call: for all. parts: what they are behind. at: which one.
    """
    told = ast.copy_location(ast.Constant(float(parts[at])), call)
    made = ast.copy_location(ast.Call(call.func, [call.args[0], told], []), call)
    return found_together(made, Together((*map(float, parts),), at))
