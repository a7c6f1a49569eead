"""Rows with names, spelled out: ``v[j]`` behind ``v = A[i]`` is ``A[i][j]``.

That is ``A[i, j]``, but for the axis of which an error tells. A row of an array is a
view, so that it is the same whether it is looked up once or at each of its elements, as
long as the names in it keep their values. What is left of ``v = A[i]`` is that ``i`` is
inside. The subscripts are integers: with others a row would be a copy.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

from looptx.model.elements import View
from looptx.model.records import dataclass
from looptx.model.trees import dotted
from looptx.source.ast_tools import LOOPS, blocks, walked
from looptx.source.kinds.integers import Kinds
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.names.subscripts import index_list, may_be_number, subscripts
from looptx.source.spelling.arrays import is_array
from looptx.source.spelling.edits import (
    ROW,
    Change,
    Changes,
    marked,
    spelling,
    viewed,
)
from looptx.source.spelling.whole.uses import Uses

MOST_AXES = 8
"""Rows of rows that are looked for: each takes another look at the module."""

_PLAIN = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp)
_PARTS = (*_PLAIN, ast.operator, ast.unaryop, ast.expr_context)


def _named(node: ast.AST) -> str:
    """The name that a statement may give to a row, or nothing."""
    match node:
        case ast.Assign([ast.Name(name)], ast.Subscript()):
            return name
    return ""


@spelling(_named, MOST_AXES)
def with_rows(function: Function, scope: Scope) -> Changes:
    """Rows of arrays have no names."""
    return _Function(function, scope).changes()


@dataclass(frozen=True)
class _Row:
    """A row while it has its name.

    Attributes:
        stmt: what gives it that. view: it. base: its array.
        indices: its subscripts. whole: whether its array surely is one.
        uses: where its name stands.
    """

    stmt: ast.Assign
    view: View
    base: str
    indices: Sequence[ast.expr]
    whole: bool
    uses: Sequence[ast.Name]


class _Function:
    """Respells the rows of one function."""

    def __init__(self, node: Function, scope: Scope) -> None:
        self.function = node
        self.scope = scope
        self.uses = Uses(node, scope)

    def changes(self) -> Iterator[tuple[ast.AST, Change]]:
        """What the rows become, and what is made of them."""
        if self.scope.wild or self.scope.hides("len"):
            return
        loops = [x for x in own_nodes(self.function) if isinstance(x, LOOPS)]
        found = {
            stmt: (name, block[at + 1 :])
            for loop in loops
            for part in own_nodes(loop, enter=False)
            if isinstance(part, (*LOOPS, ast.If))
            for block in blocks(part)
            for at, stmt in enumerate(block)
            if (name := _named(stmt))
        }
        names = {name for name, _ in found.values()}
        for name in sorted(names - self.scope.shared):
            rests = {x: rest for x, (y, rest) in found.items() if y == name}
            if not self._is_apart(name, rests.values()):
                continue
            rows = [self._row(x, name, rest) for x, rest in rests.items()]
            # A row of a row is one of the array as soon as that one has no name.
            if not any(row is not None and row.base in names for row in rows):
                for row in rows:
                    yield from self._changes(row) if row is not None else ()

    def _is_apart(self, name: str, rests: Collection[list[ast.stmt]]) -> bool:
        """Whether each use of a name is of the one value that its block gives it.

        Args:
            name: it. rests: what follows the statements that give it one.
        """
        inside = [{x for one in rest for x in walked(one)} for rest in rests]
        uses = [x for part in inside for x in self.uses.named(name) if x in part]
        others = any(not isinstance(x.ctx, ast.Load) for x in uses)
        known = len(self.scope.bindings[name]) == len(rests)
        known = known and not others and len({*uses}) == len(uses)
        return known and len(uses) + len(rests) == len(self.uses.named(name))

    def _row(self, stmt: ast.stmt, name: str, rest: list[ast.stmt]) -> _Row | None:
        """What a statement gives a name, if that is used as a row of an array is.

        Args:
            stmt: the statement. name: the name. rest: what follows it in its block.
        """
        assert isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.Subscript)
        array, indices = subscripts(stmt.value)
        base, row = dotted(array), stmt.value
        inside = {x for one in rest for x in walked(one)}
        uses = [x for x in self.uses.named(name) if x in inside]
        while rest and not any(x in uses for x in walked(rest[-1])):
            rest = rest[:-1]
        kinds = self.kinds
        parts = [part for index in indices for part in walked(index)]
        fixed = {base.partition(".")[0], *(dotted(x) for x in parts), name} - {""}
        whole = is_array(base, self.scope, self.uses.nodes) is True
        given = any(map(self._is_given, uses))
        if given and any(self._is_given(x) for x in self.uses.named(base)):
            return None
        if (
            not (base and uses)
            or not all(isinstance(part, _PARTS) for part in parts)
            or not all(kinds.is_integer(x, kinds.everywhere) for x in indices)
            or fixed & self.scope.shared
            or not fixed.isdisjoint(
                self._changed(rest, base, len(indices), whole and not given)
            )
            or not all(map(self._is_of_row, uses))
        ):
            return None
        joined = whole and all(map(self._is_element, uses))
        return _Row(stmt, View(name, row, joined), base, indices, whole, uses)

    @cached_property
    def kinds(self) -> Kinds:
        """What the names of the function are."""
        return Kinds(self.scope)

    def _changed(
        self, body: Sequence[ast.stmt], base: str, count: int, whole: bool
    ) -> Iterator[str]:
        """The names that statements may give other values, with what they stand for.

        Args:
            body: the statements. base: an array, or a list of rows, which may get
                others. count: the subscripts of one. whole: whether it is an array.
        """
        for node in (x for stmt in body for x in walked(stmt)):
            match node:
                case ast.Name(name, ast.Store() | ast.Del()):
                    yield name
                case ast.Attribute(ctx=ast.Store() | ast.Del()):
                    yield dotted(node).partition(".")[0]
                case ast.Subscript(ctx=ast.Store() | ast.Del()) if not whole:
                    array, indices = subscripts(node)
                    if dotted(array) == base and len(indices) <= count:
                        yield base.partition(".")[0]
            if "." in base and self.scope.runs_other_code(node):
                yield base.partition(".")[0]

    def _is_of_row(self, use: ast.Name) -> bool:
        """Whether a name stands where a row may: its elements, its length, or all."""
        outer = self.uses.outside[use]
        match outer:
            case ast.Subscript(value) if value is use:
                return all(map(may_be_number, index_list(outer)))
            case ast.Call(function, [_], []) if function is not use:
                return self.scope.resolve(function) == "builtins.len"
            case ast.Attribute(attr="shape"):
                return self._axis(outer) is not None
            case ast.Assign([ast.Tuple()], value) if value is use:
                return True
        return self._is_given(use)

    def _is_given(self, use: ast.Name) -> bool:
        """Whether a name stands for what a function of the user's is given.

        That may be a number, too, so that its array has to keep its elements.
        """
        match self.uses.outside[use]:
            case ast.Call(function, args) if use in args:
                full = self.scope.resolve(function)
                return full.partition(".")[0] not in ("builtins", "numpy", "math")
        return False

    def _axis(self, shape: ast.Attribute) -> int | None:
        """The number of the extent that is taken of a shape."""
        match self.uses.outside[shape]:
            case ast.Subscript(value, ast.Constant(int(axis))) if value is shape:
                return axis if type(axis) is int else None
        return None

    def _is_element(self, use: ast.Name) -> bool:
        """Whether the subscripts behind a name are integers, if there are any."""
        outer = self.uses.outside[use]
        if not isinstance(outer, ast.Subscript):
            return True
        known = self.kinds.everywhere
        return all(self.kinds.is_integer(x, known) for x in index_list(outer))

    def _changes(self, row: _Row) -> Iterator[tuple[ast.AST, Change]]:
        """What a row becomes, and what is made of it.

        Args:
            row: it.
        """
        yield row.stmt, _looked_up
        for use in row.uses:
            outer = self.uses.outside[use]
            if self._is_given(use):
                yield use, _instead(row, use)
            elif row.whole and isinstance(outer, ast.Call):
                yield outer, _extent(row, len(row.indices))
            elif row.whole and isinstance(outer, ast.Attribute):
                axis = self._axis(outer)
                assert axis is not None
                axis += len(row.indices) if axis >= 0 else 0
                yield self.uses.outside[outer], _extent(row, axis)
            else:
                yield use, _instead(row, use)


def _looked_up(node: ast.AST) -> ast.AST:
    """The statement that looks a row up, without giving it a name."""
    assert isinstance(node, ast.Assign)
    return marked(ast.copy_location(ast.Expr(node.value), node), ROW)


def _at(node: ast.expr, place: ast.AST) -> ast.expr:
    """An expression with all its parts in the place of another one."""
    found = copy.deepcopy(node)
    for part in ast.walk(found):
        if isinstance(part, ast.expr):
            ast.copy_location(part, place)
    return found


def _instead(row: _Row, use: ast.Name) -> Change:
    """The row in the place of its name."""
    return lambda _: viewed(_at(row.view.row, use), row.view)


def _extent(row: _Row, axis: int) -> Change:
    """An extent of the array in the place of one of the row.

    Args:
        row: it. axis: the extent.
    """

    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.expr)
        base, _ = subscripts(row.view.row)
        shape = ast.Attribute(base, "shape", ast.Load())
        made = ast.Subscript(shape, ast.Constant(axis), ast.Load())
        return viewed(_at(made, node), row.view)

    return change
