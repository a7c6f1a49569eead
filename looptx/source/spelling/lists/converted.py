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


def converted(
    found: Sequence[ast.Name], loop: ast.stmt, scope: Scope, around: Parents
) -> str | None:
    """The type of the arrays that are made of a list; None where it is used otherwise.

    An array of its elements has to do instead: ``np.array`` copies it, and
    ``np.asarray`` may give it away where the function has no name for it then.

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
    alone = len(made) == 1 and _is_last(made[0], around)
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


def _is_last(call: ast.Call, around: Parents) -> bool:
    """Whether a list has no name any more once an array is made of it.

    Args:
        call: that makes the array. around: what nodes stand in.
    """
    match around[call]:
        case ast.Return():
            return True
        case ast.Assign([ast.Name(name)]):
            use = call.args[0]
            return isinstance(use, ast.Name) and use.id == name
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
