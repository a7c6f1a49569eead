"""Elements under a mask that have a name for one statement, spelled without it.

``v = x[mask]`` in front of ``y[i] = v.mean()`` is ``y[i] = x[mask].mean()``, and so in
front of several such statements that leave the elements as they are: how many of these
elements there are is only known when they are taken, so that no nest could be given an
array of them.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Mapping, Sequence

from looptx.model.functions import Kind, lookup, lookup_method
from looptx.model.trees import dotted
from looptx.source.ast_tools import blocks, walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Changes, always, spelling
from looptx.source.spelling.whole.reading.operations import tells
from looptx.source.spelling.whole.uses import Uses


def _taken(node: ast.AST) -> tuple[ast.Name, ast.Subscript] | None:
    """A name, and what is taken of an array."""
    match node:
        case ast.Assign(
            [ast.Name() as name],
            ast.Subscript(ast.Name(), ast.Name() | ast.Compare() | ast.BinOp()) as part,
        ):
            return name, part
    return None


@spelling(_taken)
def with_masked(function: Function, scope: Scope, axes: Mapping[str, int]) -> Changes:
    """Elements under masks that one statement uses have no names.

    Args:
        function: it. scope: its names.
        axes: how many arguments have, where no text says so.
    """
    if scope.wild:
        return
    uses = Uses(function, scope)
    for owner in own_nodes(function):
        for block in blocks(owner):
            for at, stmt in enumerate(block):
                found = _taken(stmt)
                if found is None or not _is_mask(found[1].slice, scope, axes):
                    continue
                name, part = found
                loads = _loads(name, part, block[at + 1 :], uses)
                for use in loads:
                    own = ast.copy_location(copy.deepcopy(part), use)
                    yield use, always(own)
                if loads:
                    yield stmt, always(ast.copy_location(ast.Pass(), stmt))


def _is_mask(node: ast.expr, scope: Scope, axes: Mapping[str, int]) -> bool:
    """Whether a subscript is an array, as far as all of it is known.

    Args:
        node: it. scope: of the function. axes: as of ``with_masked``.
    """
    given = isinstance(node, ast.Name) and axes.get(node.id, 0)
    if isinstance(node, ast.Name) and given:
        bindings = scope.bindings.get(node.id, ())
        return all(one.kind == "arg" for one in bindings)
    return tells(node, scope)


def _loads(
    name: ast.Name, part: ast.Subscript, rest: Sequence[ast.stmt], uses: Uses
) -> Sequence[ast.Name]:
    """The uses of a name in the statements behind it, if it has no other ones.

    Args:
        name: where it gets its value. part: that. rest: what follows in its block.
        uses: of all names.
    """
    found = [use for use in uses.named(name.id) if use is not name]
    if name.id in uses.scope.shared or not all(_is_reduced(x, uses) for x in found):
        return ()
    left = {*found}
    names = {x.id for x in walked(part) if isinstance(x, ast.Name)}
    for stmt in rest:
        if not (isinstance(stmt, ast.Assign | ast.AugAssign | ast.If) or _once(stmt)):
            return ()
        left -= {*walked(stmt)}
        if not left and not isinstance(stmt, ast.If):
            return found
        unused = len(left) == len(found) and _taken(stmt) is None
        if not _keeps(stmt, names, uses) or unused:
            return ()
        if not left:
            return found
    return ()


def _once(stmt: ast.stmt) -> bool:
    """Whether a statement is a loop of one round, which stands for another one."""
    return isinstance(stmt, ast.For) and ast.unparse(stmt.iter) == "range(1)"


def _keeps(stmt: ast.stmt, names: Collection[str], uses: Uses) -> bool:
    """Whether arrays are the same behind a statement.

    Args:
        stmt: it. names: of the arrays. uses: of all names.
    """
    for node in walked(stmt):
        stored = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
        base = node.value if isinstance(node, ast.Subscript) else node
        if stored and dotted(base).partition(".")[0] in names:
            return False
        if isinstance(node, ast.Call) and not uses.scope.resolve(node.func):
            function = node.func
            known = isinstance(function, ast.Attribute) and (
                lookup_method(function.attr).kind is Kind.REDUCTION
            )
            if not known:
                return False
    return True


def _is_reduced(use: ast.Name, uses: Uses) -> bool:
    """Whether one number is made of what a name stands for, where it stands."""
    outer = uses.outside[use]
    called = uses.outside[outer]
    match outer:
        case ast.Attribute(attr="size"):
            return True
        case ast.Attribute(attr=attr) if isinstance(called, ast.Call):
            return called.func is outer and lookup_method(attr).kind is Kind.REDUCTION
        case ast.Call(function, [one]) if one is use:
            full = uses.scope.resolve(function)
            return full == "builtins.len" or lookup(full).kind is Kind.REDUCTION
    return False
