"""Random numbers of NumPy in loops, spelled as calls that say what they draw from.

``np.random.random()`` is ``random(key, made)`` of ``callees.mersenne``: nests are given
the words of NumPy's own generator, and what was drawn last. So what draws has
accesses as any other statement, and the order in which numbers are drawn is kept.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence

from looptx.model.callees.callee import Callee
from looptx.model.naming import DRAW, DRAWN, HELD
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.callees.drawing import STANDING, call, drawn
from looptx.source.callees.inside import defined_in
from looptx.source.callees.reading import drawing
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Known, Scope
from looptx.source.spelling.edits import Change, module
from looptx.source.spelling.inserted import Insertions
from looptx.source.spelling.lists.operations import parents
from looptx.source.spelling.tuples.parts import noting
from looptx.source.text.functions import functions

_OTHERS = ast.Lambda | ast.comprehension | ast.NamedExpr | ast.Assert
"""What may draw more than once, or not at all, or change what is drawn with."""

_NUMPY = f"{HELD}numpy"
_FULL = "looptx.draws."

_MADE = (
    f"{DRAWN[0]} = {_NUMPY}.empty(625, {_NUMPY}.uint32)",
    f"{DRAWN[1]} = {_NUMPY}.empty(1, {_NUMPY}.int64)",
    f"{DRAWN[2]} = {_NUMPY}.empty(3)",
)
"""What makes arrays like those that nests are given."""

MEANINGS = {
    _NUMPY: "numpy",
    **{f"{DRAW}{name}": f"{_FULL}{name}" for name in STANDING},
}
"""What the names mean that the spelling has."""


def drawing_callees() -> Mapping[str, Callee]:
    """The functions that draw, by their full names."""
    return {f"{_FULL}{name}": one for name, one in drawing().items()}


def with_draws(
    tree: ast.Module, known: Mapping[str, str], seen: Callable[[str], Known]
) -> ast.Module:
    """A tree in which loops draw random numbers by calls that say what they use.

    Args:
        tree: the module's. known: what its names mean.
        seen: what finds functions of the user, for a function by its qualified name.
    """
    changes: dict[ast.AST, Change] = {}
    for one in functions(tree, "", known, known):
        nodes = own_nodes(one.node)
        if any(isinstance(x, ast.For | ast.While) for x in nodes):
            scope = Scope(one.node, one.outer, seen(one.qualname), defined_in)
            changes.update(_changes(one.node, nodes, scope))
    return module(tree, changes)


def _changes(
    function: Function, nodes: Sequence[ast.AST], scope: Scope
) -> Iterator[tuple[ast.AST, Change]]:
    """The changes of a function, in its outermost loops.

    Args:
        function: it. nodes: its own. scope: its names.
    """
    draws = {x for x in nodes if isinstance(x, ast.Call) and _draws(x, scope)}
    if not draws:
        return
    loops = [node for node in nodes if isinstance(node, ast.For | ast.While)]
    inside = {part for loop in loops for part in walked(loop) if part is not loop}
    around = parents(nodes)
    inserted = Insertions(around)

    for loop in (one for one in loops if one not in inside):
        own, does = {*walked(loop)}, False
        for node in (one for one in nodes if one in own and one in draws):
            assert isinstance(node, ast.Call)
            name = drawn(node, scope.resolve(node.func))
            if not name:
                does = True
            elif _is_sure(node, around):
                does = True
                yield node, functools.partial(_standing, name)
        for text in _MADE if does else ():
            (stmt,) = ast.parse(text).body
            for part in walked(stmt):
                if isinstance(part, ast.expr | ast.stmt):
                    ast.copy_location(part, loop)
            inserted.before(loop, stmt)
    if inserted:
        yield from inserted.changes({function: noting(dict.fromkeys(DRAWN, "None"))})


def _draws(node: ast.Call, scope: Scope) -> bool:
    """Whether a call, or a function of the user that it calls, draws."""
    if drawn(node, scope.resolve(node.func)):
        return True
    callee = scope.callees.get(dotted(node.func))
    return callee is not None and callee.draws and not callee.refused


def _standing(name: str, node: ast.AST) -> ast.AST:
    """What stands for a call that draws.

    Args:
        name: of the function that does. node: the call.
    """
    assert isinstance(node, ast.Call)
    return call(node, name)


def _is_sure(node: ast.Call, around: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether a call draws once where its statement says so.

    Args:
        node: the call. around: what nodes stand in.
    """
    outer: ast.AST = node
    while not isinstance(outer, ast.stmt):
        outer = around[outer]
        if isinstance(outer, _OTHERS) or hasattr(outer, "generators"):
            return False
    return True
