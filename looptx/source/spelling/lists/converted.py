"""Lists of which a function only makes arrays: ``np.array(out)``, ``len(out)``."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.model.dtypes import spelled
from looptx.source.ast_tools import walked
from looptx.source.names.scope import Scope
from looptx.source.spelling.lists.operations import Parents

ANY = ""
"""The type of elements that NumPy finds."""

_LOOPS = (ast.For, ast.While, ast.comprehension)


def converted(
    found: Sequence[ast.Name], loop: ast.stmt, scope: Scope, around: Parents
) -> str | None:
    """The type of the arrays that are made of a list; None where it is used otherwise.

    An array of its elements has to do instead: ``np.array`` copies it, and
    ``np.asarray`` may give it away where nothing else uses it.

    Args:
        found: all uses of its name outside of loops that make it. loop: the last one.
        scope: of the function. around: what nodes stand in.
    """
    made: list[ast.Call] = []
    functions: set[str] = set()
    for use in _own(found, loop, scope):
        call = around[use]
        if not isinstance(call, ast.Call) or call.args[:1] != [use]:
            return None
        function = scope.resolve(call.func)
        if function != "builtins.len" or len(call.args) > 1 or call.keywords:
            made.append(call)
            functions.add(function)
    alone = len(made) == 1 and not _repeats(made[0], around)
    types = {_dtype(call, scope) for call in made}
    good = functions <= {"numpy.array", *(["numpy.asarray"] if alone else [])}
    return types.pop() if good and len(types) == 1 else None


def _own(found: Sequence[ast.Name], loop: ast.stmt, scope: Scope) -> Sequence[ast.Name]:
    """The uses of a list, without those of an array of its name.

    Args:
        found, loop, scope: as of ``converted``.
    """
    body = scope.function.body
    behind = body[body.index(loop) + 1 :] if loop in body else []
    for number, stmt in enumerate(behind):
        match stmt:
            case ast.Assign([ast.Name() as target], ast.Call(args=[use, *_])):
                if target in found and use in found:
                    later = {x for one in behind[number + 1 :] for x in walked(one)}
                    return [x for x in found if x is not target and x not in later]
    return found


def _repeats(node: ast.AST, around: Parents) -> bool:
    """Whether something stands in a loop, or a comprehension."""
    while node in around:
        node = around[node]
        parts = getattr(node, "generators", [node])
        if isinstance(parts[0], _LOOPS):
            return True
    return False


def _dtype(call: ast.Call, scope: Scope) -> str | None:
    """The type that a call asks for: ``ANY``, or None for what is not known.

    Args:
        call: that makes an array. scope: of the function.
    """
    given = [*call.args[1:], *(one.value for one in call.keywords)]
    if not given:
        return ANY
    if len(given) > 1 or any(one.arg != "dtype" for one in call.keywords):
        return None
    match given[0]:
        case ast.Constant(str(text)):
            return spelled(text) or None
        case ast.Name() | ast.Attribute() as node:
            module, _, name = scope.resolve(node).rpartition(".")
            return spelled(name) or None if module in ("numpy", "builtins") else None
    return None
