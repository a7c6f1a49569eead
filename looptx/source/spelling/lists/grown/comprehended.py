"""Comprehensions of lists outside of loops, made by loops: ``t = [f(i) for i in x]``.

A loop of one round fills a list that nobody else has, and the statement is given that
in the place of the comprehension. Of lists of lists all elements are kept in one list,
with the ends of each row (see ``rows``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from looptx.model.naming import Taken
from looptx.model.nests.made import LONGEST
from looptx.model.trees import dotted
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import (
    Change,
    Changes,
    always,
    edited,
    followed,
    part,
    spelling,
)
from looptx.source.spelling.inserted import Insertions, parted, placed
from looptx.source.spelling.lists.generated import looped, renamed
from looptx.source.spelling.lists.grown.known import FOLDS, Comprehensions, is_row
from looptx.source.spelling.lists.operations import Parents, parents
from looptx.source.spelling.lists.written import expression, statement


def _is_made(node: ast.AST) -> bool:
    """Whether a node is a statement that makes lists by comprehensions."""
    return isinstance(node, ast.stmt) and any(_made(node))


@spelling(_is_made)
def with_comprehended(function: Function, scope: Scope) -> Changes:
    """Loops make the lists that comprehensions make outside of loops."""
    nodes = own_nodes(function)
    known = Comprehensions(scope, parents(nodes))
    if not known.are_read:
        return
    spelling = _Spelling(scope, known.around)
    for stmt in nodes:
        if isinstance(stmt, ast.stmt) and not [*known.blocks(stmt)]:
            made = [*_made(stmt)]
            if made and all(map(known.is_known, made)):
                yield spelling.change(stmt, made)
    yield from spelling.inserted.changes()


def _made(stmt: ast.stmt) -> Iterator[ast.ListComp]:
    """The comprehensions of a statement, in front of which it evaluates but names."""
    match stmt:
        case (
            ast.Assign([ast.Name()], value)
            | ast.AugAssign(ast.Name(), _, value)
            | ast.AnnAssign(ast.Name(), _, ast.expr() as value)
            | ast.Return(ast.expr() as value)
            | ast.Expr(ast.Call() as value)
        ):
            yield from _parts(value)


def _parts(value: ast.expr) -> Iterator[ast.ListComp]:
    """The comprehensions in a value, as of ``_made``."""
    match value:
        case ast.ListComp():
            yield value
        case ast.Tuple(parts) if all(
            isinstance(x, ast.ListComp | ast.Name | ast.Constant) for x in parts
        ):
            yield from (x for x in parts if isinstance(x, ast.ListComp))
        case ast.Call(function, [ast.ListComp() as first, *others], named):
            rest = (*others, *(x.value for x in named if x.arg is not None))
            plain = all(isinstance(x, ast.Constant) or dotted(x) for x in rest)
            folds = isinstance(function, ast.Name) and function.id in FOLDS
            if dotted(function) and plain and not folds:
                yield first


class _Spelling:
    """Spells the comprehensions of a function.

    Args:
        scope: the function. around: what its nodes stand in.
    """

    def __init__(self, scope: Scope, around: Parents) -> None:
        self.taken = Taken(scope.identifiers)
        self.inserted = Insertions(around)

    def change(
        self, stmt: ast.stmt, made: Sequence[ast.ListComp]
    ) -> tuple[ast.AST, Change]:
        """A statement and what stands for it.

        Args:
            stmt: the statement. made: the comprehensions in it.
        """
        lines: list[ast.stmt] = []
        lists: list[str] = []
        given: dict[ast.AST, Change] = {}
        for node in made:
            cells = self.taken.again("list")
            names = [cells, *([self.taken.again("list")] if is_row(node.elt) else [])]
            lists += names
            lines += [statement(f"{name} = []") for name in names]
            lines += self._filled(node, *names)
            given[node] = always(expression(_whole(*names)))
        then = edited(stmt, given)
        assert isinstance(then, ast.stmt)
        self.inserted.behind(stmt, *parted([then], stmt))
        text = ast.unparse(then)
        if not isinstance(stmt, ast.Return):
            text = f"{text}\n{' = '.join(lists)} = None"
        loop = placed(lines, stmt, self.taken.new("once"))
        for inner in ast.walk(loop):
            if isinstance(inner, ast.stmt) and inner is not loop:
                part(inner)  # It is no nest of its own.
        return stmt, always(followed(loop, text))

    def _filled(
        self, node: ast.ListComp, cells: str, spans: str = ""
    ) -> list[ast.stmt]:
        """Statements that fill the lists that stand for one.

        Args:
            node: what makes it. cells: the list of its elements, or of those of rows.
            spans: the list of where rows begin and end.
        """
        given = renamed(node, {}, self.taken.again)
        if not spans:
            return looped(given.generators, self._added([given.elt], cells))
        begin = self.taken.new("begin")
        body = [
            statement(f"{begin} = len({cells})"),
            *self._row(given.elt, cells),
            statement(f"{spans}.append(({begin}, len({cells})))"),
        ]
        return looped(given.generators, body)

    def _row(self, value: ast.expr, cells: str) -> list[ast.stmt]:
        """Statements that append the elements of a row.

        Args:
            value: the row. cells: the list that gets them.
        """
        match value:
            case ast.ListComp():
                return self._filled(value, cells)
            case ast.BinOp(left, ast.Add(), right):
                return [*self._row(left, cells), *self._row(right, cells)]
            case ast.BinOp(ast.List([each]), _, count):
                at, one, size = map(self.taken.new, ("at", "one", "size"))
                lines = (
                    # Where there are none it is evaluated, too.
                    f"{one} = {ast.unparse(each)}",
                    f"{size} = {ast.unparse(count)}",
                    f"if {size} > {LONGEST}: raise IndexError",
                    f"for {at} in range({size}): {cells}.append({one})",
                )
                return [*map(statement, lines)]
        assert isinstance(value, ast.List)
        return self._added(value.elts, cells)

    def _added(self, values: Sequence[ast.expr], cells: str) -> list[ast.stmt]:
        """Statements that append elements.

        Args:
            values: these. cells: the list that gets them.
        """
        return [statement(f"{cells}.append({ast.unparse(x)})") for x in values]


def _whole(cells: str, spans: str = "") -> str:
    """The text of a list, of its elements or of those of its rows."""
    if not spans:
        return cells
    begin, end = f"{cells}_begin", f"{cells}_end"
    return f"[{cells}[{begin}:{end}] for {begin}, {end} in {spans}]"
