"""Positions of which a statement takes one, or a loop all, have names.

``k = np.where(x == v)[0][0]`` is ``found = np.where(x == v)[0]``, ``first = found[0]``
and ``k = first``: nothing that the statement evaluates before can tell the difference.
What is known of positions with names (see ``whole.sized``) is known of them.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence

from looptx.model.naming import Taken
from looptx.source.ast_tools import blocks, walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.must_execute import jumps
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Changes, always, spelling
from looptx.source.spelling.inserted import Inserted, parted, together

_BOTH = ("numpy.where", "numpy.nonzero")
_ALONE = "numpy.flatnonzero"

_QUIET = (ast.Name, ast.Constant)
"""What cannot raise, once names have values."""

_IN_ORDER = (
    *(ast.BinOp, ast.UnaryOp, ast.Compare, ast.Tuple, ast.Subscript, ast.Call),
    *(ast.operator, ast.unaryop, ast.cmpop, ast.expr_context),
)
"""What evaluates all of its parts, one after the other."""


def _call(node: ast.AST) -> ast.Call | None:
    """The call that gives positions along the only axis of a mask, if it is one."""
    match node:
        case ast.Subscript(ast.Call(_, [_], []) as call, ast.Constant(0)):
            return call
        case ast.Call(_, [_], []):
            return node
    return None


@spelling(_call)
def with_positions(function: Function, scope: Scope) -> Changes:
    """Such positions have names."""
    if scope.wild:
        return
    found = _Found(scope)
    inserted: dict[ast.AST, Inserted] = {}
    loops = [x for x in own_nodes(function) if isinstance(x, ast.For | ast.While)]
    inside = {x for loop in loops for x in own_nodes(loop) if x is not loop}
    for owner in own_nodes(function):
        for stmt in (one for block in blocks(owner) for one in block):
            if not (stmt in inside or isinstance(stmt, ast.For)):
                continue
            lines: list[ast.stmt] = []
            for node in found.first(stmt):
                name = found.named(node, lines)
                yield node, always(ast.copy_location(name, node))
            if lines and stmt in inside:
                beside = inserted.setdefault(owner, Inserted())
                beside.before(stmt, *parted(lines, stmt))
            elif lines:
                yield stmt, functools.partial(_nest, lines, found.taken.again("once"))
    for owner, one in inserted.items():
        yield owner, one.into(owner)


def _nest(lines: Sequence[ast.stmt], once: str, loop: ast.AST) -> ast.AST:
    """A loop behind what gives names, as one nest.

    Args:
        lines: what does so. once: the variable of the nest. loop: the loop.
    """
    assert isinstance(loop, ast.For)
    return together(lines, loop, once)


class _Found:
    """The positions in statements of one function.

    Args:
        scope: of the function.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.taken = Taken(scope.identifiers)

    def first(self, stmt: ast.stmt) -> list[ast.expr]:
        """What a statement evaluates before all else that has an effect, in order."""
        found: list[ast.expr] = []
        match stmt:
            case ast.For(iter=source, orelse=orelse) if not any(jumps(orelse)):
                return [source] if self._are_positions(source) else []
            case ast.Assign(targets, value):
                if self._evaluated(value, found):
                    for one in targets:
                        self._evaluated(one, found)
            case ast.AugAssign(ast.Name(), _, value) | ast.Return(ast.expr() as value):
                self._evaluated(value, found)
            case ast.If(value) | ast.Expr(value):
                self._evaluated(value, found)
        return found

    def named(self, node: ast.expr, lines: list[ast.stmt]) -> ast.expr:
        """The name of positions, or of one of them.

        Args:
            node: they. lines: gets what makes it.
        """
        if not self._are_positions(node):
            assert isinstance(node, ast.Subscript)
            whole = self.named(node.value, lines)
            node = ast.Subscript(whole, node.slice, ast.Load())
        name = self.taken.again("found")
        lines.append(ast.Assign([ast.Name(name, ast.Store())], node))
        return ast.Name(name, ast.Load())

    def _are_positions(self, node: ast.expr) -> bool:
        """Whether an expression gives the positions that a mask tells."""
        call = _call(node)
        if call is None:
            return False
        called = self.scope.resolve(call.func)
        mask = [x for x in walked(call.args[0]) if isinstance(x, ast.Call)]
        known = _BOTH if call is not node else (_ALONE,)
        return called in known and not mask

    def _evaluated(self, node: ast.expr, found: list[ast.expr]) -> bool:
        """Whether an expression has no effect but for positions in it.

        Args:
            node: the expression. found: gets one of each of these, in order.
        """
        match node:
            case ast.Subscript(whole, at) if self._are_positions(whole):
                place = at.operand if isinstance(at, ast.UnaryOp) else at
                if isinstance(place, _QUIET):
                    found.append(node)
                    return True
        if isinstance(node, _QUIET):
            return True
        if not isinstance(node, _IN_ORDER):
            return False
        parts = [x for x in ast.iter_child_nodes(node) if isinstance(x, ast.expr)]
        if isinstance(node, ast.Compare):
            # What is compared next is evaluated only where the first holds.
            parts = parts[:2]
        return all(self._evaluated(x, found) for x in parts) and isinstance(
            node, ast.Tuple
        )
