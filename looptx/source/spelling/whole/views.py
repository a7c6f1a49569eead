"""Parts of arrays with names, spelled out: ``v * c`` behind ``v = A[i, 1:]``.

A slice is a view, so that it is the same whether it is taken once or wherever it is
used, as long as the names in it, and the elements that say its bounds, keep their
values. Where each use stands for itself the statement that names the part goes away.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence

from looptx.model.functions import Kind, lookup_method
from looptx.model.records import dataclass
from looptx.model.trees import dotted
from looptx.source.ast_tools import LOOPS, blocks, walked
from looptx.source.names.imports import SCOPES, own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.names.subscripts import index_list
from looptx.source.spelling.edits import Change, Changes, always, spelling
from looptx.source.spelling.whole.turns.webs import keeps_its_name
from looptx.source.spelling.whole.uses import Uses

_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)
"""Statements whose values are computed in any case, and first."""

_PARTS = (
    *(ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.BinOp, ast.UnaryOp),
    *(ast.Slice, ast.Tuple, ast.operator, ast.unaryop, ast.expr_context),
)
"""What such a part may be made of: it is the same if evaluated twice."""


def _flipped(node: ast.AST) -> ast.Subscript | None:
    """A slice of an array that a call turns round, as it may be: of one axis, surely.

    An array of more axes has other elements there; native code sees how many it has.
    """
    match node:
        case ast.Call(_, [ast.Subscript() as part], []):
            slices = [isinstance(x, ast.Slice) for x in index_list(part)]
            return part if sum(slices) == 1 and dotted(part.value) else None
    return None


@spelling(_flipped)
def with_slices_backwards(function: Function, scope: Scope) -> Changes:
    """Slices that are turned round are slices backwards."""
    for node in own_nodes(function):
        part = _flipped(node)
        if part is None or not isinstance(node, ast.Call):
            continue
        if scope.resolve(node.func) == "numpy.flip":
            back = ast.Slice(None, None, ast.UnaryOp(ast.USub(), ast.Constant(1)))
            made = ast.Subscript(part, back, ast.Load())
            made = ast.copy_location(made, node)
            yield node, always(ast.fix_missing_locations(made))


def _named(node: ast.AST) -> str:
    """The name that a statement may give to a part of an array, or nothing."""
    match node:
        case ast.Assign([ast.Name(name)], ast.Subscript() as part):
            known = all(isinstance(x, _PARTS) for x in walked(part))
            slices = any(isinstance(x, ast.Slice) for x in index_list(part))
            return name if known and slices and dotted(part.value) else ""
    return ""


@spelling(_named)
def with_views(function: Function, scope: Scope) -> Changes:
    """Slices that loops name have no names."""
    return _Function(function, scope).changes()


@dataclass(frozen=True)
class _View:
    """A part of an array that a statement names.

    Attributes:
        stmt: the statement. part: the part. uses: where its name stands for it.
    """

    stmt: ast.Assign
    part: ast.Subscript
    uses: Sequence[ast.Name]


class _Function:
    """Respells the views of one function."""

    def __init__(self, node: Function, scope: Scope) -> None:
        self.function = node
        self.scope = scope
        self.own = own_nodes(node)
        self.uses = Uses(node, scope)

    def changes(self) -> Iterator[tuple[ast.AST, Change]]:
        """What the views become, and what is made of them."""
        if self.scope.wild:
            return
        loops = [x for x in self.own if isinstance(x, LOOPS)]
        inside = {part for loop in loops for part in own_nodes(loop, enter=False)}
        owners = (x for x in self.own if x in inside and not isinstance(x, SCOPES))
        for owner in owners:
            for block in blocks(owner):
                for at, stmt in enumerate(block):
                    name = _named(stmt)
                    if name and name not in self.scope.shared:
                        view = self._view(stmt, name, block[at + 1 :])
                        if view is not None:
                            yield from _spelled_out(view)

    def _view(self, stmt: ast.stmt, name: str, rest: list[ast.stmt]) -> _View | None:
        """A view whose uses can stand for themselves.

        Args:
            stmt: what names it. name: its name. rest: what follows it in its block.
        """
        assert isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.Subscript)
        named = self.uses.named(name)
        if len(self.scope.bindings.get(name, ())) != 1:
            return None
        for last in range(len(rest), 0, -1):
            inside = {*walked(rest[last - 1])}
            if any(x in inside for x in named):
                break
        else:
            return None
        region = rest[:last]
        within = {x for one in region for x in walked(one)}
        uses = [x for x in named if x in within]
        if len(uses) + 1 != len(named) or not all(map(self._is_whole, uses)):
            return None
        array = dotted(stmt.value.value).partition(".")[0]
        if not keeps_its_name(self.function, array, {name}):
            return None
        if not self._keeps(stmt.value, region):
            return None
        if _may_raise(stmt.value) and not self._raises_first(region, uses):
            return None
        return _View(stmt, stmt.value, uses)

    def _is_whole(self, use: ast.Name) -> bool:
        """Whether a name is read, as a whole: what it is of has elements of its own."""
        outer = self.uses.outside[use]
        match outer:
            case ast.Subscript(value) if value is use:
                return False
            case ast.Attribute(attr=attr):
                called = self.uses.outside[outer]
                if isinstance(called, ast.Call) and called.func is outer:
                    return lookup_method(attr).kind is Kind.REDUCTION
                return attr in ("T", "size")
            case ast.Call(function) if function is use:
                return False
        return isinstance(use.ctx, ast.Load)

    def _raises_first(
        self, region: Sequence[ast.stmt], uses: Sequence[ast.Name]
    ) -> bool:
        """Whether a view is surely used before anything else is seen to happen.

        Args:
            region: the statements up to its last use. uses: its uses.
        """
        for stmt in region:
            parts = {*walked(stmt)}
            if isinstance(stmt, _SIMPLE) and not parts.isdisjoint(uses):
                return True
            if any(self._is_seen(x) for x in parts):
                return False
        return False

    def _is_seen(self, node: ast.AST) -> bool:
        """Whether others may see what a node does."""
        stored = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
        place = isinstance(node, ast.Subscript | ast.Attribute)
        jump = isinstance(node, ast.Return | ast.Raise | ast.Break | ast.Continue)
        return (stored and place) or jump or self.scope.runs_other_code(node)

    def _keeps(self, part: ast.Subscript, region: Sequence[ast.stmt]) -> bool:
        """Whether a part of an array is the same all the while.

        Args:
            part: it. region: the statements up to its last use.
        """
        names = {x.id for x in walked(part) if isinstance(x, ast.Name)}
        data = any(isinstance(x, ast.Subscript) for x in walked(part) if x is not part)
        for stmt in region:
            for node in walked(stmt):
                stored = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
                if isinstance(node, ast.Name) and stored and node.id in names:
                    return False
                if isinstance(node, ast.Attribute) and stored:
                    return False
                # What a single statement stores it does when all is read.
                early = stmt is not region[-1] or not isinstance(stmt, ast.Assign)
                if data and stored and isinstance(node, ast.Subscript) and early:
                    return False
                if data and self.scope.runs_other_code(node):
                    return False
        return not any(isinstance(x, LOOPS) for x in region) or not data


def _may_raise(part: ast.Subscript) -> bool:
    """Whether there may be no such part of an array."""
    plain = any(not isinstance(x, ast.Slice) for x in index_list(part))
    inner = (x for x in walked(part) if x is not part)
    return plain or any(isinstance(x, ast.Subscript) for x in inner)


def _spelled_out(view: _View) -> Iterator[tuple[ast.AST, Change]]:
    """The view in the place of its name."""
    yield view.stmt, always(ast.copy_location(ast.Pass(), view.stmt))
    for use in view.uses:
        found = copy.deepcopy(view.part)
        for node in ast.walk(found):
            if isinstance(node, ast.expr | ast.Slice):
                ast.copy_location(node, use)
        yield use, always(found)
