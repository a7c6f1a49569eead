"""Elements under a mask that have a name for one statement, spelled without it.

``v = x[mask]`` in front of ``y[i] = v.mean()`` is ``y[i] = x[mask].mean()``: how many
elements there are is only known when they are taken, so that no nest could be given an
array of them.
"""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Iterator, Mapping, Sequence

from looptx.model.functions import Kind, lookup, lookup_method
from looptx.source.ast_tools import blocks, walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Change, always, respelt
from looptx.source.spelling.whole.reading.operations import is_truth, simple
from looptx.source.spelling.whole.uses import Uses


def with_masked(tree: ast.Module, known: Mapping[str, str]) -> ast.Module:
    """A tree without names of elements under masks that one statement uses.

    Args:
        tree: the module's. known: what its names mean.
    """
    return respelt(tree, known, _taken, _changes)


def _taken(node: ast.AST) -> tuple[ast.Name, ast.Subscript] | None:
    """A name, and what is taken of an array."""
    match node:
        case ast.Assign(
            [ast.Name() as name],
            ast.Subscript(ast.Name(), ast.Name() | ast.Compare() | ast.BinOp()) as part,
        ):
            return name, part
    return None


def _changes(function: Function, scope: Scope) -> Iterator[tuple[ast.AST, Change]]:
    """The changes of a function."""
    if scope.wild:
        return
    uses = Uses(function, scope)
    for owner in own_nodes(function):
        for block in blocks(owner):
            for stmt, after in itertools.pairwise(block):
                found = _taken(stmt)
                if found is None or not _is_mask(found[1].slice, scope):
                    continue
                name, part = found
                loads = _loads(name, after, uses)
                for use in loads:
                    own = ast.copy_location(copy.deepcopy(part), use)
                    yield use, always(own)
                if loads:
                    yield stmt, always(ast.copy_location(ast.Pass(), stmt))


def _is_mask(node: ast.expr, scope: Scope) -> bool:
    """Whether a subscript is made of comparisons, as far as all of it is known."""
    if not isinstance(node, ast.Name):
        return is_truth(simple(node, scope))
    values = [one.value for one in scope.bindings.get(node.id, ())]
    return bool(values) and all(
        value is not None and is_truth(simple(value, scope)) for value in values
    )


def _loads(name: ast.Name, after: ast.stmt, uses: Uses) -> Sequence[ast.Name]:
    """The uses of a name in the statement behind it, if it has no other ones.

    Args:
        name: where it gets its value. after: the statement. uses: of all names.
    """
    found = [use for use in uses.named(name.id) if use is not name]
    simple_one = isinstance(after, ast.Assign | ast.AugAssign)
    if not simple_one or name.id in uses.scope.shared:
        return ()
    inside = {*walked(after)}
    known = all(use in inside and _is_reduced(use, uses) for use in found)
    return found if known else ()


def _is_reduced(use: ast.Name, uses: Uses) -> bool:
    """Whether one number is made of what a name stands for, where it stands."""
    outer = uses.outside[use]
    called = uses.outside[outer]
    match outer:
        case ast.Attribute(attr=attr) if isinstance(called, ast.Call):
            return called.func is outer and lookup_method(attr).kind is Kind.REDUCTION
        case ast.Call(function, [one]) if one is use:
            full = uses.scope.resolve(function)
            return lookup(full).kind is Kind.REDUCTION
    return False
